"""Where the user writes: text, attachments, what it runs with, send and stop.

Invariants: nothing typed is lost (a draft is saved at most ``SAVE_MS`` after a change and per session; a refused
text comes back); Enter during a run or while a request waits keeps the text and says why; what looks like a key
is sent only after a second, plain consent; what was sent is not brought back by undo.
"""

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QMoveEvent, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QFileDialog, QWidget

from deepchat_desktop.domain.attachments import Attached
from deepchat_desktop.domain.blocks import FileBlock
from deepchat_desktop.domain.hidden_text import without_hidden
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.presenters.completion import Suggestion
from deepchat_desktop.ui.chat import composer_bar
from deepchat_desktop.ui.chat.attachments import AttachmentRow, png_of
from deepchat_desktop.ui.chat.composer_bar import ComposerBar
from deepchat_desktop.ui.chat.composer_commands import Command, Commands
from deepchat_desktop.ui.chat.composer_completion import ComposerCompletion
from deepchat_desktop.ui.chat.composer_edit import ComposerEdit
from deepchat_desktop.ui.chat.composer_note import ComposerNote
from deepchat_desktop.ui.chat.drop_target import DropTarget
from deepchat_desktop.ui.chat.measures import EDGE
from deepchat_desktop.ui.paint import painting, rr, shadow
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter
    from deepchat_desktop.presenters.session import SessionPresenter

SAVE_MS = 400
_PAD = 16


class Composer(QWidget):
    """The box at the foot of ``parent``. ``resized`` asks the owner to fit it anew."""

    resized = Signal()
    settings_asked = Signal()
    find_asked = Signal()

    def __init__(self, agent: "AgentRuntimePresenter", session: "SessionPresenter", parent: QWidget) -> None:
        super().__init__(parent)
        self._agent, self._session = agent, session
        self._attachments = session.attachments
        self._session_id = session.current_id()
        self._running = agent.is_running()
        self._waiting = False
        self._agreed: tuple[str, list[str]] | None = None
        """The text and the attachments that the user agreed to send in spite of a doubt."""
        self._sent_new = False
        self.edit = ComposerEdit(self)
        self.row = AttachmentRow(self)
        self.note = ComposerNote(self)
        self.bar = ComposerBar(agent, self)
        self.commands = Commands()
        self.commands.add_source(self._own_commands)
        self.completion = ComposerCompletion(self.edit, self, parent, agent.completion, self.commands)
        self.drop = DropTarget(parent)
        self._save = QTimer(self, singleShot=True, interval=SAVE_MS)
        self.setFocusProxy(self.edit)
        self._connect()
        self._connect_attachments()
        self._restore()
        self._show_attached(self._session_id)
        self._refresh()

    def _connect(self) -> None:
        self.edit.take_key = self.completion.take
        self.edit.take_tab = self.completion.take_tab
        self.edit.textChanged.connect(self._on_text)
        self.edit.submitted.connect(self.submit)
        self.edit.escaped.connect(self._on_escape)
        self.edit.last_wanted.connect(self.bring_last)
        self.edit.focus_changed.connect(self.update)
        self.note.changed.connect(self.resized)
        self.note.agreed.connect(self._send_anyway)
        self.bar.primary_pressed.connect(self._on_primary)
        self._save.timeout.connect(self.save_now)
        self._session.current_changed.connect(self._on_session)
        self._agent.running_changed.connect(self._on_running)
        self._agent.context_changed.connect(self.bar.show_context)
        self._agent.settings_changed.connect(self.bar.refresh)
        self._agent.retrying.connect(self._on_retry)
        self._agent.turn_waiting.connect(self._on_turn_waiting)

    def _connect_attachments(self) -> None:
        self.edit.image_pasted.connect(self._paste_image)
        self.edit.files_pasted.connect(self._add_files)
        self.edit.large_pasted.connect(self._paste_large)
        self.drop.dropped.connect(self._on_drop)
        self.row.changed.connect(self._on_row)
        self.row.removed.connect(self._remove)
        self.bar.attach_asked.connect(self._pick_files)
        self.completion.mentioned.connect(self._on_mention)
        self._attachments.changed.connect(self._show_attached)
        self._attachments.refused.connect(self._on_refused)

    # Sending

    def submit(self) -> None:
        """Send, or say why not."""
        if self._waiting:
            self.note.tell(self.tr("Answer the request above to go on."))
        elif self._running:
            self.note.tell(self.tr("Still answering: your text is kept. Press Stop, or wait."))
        elif not self._attachments.is_complete(self._session_id):
            self.note.tell(self.tr("Still reading what you attached. Press Enter again in a moment."))
        elif self.row.attached or not self.edit.is_blank():
            text = self.edit.toPlainText()
            doubt = self._doubt(text) if self._agreed != (text, self._keys()) else ""
            if doubt:
                self.note.tell(doubt, button=self.tr("Send anyway"), warns=True)
            else:
                self._send(text)

    def _doubt(self, text: str) -> str:
        """Return what the user should know before sending, if anything."""
        if self._agent.looks_like_key(text):
            return self.tr("This looks like it holds an API key. The model's provider would see it.")
        for one in self.row.attached:
            if isinstance(one.block, FileBlock) and self._agent.looks_like_key(one.block.text):
                name = visible_exact(one.block.name, multiline=False)
                words = self.tr("“{name}” looks like it holds an API key. The model's provider would see it.")
                return words.format(name=name)
        hidden = without_hidden(text)[1]
        words = self.tr("This text holds {count} invisible characters that the model would see.")
        return words.format(count=hidden) if hidden else ""

    def _send_anyway(self) -> None:
        self._agreed = (self.edit.toPlainText(), self._keys())
        self.submit()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _keys(self) -> list[str]:
        return [one.id for one in self.row.attached]

    def _send(self, text: str) -> None:
        self._agreed = None
        self._sent_new = not self._session_id
        attached = self._attachments.take(self._session_id)
        self._agent.send(text, attached)  # before the field is cleared: it keeps the draft until the text is stored
        self.edit.clear()
        self.note.dismiss()
        self.save_now()

    def take_back(self, text: str, attached: tuple[Attached, ...]) -> None:
        """Put back what could not be sent, before anything typed since."""
        self._attachments.give_back(self._session_id, attached)
        start = QTextCursor(self.edit.document())
        start.insertText(text if self.edit.document().isEmpty() or not text else f"{text}\n")
        self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def tell(self, words: str) -> None:
        """Show a notice."""
        self.note.tell(words)

    def type(self, event: QKeyEvent) -> None:
        """Take a key that was pressed elsewhere in the conversation, and the focus with it."""
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edit.keyPressEvent(event)

    def set_waiting(self, waiting: bool) -> None:
        """Tell whether a request waits for the user above."""
        self._waiting = waiting
        self._refresh()

    def _on_primary(self) -> None:
        if self._running and not self._waiting:
            self._agent.stop()
        else:
            self.submit()

    def _on_escape(self) -> None:
        if self._running:
            self._agent.stop()
        else:
            self.note.dismiss()

    def _on_running(self, running: bool) -> None:
        self._running = running
        self.note.dismiss()
        self._refresh()

    def _on_retry(self, attempt: int, wait_s: float) -> None:
        words = self.tr("The server did not answer. Trying again in {seconds} s (attempt {attempt}).")
        self._tell_while(words.format(seconds=f"{wait_s:.0f}", attempt=attempt), wait_s)

    def _on_turn_waiting(self, wait_s: float) -> None:
        words = self.tr("Waiting {seconds} s: your limit for this provider allows the next request then.")
        self._tell_while(words.format(seconds=f"{wait_s:.0f}"), wait_s)

    def _tell_while(self, words: str, wait_s: float) -> None:
        self.note.tell(words)
        told = self.note.words()
        QTimer.singleShot(round(wait_s * 1000) + 500, self, lambda: self._let_go(told))

    def _let_go(self, words: str) -> None:
        """Take back a notice whose time is over, unless another stands there."""
        if self.note.words() == words:
            self.note.dismiss()

    # Drafts

    def save_now(self) -> None:
        """Save the draft."""
        self._save.stop()
        self._session.save_draft(self._session_id, self.edit.toPlainText())

    def _on_session(self, session_id: str) -> None:
        became = self._sent_new and not self._session_id  # what was typed since belongs to the session it became
        if not became:
            self.save_now()
        elif session_id:
            self._attachments.move("", session_id)
        self._session_id, self._sent_new = session_id, False
        self._running = self._agent.is_running()
        self.note.dismiss()
        if became:
            self.save_now()
        else:
            self._restore()
        self._show_attached(session_id)
        self.bar.refresh()
        self._refresh()

    def _restore(self) -> None:
        self.edit.setPlainText(self._session.draft(self._session_id))
        self.edit.moveCursor(QTextCursor.MoveOperation.End)
        self._save.stop()

    def _on_text(self) -> None:
        if not self._save.isActive():
            self._save.start()
        self.note.dismiss()
        self._refresh()
        self.resized.emit()

    def bring_last(self) -> None:
        """Put the message that was sent last into the empty field, to be sent anew."""
        blocks = self._session.last_sent()
        if text := "".join(block.text for block in blocks if block.kind == "text"):
            self.edit.replace_all(text)
            left = any(block.kind != "text" for block in blocks)
            self.note.tell(
                self.tr("Your last message, to send as a new one. What was attached to it is not in it.")
                if left
                else self.tr("Your last message, to send as a new one: the first stays as it is.")
            )

    # Attachments

    def _show_attached(self, session_id: str) -> None:
        if session_id == self._session_id:
            reading = self._attachments.is_reading(session_id)
            self.row.show_attached(self._attachments.of(session_id), reading=reading)

    def _on_refused(self, session_id: str, words: str) -> None:
        if session_id == self._session_id:
            self.note.tell(words)

    def _remove(self, key: str) -> None:
        self._attachments.remove(self._session_id, key)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_row(self) -> None:
        buttons = [self.row.chips[one.id].close_button for one in self.row.attached]
        for before, after in pairwise((self.edit, *buttons, self.bar.attach)):
            QWidget.setTabOrder(before, after)
        self._refresh()
        self.resized.emit()

    def _paste_image(self, image: QImage) -> None:
        self._attachments.add_picture(self._session_id, partial(png_of, image), self.tr("Pasted picture"))

    def _paste_large(self, text: str) -> None:
        self._attachments.add_text(self._session_id, text, self.tr("Pasted text") + ".txt")

    def _add_files(self, paths: list[str]) -> None:
        self._attachments.add_files(self._session_id, paths)

    def _on_drop(self, mime: QMimeData) -> None:
        self.edit.insertFromMimeData(mime)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_mention(self, suggestion: Suggestion) -> None:
        match suggestion.kind:
            case "file":
                self._add_files([suggestion.key])
            case "session":
                self._attachments.add_session(self._session_id, suggestion.key, suggestion.label)

    def _pick_files(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Attach pictures and text files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        pictures = self.tr("Pictures") + " (*.png *.jpg *.jpeg *.gif *.webp)"
        dialog.setNameFilters([self.tr("All files") + " (*)", pictures])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._add_files)
        dialog.open()

    # Commands

    def _own_commands(self) -> list[Command]:
        offered = [
            Command("new", self.tr("Begin a new session"), self._session.new_session, "note-pencil"),
            Command("model", self.tr("Choose the model"), self.bar.open_models, "sparkle"),
            Command("mode", self.tr("Choose the permission mode"), self.bar.open_modes, "shield-check"),
            Command("folder", self.tr("Choose the workspace folder"), self.bar.pick_workspace, "folder-simple"),
            Command("attach", self.tr("Attach pictures and text files"), self._pick_files, "paperclip"),
            Command("clear", self.tr("Clear what is written here"), self._clear, "x"),
            Command("settings", self.tr("Open the settings"), self.settings_asked.emit, "gear-six"),
        ]
        if self._session.last_sent():
            find = Command("find", self.tr("Find in this session"), self.find_asked.emit, "magnifying-glass")
            retry = Command(
                "retry", self.tr("Answer the last message again"), self._agent.retry_last, "arrow-counter-clockwise"
            )
            offered += [find] if self._running or self._waiting else [find, retry]
        return offered

    def _clear(self) -> None:
        """Empty the field; undo brings the text back."""
        self.edit.replace_all("")

    # Looks

    def _refresh(self) -> None:
        something = bool(self.row.attached) or not self.edit.is_blank()
        stops = self._running and not self._waiting
        self.bar.show_running(stops)
        self.bar.primary.setEnabled(stops or (something and not self._waiting))
        if self._waiting:
            self.edit.setPlaceholderText(self.tr("Answer the request above to go on"))
        else:
            self.edit.setPlaceholderText(self.tr("Write a message, @ for files, / for commands"))

    def fit(self, width: int, limit: int) -> int:
        """Take a width and the most height, both with the shadow's edge; return the height."""
        inner = width - 2 * EDGE - 2 * _PAD
        y = EDGE + 14
        if not self.row.isHidden():
            high = self.row.fit(inner)
            self.row.setGeometry(EDGE + _PAD, y, inner, high)
            y += high + 4
        if not self.note.isHidden():
            high = self.note.fit(inner + 8)
            self.note.move(EDGE + _PAD - 4, y - 2)
            y += high + 8
        foot = 10 + composer_bar.HEIGHT + 10 + EDGE
        self.edit.setGeometry(EDGE + _PAD, y, inner, self.edit.height())
        high = self.edit.wanted_height(max(40, limit - y - foot), 1 if self._waiting else 2)
        self.edit.setGeometry(EDGE + _PAD, y, inner, high)
        y += high + 10
        self.bar.setGeometry(EDGE + _PAD - 6, y, inner + 14, composer_bar.HEIGHT)
        y += composer_bar.HEIGHT + 10 + EDGE
        self.resize(width, y)
        return y

    def moveEvent(self, event: QMoveEvent) -> None:
        self.completion.place()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.edit.setFocus(Qt.FocusReason.MouseFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        with painting(self) as p:
            shadow(p, box, 16, blur=10, dy=2, strength=0.75)
            rr(p, box, 16, theme.raised, theme.faint if self.edit.hasFocus() else theme.line2)
