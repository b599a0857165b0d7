CREATE TABLE session (id TEXT PRIMARY KEY NOT NULL, project_id TEXT, workspace_id TEXT, parent_id TEXT, directory TEXT,
  title TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY NOT NULL, session_id TEXT NOT NULL, time_created TEXT, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY NOT NULL, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created TEXT,
  data TEXT);
CREATE TABLE model_usage (session_id TEXT NOT NULL, turn_id TEXT, model_id TEXT, started_at INTEGER);
INSERT INTO session VALUES ('sess_7d40a1c6-1111-4000-8000-00000000a001', 'p1', 'w1', NULL, '/home/mei/kite', 'Kite winch',
  1793601000000, 1793601090000);
INSERT INTO message VALUES ('msg-1', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '1793601001000', '{"role":"user"}');
INSERT INTO message VALUES ('msg-2', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '2026-11-02T06:30:02.000Z',
  '{"role":"assistant","model":{"modelID":"glm-5"}}');
INSERT INTO message VALUES ('msg-3', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '1793601004000', '{"role":"user"}');
INSERT INTO message VALUES ('msg-4', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '1793601060000', '{"role":"user"}');
INSERT INTO message VALUES ('msg-5', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '1793601070000', '{"role":"assistant"}');
INSERT INTO part VALUES ('p1', 'msg-1', 'sess_7d40a1c6-1111-4000-8000-00000000a001', NULL,
  '{"type":"text","text":"<system-reminder>Monday</system-reminder>Why does the winch slip?"}');
INSERT INTO part VALUES ('p-z', 'msg-2', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '1793601002100',
  '{"type":"thinking","thinking":"the drum, perhaps"}');
INSERT INTO part VALUES ('p-b', 'msg-2', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '1793601002300',
  '{"type":"text","text":"It lacks a clutch."}');
INSERT INTO part VALUES ('p-c', 'msg-2', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '1793601002200',
  '{"type":"text","text":"I looked at the drum."}');
INSERT INTO part VALUES ('p-a', 'msg-2', 'sess_7d40a1c6-1111-4000-8000-00000000a001', '1793601002900',
  '{"type":"tool_use","id":"c1","name":"Read","input":{"file_path":"drum.scad"}}');
INSERT INTO part VALUES ('p5', 'msg-3', 'sess_7d40a1c6-1111-4000-8000-00000000a001', NULL,
  '{"type":"tool_result","tool_use_id":"c1","content":"cylinder(20);"}');
INSERT INTO part VALUES ('p6', 'msg-4', 'sess_7d40a1c6-1111-4000-8000-00000000a001', NULL, '{"type":"text","text":"加一个离合器"}');
INSERT INTO part VALUES ('p7', 'msg-5', 'sess_7d40a1c6-1111-4000-8000-00000000a001', NULL, '{"type":"text","text":"已加。"}');
