CREATE TABLE session(id text primary key, project_id text not null, parent_id text, slug text not null,
  directory text not null, title text not null, version text not null, revert text,
  time_created integer not null, time_updated integer not null, time_archived integer);
CREATE TABLE message(id text primary key, session_id text not null, time_created integer not null,
  time_updated integer not null, data text not null);
CREATE TABLE part(id text primary key, message_id text not null, session_id text not null,
  time_created integer not null, time_updated integer not null, data text not null);
CREATE INDEX message_session_time_created_id_idx ON message(session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part(message_id, id);
CREATE INDEX part_session_idx ON part(session_id);

INSERT INTO session VALUES
  ('ses_6f10', 'global', NULL, 'calm-heron', '/home/ann/src/ferry', 'Timetable off by an hour', '1.14.2',
   '{"messageID":"msg_a105","snapshot":"e1"}', 1793610000000, 1793610400000, NULL),
  ('ses_6f0f', 'global', 'ses_6f10', 'quick-heron', '/home/ann/src/ferry',
   'Child session - 2026-11-02T09:40:05.000Z', '1.14.2', NULL, 1793610005000, 1793610009000, NULL);

INSERT INTO message VALUES
  ('msg_a101', 'ses_6f10', 1793610000000, 1793610000000,
   '{"role":"user","time":{"created":1793610000000},"summary":{"title":"Timetable","diffs":[]}}'),
  ('msg_a102', 'ses_6f10', 1793610002000, 1793610009000,
   '{"role":"assistant","parentID":"msg_a101","time":{"created":1793610002000},"modelID":"glm-5","providerID":"zai",
     "path":{"cwd":"/home/ann/src/ferry","root":"/"}}'),
  ('msg_a103', 'ses_6f10', 1793610100000, 1793610100000, '{"role":"user","time":{"created":1793610100000}}'),
  ('msg_a104', 'ses_6f10', 1793610103000, 1793610109000,
   '{"role":"assistant","parentID":"msg_a103","time":{"created":1793610103000},"modelID":"glm-5"}'),
  ('msg_a105', 'ses_6f10', 1793610200000, 1793610200000, '{"role":"user","time":{"created":1793610200000}}'),
  ('msg_a106', 'ses_6f10', 1793610203000, 1793610204000,
   '{"role":"assistant","time":{"created":1793610203000},"mode":"compaction","summary":true}'),
  ('msg_b101', 'ses_6f0f', 1793610005000, 1793610005000, '{"role":"user","time":{"created":1793610005000}}'),
  ('msg_b102', 'ses_6f0f', 1793610007000, 1793610008000, '{"role":"assistant","time":{"created":1793610007000}}');

INSERT INTO part VALUES
  ('prt_01', 'msg_a101', 'ses_6f10', 0, 1793610000000,
   '{"type":"text","text":"The ferry leaves an hour early in the timetable, but only after October."}'),
  ('prt_02', 'msg_a101', 'ses_6f10', 0, 1793610000000,
   '{"type":"text","synthetic":true,"text":"Called the Read tool with timetable.py"}'),
  ('prt_03', 'msg_a101', 'ses_6f10', 0, 1793610000000,
   '{"type":"file","mime":"text/plain","filename":"timetable.py","url":"data:text/plain;base64,aW1wb3J0"}'),
  ('prt_04', 'msg_a102', 'ses_6f10', 0, 1793610002000, '{"type":"step-start"}'),
  ('prt_05', 'msg_a102', 'ses_6f10', 0, 1793610002000, '{"type":"reasoning","text":"Probably the zone."}'),
  ('prt_06', 'msg_a102', 'ses_6f10', 0, 1793610002500, '{"type":"text","text":"I will look at the zone first."}'),
  ('prt_07', 'msg_a102', 'ses_6f10', 0, 1793610003000,
   '{"type":"tool","callID":"c1","tool":"grep","state":{"status":"completed","input":{"pattern":"utcoffset"},
     "output":"timetable.py:41"}}'),
  ('prt_08', 'msg_a102', 'ses_6f10', 0, 1793610009000,
   '{"type":"text","text":"Line 41 keeps the offset of the day the program started; take it from each date."}'),
  ('prt_09', 'msg_a103', 'ses_6f10', 0, 1793610100000, '{"type":"text","text":"冬令时的测试也要加上。"}'),
  ('prt_10', 'msg_a104', 'ses_6f10', 0, 1793610109000, '{"type":"text","text":"已添加两个测试：三月和十月。"}'),
  ('prt_11', 'msg_a105', 'ses_6f10', 0, 1793610200000, '{"type":"text","text":"And rewrite it in Rust."}'),
  ('prt_12', 'msg_a106', 'ses_6f10', 0, 1793610204000, '{"type":"text","text":"Summary of all that was said."}'),
  ('prt_13', 'msg_b101', 'ses_6f0f', 0, 1793610005000, '{"type":"text","text":"Find every use of utcoffset"}'),
  ('prt_14', 'msg_b102', 'ses_6f0f', 0, 1793610008000, '{"type":"text","text":"Only timetable.py:41."}');
