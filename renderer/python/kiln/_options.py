"""Arguments of Python as options of Kiln."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def text(value: Any) -> str:
    """A value as Kiln's language spells it: numbers, triples, names; a string stands as it is."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        # The shortest decimal of a float of 32 bits is that of the value that was written.
        return repr(float(value)) if isinstance(value, float) else str(value)
    if isinstance(value, (Sequence, np.ndarray)):
        return "(" + ", ".join(text(each) for each in value) + ")"
    raise TypeError(f"{value!r} is no number, no text and no tuple of these")


def numbers(value: Any) -> list[str]:
    """A value of an input number by number, or text by text."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    if isinstance(value, (bool, np.bool_)):
        return [str(int(value))]
    if isinstance(value, (Sequence, np.ndarray)):
        return [number for each in np.asarray(value, dtype=object).ravel().tolist() for number in numbers(each)]
    return [text(value)]


def pairs(value: Any) -> list[str]:
    """A mapping, or texts, as texts ``NAME=VALUE``."""
    if isinstance(value, Mapping):
        return [f"{name}={text(each)}" for name, each in value.items()]
    return [value] if isinstance(value, str) else [str(each) for each in value]


def integers(value: Any) -> tuple[int, ...] | None:
    """A tuple of integers, such as a size."""
    return None if value is None else tuple(int(each) for each in value)


def samples(value: Any) -> tuple[int, ...] | None:
    """The first sample and the end of a range."""
    if isinstance(value, range):
        if value.step != 1:
            raise ValueError(f"{value!r} leaves samples out: its step is to be 1")
        value = (value.start, value.stop)
    return integers(value)


def denoiser(value: bool | str, default: str = "high") -> str | None:
    """Name of the denoiser, or its quality; ``None`` without it."""
    return default if value is True else value or None


def texts(value: str | Sequence[str] | None) -> list[str]:
    """Texts as one list with commas."""
    return [] if value is None else [value if isinstance(value, str) else ",".join(value)]
