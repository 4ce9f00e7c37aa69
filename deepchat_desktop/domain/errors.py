"""Every failure of the product on one screen.

DeepChatError                    code, params, retryable, user_message
├── ProviderError                code is one of ``ProviderErrorKind``
├── StoreError
│   ├── StoreBusy                another instance writes to this data folder
│   ├── StoreNewer               the schema is newer than this program
│   ├── StoreCorrupt             the file is damaged; it is kept as it is
│   ├── StoreFull                no space left
│   ├── StoreReadOnly            the folder or file cannot be written
│   └── NotFound                 no such session, message, interaction
├── TapeCorrupt                  the chain of a tape does not verify, or one operation has two payloads
├── Refused                      the request makes no sense in the present state (code says which)
├── ToolError                    a tool failed; the text is shown to the model
├── SecretsError                 the keychain refused, is locked or absent
├── LocalModelError              the embedded model cannot be fetched, started or reached
└── ConfigError                  settings or arguments that cannot be used

``code`` and ``params`` are for presenters, which put them into the user's language; ``user_message`` is the
English sentence for the command line and for logs, and always says what to do. No key, header or response
body goes into ``params``.
"""

from collections.abc import Mapping
from typing import Literal, get_args

Param = str | int | float | bool | None

ProviderErrorKind = Literal[
    "auth",
    "quota",
    "rate_limit",
    "overloaded",
    "server",
    "bad_request",
    "model_not_found",
    "context_overflow",
    "content_filter",
    "refusal",
    "malformed_tool_call",
    "truncated_stream",
    "timeout",
    "network",
    "unsupported_feature",
]
PROVIDER_ERROR_KINDS: tuple[str, ...] = get_args(ProviderErrorKind)


class DeepChatError(Exception):
    """A failure with a stable code. Programs match on the class and the code, never on the text."""

    code = "error"
    retryable = False

    def __init__(
        self,
        user_message: str,
        *,
        code: str | None = None,
        params: Mapping[str, Param] | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(user_message)
        self.user_message = user_message
        self.params: dict[str, Param] = dict(params or {})
        if code is not None:
            self.code = code
        if retryable is not None:
            self.retryable = retryable


class ProviderError(DeepChatError):
    """A model server refused, failed or could not be reached; ``code`` is a ``ProviderErrorKind``."""

    code = "server"


class StoreError(DeepChatError):
    """The data folder or its database cannot be used."""

    code = "store"


class StoreBusy(StoreError):
    """Another instance holds the write lock."""

    code = "store_busy"


class StoreNewer(StoreError):
    """The database was written by a newer version."""

    code = "store_newer"


class StoreCorrupt(StoreError):
    """The database is damaged. It is never overwritten."""

    code = "store_corrupt"


class StoreFull(StoreError):
    """The disk is full."""

    code = "store_full"
    retryable = True


class StoreReadOnly(StoreError):
    """The folder or the file may not be written."""

    code = "store_read_only"


class NotFound(StoreError):
    """There is no such row."""

    code = "not_found"


class TapeCorrupt(DeepChatError):
    """The record contradicts itself; nothing is written on top of it."""

    code = "tape_corrupt"


class Refused(DeepChatError):
    """The request is not possible in the present state."""

    code = "refused"


class ToolError(DeepChatError):
    """A tool call failed; the message is the result the model sees."""

    code = "tool"


class SecretsError(DeepChatError):
    """The keychain could not be used."""

    code = "secrets"


class LocalModelError(DeepChatError):
    """The embedded model could not be fetched, started or reached."""

    code = "local_model"


class ConfigError(DeepChatError):
    """Settings or arguments that cannot be used."""

    code = "config"
