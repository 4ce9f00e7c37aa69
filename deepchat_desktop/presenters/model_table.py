"""The models of one provider as a table: a row for each that the filter lets through, cells as words for everybody.

Invariants: a thousand rows are set in one reset; a change that leaves the same rows in place keeps them, so the row
under the keyboard stays; nothing is cut, asked or computed while a view paints.
"""

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from deepchat_desktop.domain.catalogue import CatalogueModel, Fact

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class Column(IntEnum):
    """The columns."""

    MODEL = 0
    CONTEXT = 1
    VISION = 2
    TOOLS = 3
    REASONING = 4
    ON = 5


FACT_OF: dict[int, Fact] = {
    Column.CONTEXT: "context",
    Column.VISION: "vision",
    Column.TOOLS: "tools",
    Column.REASONING: "reasoning",
}
MODEL_ROLE = Qt.ItemDataRole.UserRole + 1
"""Gives the row's ``CatalogueModel``."""


class ModelTableModel(QAbstractTableModel):
    """The rows; ``set_models`` and ``set_filter`` are its only way to change."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models: tuple[CatalogueModel, ...] = ()
        self._shown: list[CatalogueModel] = []
        self._filter = ""
        self._default = ""

    def set_models(self, models: Sequence[CatalogueModel], default: str = "") -> None:
        """Show these models; ``default`` is the id of the one that new sessions get, if it is among them."""
        self._models, self._default = tuple(models), default
        self._apply()

    def set_filter(self, text: str) -> None:
        """Show only models whose name or id has every one of these words in it."""
        self._filter = text
        self._apply()

    def shown(self) -> list[CatalogueModel]:
        """Return the rows."""
        return list(self._shown)

    def is_default(self, model_id: str) -> bool:
        """Tell whether new sessions get this model."""
        return bool(model_id) and model_id == self._default

    def _apply(self) -> None:
        words = self._filter.casefold().split()
        wanted = [each for each in self._models if all(word in f"{each.name}\n{each.id}".casefold() for word in words)]
        if [each.id for each in wanted] == [each.id for each in self._shown]:
            self._shown = wanted
            if wanted:
                self.dataChanged.emit(self.index(0, 0), self.index(len(wanted) - 1, Column.ON))
            return
        self.beginResetModel()
        self._shown = wanted
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._heads()[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        model = self._shown[index.row()]
        if role == MODEL_ROLE:
            return model
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(model, index.column())
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return self._spoken(model, index.column())
        return None

    def _heads(self) -> tuple[str, ...]:
        return (
            self.tr("Model"), self.tr("Context"), self.tr("Vision"), self.tr("Tools"), self.tr("Reasoning"),
            self.tr("On"),
        )  # fmt: skip

    def _words(self, model: CatalogueModel, column: int) -> str:
        match column:
            case Column.MODEL:
                return model.name if model.name == model.id else f"{model.name}  {model.id}"
            case Column.CONTEXT:
                return tokens(model.capabilities.context)
            case Column.ON:
                return self.tr("on") if model.on else self.tr("off")
            case _:
                value = getattr(model.capabilities, FACT_OF[column])
                return self.tr("unknown") if value is None else self.tr("yes") if value else self.tr("no")

    def _spoken(self, model: CatalogueModel, column: int) -> str:
        parts = [self._words(model, column) or self.tr("unknown")]
        if column == Column.MODEL:
            parts += [self.tr("answers in new sessions")] if self.is_default(model.id) else []
            parts += [self.tr("added by hand")] if model.added else []
            return ", ".join(parts)
        source = model.sources.get(FACT_OF[column]) if column in FACT_OF else None
        told = {
            "user": self.tr("your own word"),
            "list": self.tr("told by the provider"),
            "family": self.tr("documented for this family"),
        }
        parts += [told[source]] if source else []
        return f"{self._heads()[column]}: {', '.join(parts)}"


def tokens(count: int | None) -> str:
    """Return a number of tokens as a table shows it: 200K, 1.05M; "" where it is unknown."""
    if count is None:
        return ""
    if count >= 999_500:
        return f"{count / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    if count % 1024 == 0 and count % 1000:
        return f"{count // 1024}K"
    return f"{round(count / 1000)}K" if count >= 10_000 else f"{count / 1000:.1f}K" if count >= 1000 else str(count)
