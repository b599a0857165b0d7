CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, custom_title TEXT, cwd TEXT, status TEXT,
  is_background_automation INTEGER, updated_at INTEGER, deleted_at INTEGER);
INSERT INTO sessions VALUES ('5b0e6a52-7d21-4c0f-9b57-3f7e2c9a1d10', 'Ledger rounding', 'Half a cent', '/home/lin/ledger',
  'completed', 0, 1793600060000, NULL);
INSERT INTO sessions VALUES ('c2a7d0f4-0d3e-4f6a-8a41-6c1b5e9f7a22', 'Thrown away', NULL, '/home/lin/ledger',
  'completed', 0, 1793600090000, 1793600100000);
