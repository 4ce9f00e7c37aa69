"""The first schema.

Invariants kept by the schema itself, whatever the code does: a tape is numbered without gaps and a provenance
stands once; entries, payloads and journal are never updated; they are deleted only under a guard row, payloads alone
only when a later retraction names their message (REL-7). The triggers also refuse INSERT OR REPLACE, which would
delete without firing delete triggers.
"""

from typing import Any

SESSIONS = """
CREATE TABLE sessions (
  id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, title_by_user INTEGER NOT NULL, status TEXT NOT NULL,
  last_outcome TEXT, unread INTEGER NOT NULL, pinned INTEGER NOT NULL, settings TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE erasure_due (n INTEGER PRIMARY KEY CHECK (n = 1)) STRICT;
CREATE INDEX sessions_by_age ON sessions (pinned, updated_at);
CREATE TABLE drafts (session_id TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE grants (
  n INTEGER PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  server TEXT NOT NULL, root TEXT NOT NULL, level TEXT NOT NULL, created_at INTEGER NOT NULL,
  UNIQUE (session_id, server, root, level)
) STRICT;
"""

MESSAGES = """
CREATE TABLE messages (
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  role TEXT NOT NULL, status TEXT NOT NULL, outcome TEXT, stop_reason TEXT, usage TEXT NOT NULL, parent TEXT,
  variant INTEGER NOT NULL, run_id TEXT, meta TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_of_session ON messages (session_id, n);
CREATE INDEX messages_unfinished ON messages (status) WHERE status = 'streaming';
CREATE TABLE blocks (
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0), kind TEXT NOT NULL, data TEXT NOT NULL,
  PRIMARY KEY (message_id, position)
) STRICT;
"""

SEARCH = """
CREATE TABLE message_texts (
  n INTEGER PRIMARY KEY REFERENCES messages (n) ON DELETE CASCADE, text TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE message_search USING fts5 (text, content='message_texts', content_rowid='n', tokenize='trigram');
CREATE TRIGGER message_texts_added AFTER INSERT ON message_texts BEGIN
  INSERT INTO message_search (rowid, text) VALUES (NEW.n, NEW.text);
END;
CREATE TRIGGER message_texts_removed AFTER DELETE ON message_texts BEGIN
  INSERT INTO message_search (message_search, rowid, text) VALUES ('delete', OLD.n, OLD.text);
END;
CREATE TRIGGER message_texts_changed AFTER UPDATE ON message_texts BEGIN
  INSERT INTO message_search (message_search, rowid, text) VALUES ('delete', OLD.n, OLD.text);
  INSERT INTO message_search (rowid, text) VALUES (NEW.n, NEW.text);
END;
"""

INTERACTIONS = """
CREATE TABLE interactions (
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL, run_id TEXT NOT NULL, request_id TEXT NOT NULL, call_id TEXT NOT NULL,
  kind TEXT NOT NULL, tool TEXT NOT NULL, level TEXT NOT NULL, target TEXT NOT NULL, summary TEXT NOT NULL,
  detail TEXT NOT NULL, reason TEXT NOT NULL, binding TEXT NOT NULL, "order" INTEGER NOT NULL, status TEXT NOT NULL,
  scope TEXT, why TEXT NOT NULL, created_at INTEGER NOT NULL, answered_at INTEGER, consumed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX interactions_one_pending_per_call ON interactions (call_id) WHERE status = 'pending';
CREATE INDEX interactions_of_call ON interactions (call_id, n);
CREATE INDEX interactions_of_session ON interactions (session_id, status);
CREATE TABLE resume_locks (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (session_id, message_id)
) STRICT;
"""

TAPE = """
CREATE TABLE tape_entries (
  session_id TEXT NOT NULL REFERENCES sessions (id), seq INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  source TEXT NOT NULL, provenance TEXT NOT NULL, payload_sha256 TEXT NOT NULL, prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL, created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq), UNIQUE (session_id, provenance)
) STRICT;
CREATE TABLE tape_payloads (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, message_id TEXT, payload TEXT NOT NULL,
  PRIMARY KEY (session_id, seq), FOREIGN KEY (session_id, seq) REFERENCES tape_entries (session_id, seq)
) STRICT;
CREATE INDEX tape_payloads_of_message ON tape_payloads (session_id, message_id);
CREATE TABLE tape_purge_guard (
  session_id TEXT NOT NULL PRIMARY KEY, what TEXT NOT NULL CHECK (what IN ('payload', 'session'))
) STRICT;
CREATE TRIGGER tape_entries_append_only BEFORE INSERT ON tape_entries
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM tape_entries WHERE session_id = NEW.session_id)
  OR EXISTS (SELECT 1 FROM tape_entries WHERE session_id = NEW.session_id AND provenance = NEW.provenance)
BEGIN SELECT raise(ABORT, 'a tape grows by one new fact at its end'); END;
CREATE TRIGGER tape_payloads_append_only BEFORE INSERT ON tape_payloads
WHEN NEW.seq <> (SELECT max(seq) FROM tape_entries WHERE session_id = NEW.session_id)
  OR EXISTS (SELECT 1 FROM tape_payloads WHERE session_id = NEW.session_id AND seq = NEW.seq)
BEGIN SELECT raise(ABORT, 'a payload comes with its entry'); END;
CREATE TRIGGER tape_entries_fixed BEFORE UPDATE ON tape_entries
BEGIN SELECT raise(ABORT, 'tape entries are never changed'); END;
CREATE TRIGGER tape_payloads_fixed BEFORE UPDATE ON tape_payloads
BEGIN SELECT raise(ABORT, 'tape payloads are never changed'); END;
CREATE TRIGGER tape_entries_kept BEFORE DELETE ON tape_entries
WHEN NOT EXISTS (SELECT 1 FROM tape_purge_guard WHERE session_id = OLD.session_id AND what = 'session')
BEGIN SELECT raise(ABORT, 'tape entries go only with their session'); END;
CREATE TRIGGER tape_payloads_kept BEFORE DELETE ON tape_payloads
WHEN NOT EXISTS (SELECT 1 FROM tape_purge_guard WHERE session_id = OLD.session_id AND what = 'session')
  AND NOT (
    EXISTS (SELECT 1 FROM tape_purge_guard WHERE session_id = OLD.session_id AND what = 'payload')
    AND EXISTS (
      SELECT 1 FROM tape_payloads p JOIN tape_entries e ON e.session_id = p.session_id AND e.seq = p.seq
      WHERE p.session_id = OLD.session_id AND p.message_id = OLD.message_id AND p.seq > OLD.seq
        AND e.kind = 'message' AND e.name = 'retracted'))
BEGIN SELECT raise(ABORT, 'tape payloads go only with a retracted message or their session'); END;
"""

JOURNAL = """
CREATE TABLE journal (
  n INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, session_id TEXT NOT NULL REFERENCES sessions (id),
  run_id TEXT NOT NULL, request_id TEXT NOT NULL, call_id TEXT NOT NULL, payload TEXT NOT NULL,
  payload_sha256 TEXT NOT NULL, created_at INTEGER NOT NULL, UNIQUE (run_id, request_id, call_id, name)
) STRICT;
CREATE INDEX journal_of_session ON journal (session_id);
CREATE INDEX journal_run_starts ON journal (name, run_id) WHERE name IN ('run_started', 'run_terminal');
CREATE TRIGGER journal_append_only BEFORE INSERT ON journal
WHEN EXISTS (
  SELECT 1 FROM journal WHERE n = NEW.n OR (run_id = NEW.run_id AND request_id = NEW.request_id
    AND call_id = NEW.call_id AND name = NEW.name))
BEGIN SELECT raise(ABORT, 'a journal fact is written once'); END;
CREATE TRIGGER journal_fixed BEFORE UPDATE ON journal
BEGIN SELECT raise(ABORT, 'journal facts are never changed'); END;
CREATE TRIGGER journal_kept BEFORE DELETE ON journal
WHEN NOT EXISTS (SELECT 1 FROM tape_purge_guard WHERE session_id = OLD.session_id AND what = 'session')
BEGIN SELECT raise(ABORT, 'journal facts go only with their session'); END;
"""


def up(db: Any) -> None:
    """Create everything in an empty database."""
    for part in (SESSIONS, MESSAGES, SEARCH, INTERACTIONS, TAPE, JOURNAL):
        db.execute_sql(part)
