"""Mistakes, each with its place."""

from __future__ import annotations

import re
import warnings as _warnings
from dataclasses import dataclass, field


#: Options whose arguments have other names.
_NAMES = {"aov": "passes", "for": "engine"}


def _spoken(text: str) -> str:
    """Replaces options in messages by arguments: `--spp <N>` by `spp=`."""

    def argument(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        return f"{_NAMES.get(name, name)}="

    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)(?: <[^>]*>)?", argument, text)


@dataclass(frozen=True)
class Diagnostic:
    """A mistake or a warning."""

    #: ``"error"`` or ``"warning"``.
    severity: str
    #: Description of the problem, in one sentence.
    message: str
    #: The file, or the name of a text; ``None`` without a place.
    file: str | None = None
    #: Line and column, from 1.
    line: int | None = None
    column: int | None = None
    #: Hints for a fix.
    hints: list[str] = field(default_factory=list)

    @property
    def hint(self) -> str | None:
        """The first hint."""
        return self.hints[0] if self.hints else None

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        hints = "".join(f"\n  hint: {hint}" for hint in self.hints)
        return f"{place}{self.severity}: {self.message}{hints}"


class Error(Exception):
    """Mistakes in a scene, a shader or arguments. All of them, not the first alone.

    ``str()`` shows them as the command line does, with the line of the source; ``diagnostics`` is the list.
    """

    diagnostics: list[Diagnostic]

    def __init__(self, text: str, diagnostics: list[tuple] = ()):
        super().__init__(_spoken(text))
        self.diagnostics = of(diagnostics)


class Warning(UserWarning):
    """A warning about a scene, a shader or a picture."""


def of(tuples: list[tuple]) -> list[Diagnostic]:
    """Diagnostics of the native half."""
    return [
        Diagnostic(severity, _spoken(message), file, line, column, [_spoken(hint) for hint in hints])
        for severity, message, file, line, column, hints in tuples
    ]


def warn(tuples: list[tuple], level: int = 3) -> list[Diagnostic]:
    """Issues warnings of Python for diagnostics, and returns them."""
    found = of(tuples)
    for diagnostic in found:
        _warnings.warn(str(diagnostic), Warning, stacklevel=level)
    return found
