CREATE TABLE session_nodes (session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL, parent_session_key TEXT, spawned_by TEXT, fork_source_session_id TEXT, label TEXT,
  display_name TEXT, archived_at INTEGER) STRICT;
CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, previous_session_id TEXT,
  reason TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, transcript_updated_at INTEGER, model TEXT,
  channel TEXT, parent_session_key TEXT, spawned_by TEXT, display_name TEXT, hook_external_content_source TEXT) STRICT;
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL,
  created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq)) STRICT;
CREATE TABLE session_transcript_index_state (session_id TEXT NOT NULL PRIMARY KEY, indexed_seq INTEGER NOT NULL,
  leaf_event_id TEXT, needs_rebuild INTEGER NOT NULL, active_event_count INTEGER NOT NULL) STRICT;
CREATE TABLE session_transcript_active_events (session_id TEXT NOT NULL, active_position INTEGER NOT NULL,
  event_seq INTEGER NOT NULL, message_position INTEGER, PRIMARY KEY (session_id, active_position)) STRICT;
CREATE TABLE session_transcript_archives (session_id TEXT NOT NULL, generation TEXT NOT NULL, session_key TEXT NOT NULL,
  reason TEXT NOT NULL, encoding TEXT NOT NULL, archive_blob BLOB NOT NULL, PRIMARY KEY (session_id, generation)) STRICT;
CREATE TABLE auth_profile_store (store_key TEXT NOT NULL PRIMARY KEY, store_json TEXT NOT NULL) STRICT;

INSERT INTO session_nodes VALUES ('agent:main:telegram:direct:7', '8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202', '{}', 1788861690000, NULL, NULL, NULL, NULL, 'Ada at Telegram', NULL);
INSERT INTO session_nodes VALUES ('agent:main:subagent:9a', '8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203', '{}', 1788861680000, NULL, 'agent:main:telegram:direct:7', NULL, 'Heddle count', NULL, NULL);
INSERT INTO session_nodes VALUES ('agent:main:hook:gmail', '8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', '{}', 1788861670000, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO session_windows VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 'agent:main:telegram:direct:7', NULL, 'initial', 1788861600000, 1788861609000, 1788861609000, 'gpt-5.4', 'telegram', NULL, NULL, 'Ada at Telegram', NULL);
INSERT INTO session_windows VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202', 'agent:main:telegram:direct:7', '8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 'reset', 1788861660000, 1788861690000, 1788861690000, 'gpt-5.4', 'telegram', NULL, NULL, 'Ada at Telegram', NULL);
INSERT INTO session_windows VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203', 'agent:main:subagent:9a', NULL, 'initial', 1788861605000, 1788861680000, 1788861680000, 'gpt-5.4', NULL, NULL, 'agent:main:telegram:direct:7', NULL, NULL);
INSERT INTO session_windows VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 'agent:main:hook:gmail', NULL, 'initial', 1788861650000, 1788861670000, 1788861670000, 'gpt-5.4', NULL, NULL, NULL, NULL, 'gmail');
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 0, '{"type": "session", "version": 4, "id": "8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201", "cwd": "/home/ada/dye"}', 1788861600000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 1, '{"type": "message", "id": "00000001", "parentId": null, "message": {"role": "user", "content": [{"type": "text", "text": "How long does weld dye keep?"}]}}', 1788861601000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 2, '{"type": "message", "id": "00000002", "parentId": "00000001", "message": {"role": "assistant", "content": [{"type": "toolCall", "name": "read", "arguments": {"path": "dyes.md"}}, {"type": "text", "text": "A week in the cold."}]}}', 1788861602000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 3, '{"type": "message", "id": "00000003", "parentId": "00000002", "message": {"role": "user", "content": [{"type": "text", "text": "abandoned question"}]}}', 1788861603000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 4, '{"type": "leaf", "id": "00000004", "parentId": "00000003", "targetId": "00000002"}', 1788861604000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 5, '{"type": "message", "id": "00000005", "parentId": "00000002", "message": {"role": "user", "content": [{"type": "text", "text": "And madder?"}]}}', 1788861605000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 6, '{"type": "message", "id": "00000006", "parentId": "00000005", "message": {"role": "assistant", "content": [{"type": "text", "text": "[[reply_to_current]] Months, if dry."}]}}', 1788861606000);
INSERT INTO session_transcript_index_state VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 6, NULL, 0, 4);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 0, 1, 0);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 1, 2, 1);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 2, 5, 2);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2201', 3, 6, 3);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202', 0, '{"type": "session", "version": 4, "id": "8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202", "cwd": "/home/ada/dye"}', 1788861660000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202', 1, '{"type": "message", "id": "00000001", "parentId": null, "message": {"role": "user", "content": [{"type": "text", "text": "Sender (untrusted metadata):\n```json\n{\"id\":7}\n```\n\nWhich mordant for silk?"}]}}', 1788861661000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202', 2, '{"type": "message", "id": "00000002", "parentId": "00000001", "message": {"role": "assistant", "content": [{"type": "text", "text": "Alum, cold."}]}}', 1788861662000);
INSERT INTO session_transcript_index_state VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202', 2, NULL, 0, 2);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202', 0, 1, 0);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2202', 1, 2, 1);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203', 0, '{"type": "session", "version": 4, "id": "8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203", "cwd": "/home/ada/dye"}', 1788861605000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203', 1, '{"type": "message", "id": "00000001", "parentId": null, "message": {"role": "user", "content": [{"type": "text", "text": "Count the heddles."}]}}', 1788861606000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203', 2, '{"type": "message", "id": "00000002", "parentId": "00000001", "message": {"role": "assistant", "content": [{"type": "text", "text": "Four hundred."}]}}', 1788861607000);
INSERT INTO session_transcript_index_state VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203', 2, NULL, 0, 2);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203', 0, 1, 0);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2203', 1, 2, 1);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 0, '{"type": "session", "version": 4, "id": "8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204", "cwd": "/home/ada/dye"}', 1788861650000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 1, '{"type": "message", "id": "00000001", "parentId": null, "message": {"role": "user", "content": [{"type": "text", "text": "A mail came."}]}}', 1788861651000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 2, '{"type": "message", "id": "00000002", "parentId": "00000001", "message": {"role": "assistant", "content": [{"type": "text", "text": "taken back"}]}}', 1788861652000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 3, '{"type": "leaf", "id": "00000003", "parentId": "00000002", "targetId": "00000001"}', 1788861653000);
INSERT INTO transcript_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 4, '{"type": "message", "id": "00000004", "parentId": "00000003", "message": {"role": "assistant", "content": [{"type": "text", "text": "Filed under dyes."}]}}', 1788861654000);
INSERT INTO session_transcript_index_state VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 4, NULL, 1, 2);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 0, 1, 0);
INSERT INTO session_transcript_active_events VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2204', 1, 2, 1);
INSERT INTO session_transcript_archives VALUES ('8e1d0a20-4c63-4d2f-8b55-1a4c7b8d2205', 'g1', 'agent:main:telegram:direct:7', 'deleted', 'identity', x'6e65766572');
INSERT INTO auth_profile_store VALUES ('main', 'nobody reads this');
