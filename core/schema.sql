-- The index. A session has turns, a turn has chunks, a chunk has one row in `words`: the full text without its content.
-- Times are UTC milliseconds. What can be computed again from the sources may be dropped at any time, but for sessions
-- whose sources are gone.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,      -- schema, tokenizer, redaction: the versions the rows were written with; limits, report, ...
  value
) WITHOUT ROWID;

CREATE TABLE files (
  id              INTEGER PRIMARY KEY,
  source          TEXT NOT NULL,
  path            BLOB NOT NULL UNIQUE,   -- the bytes that the file system gave; a session in a database: below its path
  device          INTEGER NOT NULL,       -- 0, as the inode: a session in a database, its mtime that of its last change
  inode           INTEGER NOT NULL,
  size            INTEGER NOT NULL,       -- -1 while only a part of it was read
  mtime_ns        INTEGER NOT NULL,
  offset          INTEGER NOT NULL,       -- end of the last whole record read
  prefix_crc      INTEGER NOT NULL,       -- CRC-32 of the bytes up to `offset`
  edges           BLOB NOT NULL,          -- hash of the first and the last bytes of that prefix
  adapter_version INTEGER NOT NULL,
  adapter_state   BLOB NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('ok', 'quarantined', 'gone', 'left-out', 'excluded')),
  reason          TEXT,                   -- why it is quarantined, left out or excluded, as a slug
  text_size       INTEGER NOT NULL,       -- characters of text kept
  beside          BLOB NOT NULL DEFAULT x'' -- hash of what else it depends on: files beside it, a token of its database
);
CREATE INDEX files_by_source ON files (source);

CREATE TABLE sessions (
  id         INTEGER PRIMARY KEY,
  source     TEXT NOT NULL,
  native_id  TEXT NOT NULL,
  title      TEXT NOT NULL DEFAULT '',
  title_rank INTEGER NOT NULL DEFAULT 0,
  project    TEXT,
  branch     TEXT,
  model      TEXT,
  kind       TEXT NOT NULL DEFAULT 'main' CHECK (kind IN ('main', 'subagent', 'automated', 'memory')),
  parent     INTEGER REFERENCES sessions, -- forked from or spawned by; may be a row without turns
  leaf       TEXT,                        -- native id of the turn where the active branch ends
  started    INTEGER,
  updated    INTEGER,
  turns      INTEGER NOT NULL DEFAULT 0,  -- turns on the active branch; 0: known by name only
  gone       INTEGER NOT NULL DEFAULT 0,  -- none of its files is there any more
  agent      TEXT,                        -- which agent of several in one installation
  about      TEXT,                        -- key of the session of another source that it was drawn from
  handle     TEXT,                        -- what reopens it in place of its native id
  UNIQUE (source, native_id)
);
CREATE INDEX sessions_by_time ON sessions (updated) WHERE turns > 0;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;

-- What each file says about a session; the row in `sessions` is what they add up to, the latest file last.
CREATE TABLE facts (
  session INTEGER NOT NULL REFERENCES sessions, file INTEGER NOT NULL REFERENCES files,
  title TEXT, title_rank INTEGER NOT NULL, project TEXT, branch TEXT, model TEXT, kind TEXT,
  parent INTEGER REFERENCES sessions, leaf TEXT, agent TEXT, about TEXT, handle TEXT,
  PRIMARY KEY (session, file)
) WITHOUT ROWID;
CREATE INDEX facts_by_file ON facts (file);

CREATE TABLE turns (
  id        INTEGER PRIMARY KEY,
  session   INTEGER NOT NULL REFERENCES sessions,
  file      INTEGER NOT NULL REFERENCES files,
  seq       INTEGER NOT NULL,             -- place in its file
  number    INTEGER,                      -- place on the active branch, from 1; NULL: abandoned, or a copy
  role      TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'memory')),
  time      INTEGER,
  quality   TEXT NOT NULL CHECK (quality IN ('exact', 'file', 'none')),
  native_id TEXT,
  parent_id TEXT,
  undone    INTEGER NOT NULL DEFAULT 0,   -- taken back by its own file
  hash      INTEGER NOT NULL,             -- of role and text: copies are found by it
  size      INTEGER NOT NULL,             -- characters of text
  code      INTEGER NOT NULL,             -- whether there is a fenced code block in it
  text      NOT NULL,                     -- TEXT, or BLOB: zstd of its UTF-8
  cite      TEXT                          -- where its file has it, as in L12-L30
);
CREATE INDEX turns_by_session ON turns (session, number);
CREATE INDEX turns_by_file ON turns (file, seq);
CREATE INDEX turns_by_hash ON turns (hash);
CREATE INDEX turns_by_native_id ON turns (native_id) WHERE native_id IS NOT NULL;

-- The unit of search: a user's turn, or a piece of an assistant's. The id is (days since 2020-01-01) << 20 | n, so that
-- newest first and every window of time is a range of ids.
CREATE TABLE chunks (
  id    INTEGER PRIMARY KEY,
  turn  INTEGER NOT NULL REFERENCES turns,
  start INTEGER NOT NULL,                 -- code points into the turn's text
  stop  INTEGER NOT NULL
);
CREATE INDEX chunks_by_turn ON chunks (turn);

CREATE VIRTUAL TABLE words USING fts5 (
  text,                                   -- the chunk, CJK runs cut into bigrams (tokens.py)
  date,                                   -- its day in words, and the parts of its identifiers (identifiers.py)
  content = '', contentless_delete = 1, detail = full,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Meaning: an embedding of each chunk, if the person wants that (embedding.py). Every row says which model made it, and
-- vectors of two models are never compared. No id is given twice, so that a reader who knows some has only to ask for
-- those that came after.
CREATE TABLE models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  revision TEXT NOT NULL,                 -- of the model's files
  dimension INTEGER NOT NULL,
  pooling TEXT NOT NULL,
  query_prefix TEXT NOT NULL, passage_prefix TEXT NOT NULL,
  quantised TEXT NOT NULL,                -- how components became bytes
  made INTEGER NOT NULL,                  -- when it was first used here: tells this index from one that was built anew
  UNIQUE (name, revision, dimension, pooling, query_prefix, passage_prefix, quantised)
);
CREATE TABLE vectors (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  chunk  INTEGER NOT NULL UNIQUE REFERENCES chunks,
  model  INTEGER NOT NULL REFERENCES models,
  vector BLOB NOT NULL                    -- a signed byte for each component
);
CREATE INDEX vectors_by_model ON vectors (model);
CREATE TRIGGER vectors_go_with_chunks BEFORE DELETE ON chunks BEGIN
  DELETE FROM vectors WHERE chunk = OLD.id;
END;

-- What a file says about other sessions: a title for the one that holds a turn, a point from where it replaces them.
CREATE TABLE titles (
  source TEXT NOT NULL, turn_id TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files,
  title TEXT NOT NULL, title_rank INTEGER NOT NULL,
  PRIMARY KEY (source, turn_id, file)
) WITHOUT ROWID;
CREATE INDEX titles_by_file ON titles (file);
CREATE TABLE cuts (
  session INTEGER NOT NULL REFERENCES sessions, file INTEGER NOT NULL REFERENCES files,
  since INTEGER NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (session, file)
) WITHOUT ROWID;
CREATE INDEX cuts_by_file ON cuts (file);

CREATE TABLE skips (
  source TEXT NOT NULL, path BLOB NOT NULL, reason TEXT NOT NULL,
  count INTEGER NOT NULL, example TEXT NOT NULL,
  PRIMARY KEY (source, path, reason)
) WITHOUT ROWID;
CREATE INDEX skips_by_path ON skips (path);

-- What a limit left out, session by session; a wider limit reads it again.
CREATE TABLE left_out (
  source TEXT NOT NULL, session TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files,
  reason TEXT NOT NULL CHECK (reason IN ('window', 'per_source', 'total', 'per_file')),
  PRIMARY KEY (source, session, file, reason)
) WITHOUT ROWID;
CREATE INDEX left_out_by_file ON left_out (file);

-- Sessions of which everything is kept out, by the files that have something of them: a rule of the person's hides
-- them (`excluded`), or the person deleted them in the agent (`deleted-at-source`).
CREATE TABLE hidden (
  source TEXT NOT NULL, session TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files,
  reason TEXT NOT NULL DEFAULT 'excluded',
  PRIMARY KEY (source, session, file)
) WITHOUT ROWID;
CREATE INDEX hidden_by_file ON hidden (file);

-- Sessions that a file says the person deleted.
CREATE TABLE deleted (
  source TEXT NOT NULL, session TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files,
  PRIMARY KEY (source, session, file)
) WITHOUT ROWID;
CREATE INDEX deleted_by_file ON deleted (file);

-- Every session that a store's own list ever named, by the entry; one that is no longer on the list is `gone`, and its
-- sessions were deleted by the person unless an entry that is there names them too.
CREATE TABLE listed (
  source TEXT NOT NULL, session TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files, entry TEXT NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (source, session, file, entry)
) WITHOUT ROWID;
CREATE INDEX listed_by_file ON listed (file, entry);

-- What was forgotten, so that it never comes back: only hashes of ids are left of it (tombstones.py).
CREATE TABLE tombstones (hash BLOB PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;

-- The last reconcile of each source.
CREATE TABLE runs (source TEXT PRIMARY KEY, finished INTEGER NOT NULL, error TEXT) WITHOUT ROWID;

-- Files of which other rules than now redacted what is here; nobody is shown that until it is read again or renewed
-- (renewal.py makes this table and its triggers when it is first needed):
-- CREATE TABLE unredacted (file INTEGER PRIMARY KEY);
