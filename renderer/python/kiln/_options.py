"""Arguments of Python as options of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
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


def _pairs(flag: str, value: Any, spell=text) -> Iterable[str]:
    """A flag that takes NAME=VALUE, once for each item."""
    if isinstance(value, Mapping):
        return [f"{flag}={name}={spell(each)}" for name, each in value.items()]
    if isinstance(value, str):
        value = [value]
    return [f"{flag}={each}" for each in value]


def _samples(value: Any) -> str:
    if isinstance(value, range):
        if value.step != 1:
            raise ValueError(f"{value!r} leaves samples out: its step is to be 1")
        value = (value.start, value.stop)
    first, end = value
    return f"{int(first)}..{int(end)}"


def _list(value: Any) -> str:
    return value if isinstance(value, str) else ",".join(value)


def _size(value: Any) -> str:
    width, height = value
    return f"{int(width)}x{int(height)}"


#: Options whose value is not simply a text: the words for it.
_SPECIAL = {
    "set": lambda value: _pairs("--set", value),
    "param": lambda value: _pairs("--param", value),
    "define": lambda value: _pairs("--define", value),
    "override": lambda value: _pairs("--override", value),
    "passes": lambda value: _pairs("--aov", value),
    "include_folders": lambda value: [f"-I{os.fspath(folder)}" for folder in value],
    "size": lambda value: [f"--size={_size(value)}"],
    "crop": lambda value: ["--crop=" + ",".join(str(int(each)) for each in value)],
    "samples_range": lambda value: [f"--samples={_samples(value)}"],
    "light_groups": lambda value: ["--light-groups=each"] if value else [],
    "time": lambda value: [f"--time={float(value)!r}s"],
    "lights": lambda value: [f"--lights={_list(value)}"],
    "features": lambda value: [f"--aov={_list(value)}"],
    "engine": lambda value: [f"--for={value}"],
    "denoise": lambda value: ["--denoise"] if value is True else [f"--denoise={value}"],
}


def words(**options: Any) -> list[str]:
    """Options as words of the command line; what is ``None`` or ``False`` is left out."""
    found: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        if name in _SPECIAL:
            found += _SPECIAL[name](value)
        elif value is True:
            found.append("--" + name.replace("_", "-"))
        else:
            found.append("--" + name.replace("_", "-") + "=" + text(value))
    return found
