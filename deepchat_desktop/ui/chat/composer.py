"""Where the user writes: text, pictures, what it runs with, send and stop.

Invariants: nothing typed is lost (a draft is saved at most ``SAVE_MS`` after a change and per session; a refused
text comes back); Enter during a run or while a request waits keeps the text and says why; what looks like a key
is sent only after a second, plain consent.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.ui.chat import attachments, composer_bar
from deepchat_desktop.ui.chat.attachments import AttachmentRow
from deepchat_desktop.ui.chat.composer_bar import ComposerBar
from deepchat_desktop.ui.chat.composer_edit import ComposerEdit
from deepchat_desktop.ui.chat.composer_note import ComposerNote
from deepchat_desktop.ui.chat.measures import EDGE
from deepchat_desktop.ui.paint import painting, rr, shadow
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter
    from deepchat_desktop.presenters.session import SessionPresenter

SAVE_MS = 400
_PAD = 16


class Composer(QWidget):
    """The box at the foot. ``resized`` asks the owner to fit it anew."""

    resized = Signal()

    def __init__(self, agent: "AgentRuntimePresenter", session: "SessionPresenter", parent: QWidget) -> None:
        super().__init__(parent)
        self._agent, self._session = agent, session
        self._session_id = session.current_id()
        self._running = agent.is_running()
        self._waiting = False
        self._agreed = ""
        self._sent_new = False
        self.edit = ComposerEdit(self)
        self.row = AttachmentRow(self)
        self.note = ComposerNote(self)
        self.bar = ComposerBar(agent, self)
        self._save = QTimer(self, singleShot=True, interval=SAVE_MS)
        self.setFocusProxy(self.edit)
        self._connect()
        self._restore()
        self._refresh()

    def _connect(self) -> None:
        self.edit.textChanged.connect(self._on_text)
        self.edit.submitted.connect(self.submit)
        self.edit.escaped.connect(self._on_escape)
        self.edit.focus_changed.connect(self.update)
        self.edit.image_pasted.connect(self._paste_image)
        self.edit.files_dropped.connect(self._add_files)
        self.row.changed.connect(self._on_row)
        self.note.changed.connect(self.resized)
        self.note.agreed.connect(self._send_anyway)
        self.bar.attach_asked.connect(self._pick_pictures)
        self.bar.primary_pressed.connect(self._on_primary)
        self._save.timeout.connect(self.save_now)
        self._session.current_changed.connect(self._on_session)
        self._agent.running_changed.connect(self._on_running)
        self._agent.context_changed.connect(self.bar.show_context)
        self._agent.settings_changed.connect(self.bar.refresh)
        self._agent.retrying.connect(self._on_retry)

    # Sending

    def submit(self) -> None:
        """Send, or say why not."""
        text = self.edit.toPlainText()
        if self._waiting:
            self.note.tell(self.tr("Answer the request above to go on."))
        elif self._running:
            self.note.tell(self.tr("Still answering: your text is kept. Press Stop, or wait."))
        elif text.strip() or self.row.pictures:
            if self._agent.looks_like_key(text) and self._agreed != text:
                self.note.tell(
                    self.tr("This looks like it holds an API key. The model's provider would see it."),
                    button=self.tr("Send anyway"),
                    warns=True,
                )
            else:
                self._send(text)

    def _send_anyway(self) -> None:
        self._agreed = self.edit.toPlainText()
        self.submit()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _send(self, text: str) -> None:
        pictures: list[ImageBlock] = list(self.row.pictures)
        self._agreed = ""
        self._sent_new = not self._session_id
        self._agent.send(text, pictures)  # before the field is cleared: it keeps the draft until the text is stored
        self.edit.clear()
        self.row.clear()
        self.note.dismiss()
        self.save_now()

    def take_back(self, text: str, pictures: tuple[ImageBlock, ...]) -> None:
        """Put back what could not be sent, before anything typed since."""
        for picture in pictures:
            self.row.add(picture)
        typed = self.edit.toPlainText()
        self.edit.setPlainText(f"{text}\n{typed}" if typed else text)
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)

    def tell(self, words: str) -> None:
        """Show a notice."""
        self.note.tell(words)

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
        self.note.tell(words.format(seconds=f"{wait_s:.0f}", attempt=attempt))
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
        typed_since = self.edit.toPlainText() if self._sent_new and not self._session_id else None
        if typed_since is None:
            self.save_now()
        self._session_id, self._sent_new = session_id, False
        self._running = self._agent.is_running()
        self.note.dismiss()
        if typed_since is None:
            self.row.clear()
            self._restore()
        else:
            self.save_now()
        self.bar.refresh()
        self._refresh()

    def _restore(self) -> None:
        self.edit.setPlainText(self._session.draft(self._session_id))
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)
        self._save.stop()

    def _on_text(self) -> None:
        if not self._save.isActive():
            self._save.start()
        if self.edit.toPlainText() != self._agreed:
            self.note.dismiss()
        self._refresh()
        self.resized.emit()

    # Pictures

    def _on_row(self) -> None:
        self._refresh()
        self.resized.emit()

    def _paste_image(self, image: QImage) -> None:
        try:
            self.row.add(attachments.from_image(image))
        except attachments.RefusedPicture as error:
            self.note.tell(str(error))

    def _add_files(self, paths: list[str]) -> None:
        for path in paths:
            try:
                self.row.add(attachments.from_file(path))
            except attachments.RefusedPicture as error:
                self.note.tell(str(error))

    def _pick_pictures(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Attach pictures"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(self.tr("Pictures") + " (*.png *.jpg *.jpeg *.gif *.webp)")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._add_files)
        dialog.open()

    # Looks

    def _refresh(self) -> None:
        something = bool(self.edit.toPlainText().strip() or self.row.pictures)
        stops = self._running and not self._waiting
        self.bar.show_running(stops)
        self.bar.primary.setEnabled(stops or (something and not self._waiting))
        if self._waiting:
            self.edit.setPlaceholderText(self.tr("Answer the request above to go on"))
        else:
            self.edit.setPlaceholderText(self.tr("Write a message"))

    def fit(self, width: int, limit: int) -> int:
        """Take a width and the most height, both with the shadow's edge; return the height."""
        inner = width - 2 * EDGE - 2 * _PAD
        y = EDGE + 14
        if not self.row.isHidden():
            self.row.setGeometry(EDGE + _PAD, y, inner, attachments.ROW_HEIGHT)
            y += attachments.ROW_HEIGHT + 4
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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.edit.setFocus(Qt.FocusReason.MouseFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        with painting(self) as p:
            shadow(p, box, 16, blur=10, dy=2, strength=0.75)
            rr(p, box, 16, theme.raised, theme.faint if self.edit.hasFocus() else theme.line2)
