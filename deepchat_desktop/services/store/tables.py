"""The rows of the database, as queries see them; the schema itself is written by the migrations.

Invariants: no model is bound to a database: every query names its own (``.execute(db)``), so that two stores live in
one process. Every text column is a ``Text`` or ``Json``, so nothing reaches SQLite unescaped.
"""

from typing import Any

from peewee import BigIntegerField, BooleanField, CompositeKey, Model, TextField

from deepchat_desktop.services.store.text import escape, from_json, to_json, unescape


class Text(TextField):
    """Any string."""

    def db_value(self, value: str | None) -> str | None:
        return None if value is None else escape(value)

    def python_value(self, value: str | None) -> str | None:
        return None if value is None else unescape(value)


class Json(TextField):
    """Any JSON value."""

    def db_value(self, value: Any) -> str:
        return to_json(value)

    def python_value(self, value: str | None) -> Any:
        return None if value is None else from_json(value)


class Number(BigIntegerField):
    """A 64 bit integer: a time in ms since 1970, or a count."""


class Sessions(Model):
    """One row per conversation."""

    id = Text(primary_key=True)
    title = Text()
    title_by_user = BooleanField()
    status = Text()
    last_outcome = Text(null=True)
    unread = BooleanField()
    pinned = BooleanField()
    settings = Json()
    created_at = Number()
    updated_at = Number()


class Messages(Model):
    """One row per message; ``n`` is the order in which they were added, whatever the clock said."""

    n = Number(primary_key=True)
    id = Text()
    session_id = Text()
    role = Text()
    status = Text()
    outcome = Text(null=True)
    stop_reason = Text(null=True)
    usage = Json()
    parent = Text(null=True)
    variant = Number()
    run_id = Text(null=True)
    meta = Json()
    created_at = Number()
    updated_at = Number()


class BlockRows(Model):
    """One row per block of a message."""

    message_id = Text()
    position = Number()
    kind = Text()
    data = Json()

    class Meta:  # noqa: D106 - peewee's word
        table_name = "blocks"
        primary_key = CompositeKey("message_id", "position")


class MessageTexts(Model):
    """What the search reads of a message; triggers keep the trigram index beside it."""

    n = Number(primary_key=True)
    text = Text()

    class Meta:  # noqa: D106 - peewee's word
        table_name = "message_texts"


class Drafts(Model):
    """What stands in a composer; the empty session id is the new conversation."""

    session_id = Text(primary_key=True)
    text = Text()
    updated_at = Number()


class Interactions(Model):
    """One row per permission or question."""

    n = Number(primary_key=True)
    id = Text()
    session_id = Text()
    message_id = Text()
    run_id = Text()
    request_id = Text()
    call_id = Text()
    kind = Text()
    tool = Text()
    level = Text()
    target = Text()
    summary = Text()
    detail = Text()
    reason = Text()
    binding = Text()
    order = Number()
    status = Text()
    scope = Text(null=True)
    why = Text()
    created_at = Number()
    answered_at = Number(null=True)
    consumed_at = Number(null=True)


class ResumeLocks(Model):
    """Who is resuming a message; rows do not outlive the process that wrote them."""

    session_id = Text()
    message_id = Text()
    owner = Text()

    class Meta:  # noqa: D106 - peewee's word
        table_name = "resume_locks"
        primary_key = CompositeKey("session_id", "message_id")


class Attachments(Model):
    """One row per attached file; ``n`` is the order in which they were attached."""

    n = Number(primary_key=True)
    id = Text()
    session_id = Text()
    draft = BooleanField()
    name = Text()
    media_type = Text()
    created_at = Number()


class Grants(Model):
    """What the user allowed for a session."""

    n = Number(primary_key=True)
    session_id = Text()
    server = Text()
    root = Text()
    level = Text()
    created_at = Number()


class TapeEntries(Model):
    """The hash chain of a session; never updated."""

    session_id = Text()
    seq = Number()
    kind = Text()
    name = Text()
    source = Text()
    provenance = Text()
    payload_sha256 = Text()
    prev_hash = Text()
    hash = Text()
    created_at = Number()

    class Meta:  # noqa: D106 - peewee's word
        table_name = "tape_entries"
        primary_key = CompositeKey("session_id", "seq")


class TapePayloads(Model):
    """What an entry says, apart from it, so that it can be removed and the chain still verifies."""

    session_id = Text()
    seq = Number()
    message_id = Text(null=True)
    payload = Json()

    class Meta:  # noqa: D106 - peewee's word
        table_name = "tape_payloads"
        primary_key = CompositeKey("session_id", "seq")


class TapePurgeGuard(Model):
    """The row that opens deletion for one session, within one transaction."""

    session_id = Text(primary_key=True)
    what = Text()

    class Meta:  # noqa: D106 - peewee's word
        table_name = "tape_purge_guard"


class Journal(Model):
    """The execution journal; never updated."""

    n = Number(primary_key=True)
    name = Text()
    session_id = Text()
    run_id = Text()
    request_id = Text()
    call_id = Text()
    payload = Json()
    payload_sha256 = Text()
    created_at = Number()
