"""What of a session is read for an answer: from its end, page by page, only as much as can matter.

Invariants: a session of thousands of messages costs an answer no more than what fits into the window; what is left
unread would not have been sent, since the turns that were read fill the window already.
"""

from deepchat_desktop.domain.budget import estimate_message
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.turns import turns_of
from deepchat_desktop.services.store import Tx

PAGE = 100


def last_turn(tx: Tx, session_id: str) -> list[Message]:
    """Return a session's last messages, oldest first: the user's last one, all after it, and some before."""
    read: list[Message] = []
    while page := tx.messages.before(session_id, read[0].id if read else None, PAGE):
        read = page + read
        if any(message.role == "user" for message in page):
            break
    return read


def history(tx: Tx, answer: Message, window: int) -> list[Message]:
    """Return what stands before the answer that is being written, oldest first, up to the user's last message.

    That is all of it, or at least so many whole turns that they are more than ``window`` tokens.
    """
    read = last_turn(tx, answer.session_id)
    oldest = read[0].id if read else None
    last = max((i for i, message in enumerate(read) if message.role == "user"), default=-1)
    read = read[: last + 1]
    tokens = _tokens(read)
    while tokens <= window and (page := tx.messages.before(answer.session_id, oldest, PAGE)):
        oldest = page[0].id
        read = page + read
        tokens += _tokens(page)
    return read


def _tokens(messages: list[Message]) -> int:
    """Estimate the turns that begin among some messages; an answer to an earlier one does not count."""
    return sum(estimate_message(prompt) for turn in turns_of(messages) for prompt in turn.messages)
