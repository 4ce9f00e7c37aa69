"""The database: sessions, messages, the tape, the journal, what waits for the user. Rows never leave this folder."""

from deepchat_desktop.services.store.search import SearchHit
from deepchat_desktop.services.store.store import Store
from deepchat_desktop.services.store.stored import BYTES_PER_TOKEN, Size, StoredMessage, StoredMessages
from deepchat_desktop.services.store.transaction import Tx

__all__ = ["BYTES_PER_TOKEN", "SearchHit", "Size", "Store", "StoredMessage", "StoredMessages", "Tx"]
