CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
  memory_session_id TEXT UNIQUE, project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT,
  started_at_epoch INTEGER NOT NULL, status TEXT NOT NULL DEFAULT 'active', custom_title TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL,
  text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
  files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
  merged_into_project TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
  project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT,
  files_edited TEXT, notes TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, merged_into_project TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
  prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
INSERT INTO sdk_sessions VALUES (1, '7c1d2e3f-1111-4a4a-8b8b-0123456789ab', 'mem-7', 'kiln', 'claude',
  'Why does the firing overshoot?', 1793604000000, 'completed', NULL);
INSERT INTO sdk_sessions VALUES (2, '7c1d2e3f-2222-4a4a-8b8b-0123456789ab', 'mem-8', 'observer-sessions', 'claude',
  'Watch', 1793604000000, 'completed', NULL);
INSERT INTO observations VALUES (1, 'mem-7', 'kiln', NULL, 'discovery', 'Both thermocouples are averaged',
  'the slower one decides', '["They lag 40 s", "窑温差二十度"]', 'The controller waits for the mean of two sensors.',
  '["how-it-works"]', '["src/ramp.py"]', '[]', 1, '2026-11-02T07:21:00.000Z', 1793604060000, NULL);
INSERT INTO observations VALUES (2, 'mem-7', 'kiln', 'An older note in one piece', 'change', NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, 1, '2026-11-02T07:22:00.000Z', 1793604120000, NULL);
INSERT INTO observations VALUES (3, 'mem-8', 'observer-sessions', NULL, 'change', 'of itself', NULL, NULL, 'no', NULL, NULL,
  NULL, 1, '2026-11-02T07:22:00.000Z', 1793604120000, NULL);
INSERT INTO session_summaries VALUES (1, 'mem-7', 'kiln', 'find the overshoot', NULL, 'the ramp is too steep', 'lowered it',
  'fire again', NULL, '["src/ramp.py"]', NULL, '2026-11-02T07:25:00.000Z', 1793604300000, NULL);
INSERT INTO user_prompts VALUES (1, '7c1d2e3f-1111-4a4a-8b8b-0123456789ab', 1, 'Why does the firing overshoot?', 1793604001000);
