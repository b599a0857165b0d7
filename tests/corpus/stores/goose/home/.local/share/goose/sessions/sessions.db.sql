CREATE TABLE schema_version(version INTEGER PRIMARY KEY, applied_at TIMESTAMP);
INSERT INTO schema_version VALUES (7, '2026-11-03 08:00:00');
CREATE TABLE sessions(id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
  created_at TIMESTAMP, updated_at TIMESTAMP, schedule_id TEXT, model_config_json TEXT);
CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL,
  role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, metadata_json TEXT);
CREATE INDEX idx_messages_session ON messages(session_id);

INSERT INTO sessions VALUES
  ('20261103_1', 'Compost heater', '', 1, 'user', '/home/ann/src/garden', '2026-11-03 09:00:00', '2026-11-03 09:10:00',
   NULL, '{"model_name":"gpt-6-mini"}'),
  ('20261103_2', 'CLI Session', '', 0, 'sub_agent', '/home/ann/src/garden', '2026-11-03 09:01:00', '2026-11-03 09:01:30',
   NULL, NULL),
  ('20261104_1', 'Nightly report', '', 0, 'scheduled', '/home/ann/src/garden', '2026-11-04 02:00:00',
   '2026-11-04 02:00:20', 'nightly', NULL),
  ('20250901_1', 'Seed list', 'Seed list', 0, 'user', '/home/ann/src/garden', '2025-09-01 12:00:00',
   '2025-09-01 12:05:00', NULL, NULL);
INSERT INTO messages(message_id, session_id, role, content_json, created_timestamp, metadata_json) VALUES
  ('m1', '20261103_1', 'user', '[{"type":"text","text":"How warm does the compost get at night?"}]', 1793696400,
   '{"userVisible":true,"agentVisible":true}'),
  ('m2', '20261103_1', 'assistant', '[{"type":"thinking","thinking":"Read the log.","signature":"s"},
    {"type":"toolRequest","id":"t1","toolCall":{"status":"success","value":{"name":"developer__shell",
     "arguments":{"command":"tail heat.csv"}}}}]', 1793696402, '{"userVisible":true,"agentVisible":true}'),
  ('m3', '20261103_1', 'user', '[{"type":"toolResponse","id":"t1","toolResult":{"status":"success",
    "value":[{"type":"text","text":"03:00,41.5"}]}}]', 1793696403, '{"userVisible":true,"agentVisible":true}'),
  ('m4', '20261103_1', 'assistant', '[{"type":"text","text":"It falls to 41.5 degrees at three o''clock."}]',
   1793696405, '{"userVisible":true,"agentVisible":false}'),
  ('m5', '20261103_1', 'assistant', '[{"type":"text","text":"Summary for the model alone."}]', 1793696406,
   '{"userVisible":false,"agentVisible":true}'),
  ('m6', '20261103_1', 'user', '[{"type":"text","text":"把它画成图。"}]', 1793696460, NULL),
  ('m7', '20261103_1', 'assistant', '[{"type":"text","text":"图在 heat.png 里。"}]', 1793696470, NULL),
  ('m8', '20261103_2', 'user', '[{"type":"text","text":"Find the sensor log."}]', 1793696460, NULL),
  ('m9', '20261103_2', 'assistant', '[{"type":"text","text":"It is heat.csv."}]', 1793696465, NULL),
  ('m10', '20261104_1', 'user', '[{"type":"text","text":"Write the nightly report."}]', 1793757600, NULL),
  ('m11', '20261104_1', 'assistant', '[{"type":"text","text":"Nothing froze."}]', 1793757610, NULL),
  ('m12', '20250901_1', 'user', '[{"type":"text","text":"Which seeds are left?"}]', 1756728000, NULL),
  ('m13', '20250901_1', 'assistant', '[{"type":"text","text":"Only the beans."}]', 1756728010, NULL);
