"""What only the editor can answer a tool: windows, language servers, functions of the user's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class ToolAnswers(Protocol):
    """Answers questions of tools; some take as long as a language server does."""

    async def ask(self, question: str, arguments: Mapping[str, Any]) -> Any:
        """Return plain data, as `lua/acp/tools/` has it for that question.

        Whoever is cancelled asks no more, and the language server is told. Raises `EditorError`.
        """

    def answered(self, number: int, error: str | None, result: Any) -> None:
        """Take the answer to the question of that number."""
