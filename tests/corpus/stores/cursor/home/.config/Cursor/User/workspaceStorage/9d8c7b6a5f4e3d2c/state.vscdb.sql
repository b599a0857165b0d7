CREATE TABLE ItemTable(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO ItemTable VALUES('composer.composerData', '{"allComposers": [{"composerId": "2c3d4e5f-6071-4829-93a4-b5c6d7e8f90a", "name": "Old fog horn"}]}');
