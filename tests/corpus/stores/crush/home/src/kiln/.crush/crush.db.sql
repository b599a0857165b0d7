CREATE TABLE sessions(id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0, updated_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL, summary_message_id TEXT);
CREATE TABLE messages(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
  parts TEXT NOT NULL default '[]', model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL);
CREATE INDEX idx_messages_session_id ON messages(session_id);

INSERT INTO sessions VALUES
  ('2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', NULL, 'Kiln overshoots by 40 degrees', 5, 0.1, 1793872860, 1793872800, 'm6'),
  ('m2$$call_1', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'New Agent Session', 2, 0.0, 1793872815, 1793872810, NULL),
  ('title-2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'Generate a title', 2, 0.0,
   1793872802, 1793872801, NULL);
INSERT INTO messages VALUES
  ('m1', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'user',
   '[{"type":"text","data":{"text":"Why does the kiln overshoot by 40 degrees?"}},{"type":"finish","data":{"reason":"stop"}}]',
   NULL, 1793872800, 1793872800, NULL, NULL, 0),
  ('m2', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'assistant',
   '[{"type":"reasoning","data":{"thinking":"The integral term."}},{"type":"text","data":{"text":"I ask a helper."}},
     {"type":"tool_call","data":{"id":"call_1","name":"agent","input":"{\"prompt\":\"Find the gains\"}","finished":true}}]',
   'claude-sonnet-5', 1793872805, 1793872806, NULL, 'anthropic', 0),
  ('m3', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'tool',
   '[{"type":"tool_result","data":{"tool_call_id":"call_1","name":"agent","content":"Ki is 4.0","is_error":false}}]',
   NULL, 1793872820, 1793872820, NULL, NULL, 0),
  ('m4', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'assistant',
   '[{"type":"text","data":{"text":"The integral gain of 4.0 winds up; 0.4 holds it."}}]',
   'claude-sonnet-5', 1793872825, 1793872826, NULL, 'anthropic', 0),
  ('m5', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'user', '[{"type":"text","data":{"text":"改成0.4并重新测试。"}}]',
   NULL, 1793872840, 1793872840, NULL, NULL, 0),
  ('m6', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'assistant',
   '[{"type":"text","data":{"text":"Summary of the conversation."}}]',
   'claude-sonnet-5', 1793872850, 1793872850, NULL, 'anthropic', 1),
  ('m7', '2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'assistant',
   '[{"type":"text","data":{"text":"完成，超调只剩2度。"}}]',
   'claude-sonnet-5', 1793872860, 1793872860, NULL, 'anthropic', 0),
  ('m8', 'm2$$call_1', 'user', '[{"type":"text","data":{"text":"Find the gains"}}]', NULL, 1793872810, 1793872810, NULL,
   NULL, 0),
  ('m9', 'm2$$call_1', 'assistant', '[{"type":"text","data":{"text":"Ki is 4.0"}}]', 'claude-haiku-5', 1793872814,
   1793872815, NULL, 'anthropic', 0),
  ('m10', 'title-2b1d7c1e-8a6f-4d53-9f1b-7d1a5c0e9a10', 'user', '[{"type":"text","data":{"text":"Generate a title"}}]',
   NULL, 1793872801, 1793872801, NULL, NULL, 0);
