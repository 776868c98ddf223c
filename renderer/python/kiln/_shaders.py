"""Shader units and groups: inputs, outputs, and their values over arrays of points."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import _kiln
from ._errors import warn
from ._options import numbers
from ._picture import Picture
from ._scene import Progress, load

#: Globals with three numbers; the others have one.
_TRIPLES = ("P", "I", "N", "Ng", "dPdu", "dPdv", "dPdx", "dPdy")


@dataclass(frozen=True)
class ShaderInfo:
    """A shader that ships."""

    name: str
    category: str
    help: str


def shaders(category: str | None = None) -> dict[str, ShaderInfo]:
    """The units and groups that ship with Kiln, by name; those of a category alone, if one is named."""
    found = (ShaderInfo(**entry) for entry in json.loads(_kiln.shipped()))
    return {info.name: info for info in found if category in (None, info.category)}


@dataclass(frozen=True)
class Parameter:
    """An input or output of a unit or group."""

    #: Name.
    name: str
    #: Type: ``"float"``, ``"color"``, ``"float[4]"``, ``"closure color"`` …
    type: str
    #: Default: a number, a text, or a list of these; ``None`` if it is computed or a closure.
    default: Any = None
    #: Metadata by name: ``help``, ``min``, ``max``, ``widget`` …
    metadata: dict[str, Any] = field(default_factory=dict)
    #: The default as written, if it is computed.
    computed: str | None = None
    #: Declarations of the fields of a structure.
    fields: list[str] | None = None


class Unit:
    """A shader unit or group: a name that ships, a file (``"wood.ksl"``, ``"wood.ksl:planks"``), or source text.

    Of a file or text with several the last is taken, unless ``name`` picks one. Mistakes in the source raise
    `kiln.Error`, all of them.

    >>> unit = kiln.Unit("shader twice(float x = 1, output float y = 0) { y = 2 * x; }")
    >>> float(unit(x=3)()["y"])
    6.0
    """

    def __init__(self, source: str | os.PathLike[str], name: str | None = None, *, folders: Iterable[Any] = ()):
        source = os.fspath(source)
        is_text = "{" in source or "\n" in source
        if name is not None and not is_text:
            source = f"{source}:{name}"
        self._source, self._pick = source, name
        self._is_text = is_text
        self._native = _kiln.Unit(source, is_text, name, [os.fspath(folder) for folder in folders])
        warn(self._native.warnings())
        description = json.loads(self._native.description())
        #: Name.
        self.name: str = description["name"]
        #: ``"shader"``, ``"surface"``, ``"group"`` …
        self.kind: str = description["kind"]
        #: Metadata by name.
        self.metadata: dict[str, Any] = _metadata(description["metadata"])
        parameters = [(entry["output"], _parameter(entry)) for entry in description["parameters"]]
        #: Inputs by name.
        self.parameters: dict[str, Parameter] = {p.name: p for is_output, p in parameters if not is_output}
        #: Outputs by name.
        self.outputs: dict[str, Parameter] = {p.name: p for is_output, p in parameters if is_output}

    def instantiate(
        self, inputs: Mapping[str, Any] = {}, /, *, outputs: Iterable[str] = (), **more: Any
    ) -> Instance:
        """Compiles it with values of its inputs: ``unit.instantiate(scale=4, tint=(1, 0, 0))``.

        The other inputs keep their defaults. Of ``outputs``, if any are named, only these are computed. One number
        fills a colour or a point.
        """
        given = {**inputs, **more}
        values = [(name, numbers(value)) for name, value in given.items()]
        native = self._native.instantiate(values, [outputs] if isinstance(outputs, str) else list(outputs))
        warn(native.warnings())
        return Instance(self, native)

    __call__ = instantiate

    def __repr__(self) -> str:
        inputs = ", ".join(f"{p.type} {p.name}" for p in self.parameters.values())
        outputs = ", ".join(f"{p.type} {p.name}" for p in self.outputs.values())
        return f"<kiln.Unit {self.kind} {self.name}({inputs}) -> {outputs}>"


class Instance:
    """A unit or group as machine code, with values of its inputs. Calling it runs it over arrays of points.

    >>> ramp = kiln.Unit("shader ramp(float k = 1, output float y = 0) { y = k * u; }")(k=10)
    >>> ramp(u=[0.0, 0.5, 1.0])["y"].tolist()
    [0.0, 5.0, 10.0]
    """

    def __init__(self, unit: Unit, native: _kiln.Instance):
        #: The unit or group.
        self.unit = unit
        self._native = native
        #: Types of the outputs by name.
        self.outputs: dict[str, str] = {name: ty for name, ty, _ in native.outputs()}

    def __call__(
        self, points: Mapping[str, Any] = {}, /, *, raytype: str = "camera", threads: int = 0, **more: Any
    ) -> dict[str, np.ndarray]:
        """Values of all outputs made of numbers, as float32 arrays of the shape of the points.

        Points are given by their globals: ``u``, ``v``, ``time`` and the differentials ``dudx``, ``dudy``, ``dvdx``,
        ``dvdy`` are numbers; ``P``, ``N``, ``Ng``, ``I``, ``dPdu``, ``dPdv``, ``dPdx``, ``dPdy`` have a last axis of
        three. They are broadcast to one shape. What is not given is that of a unit square at z = 1 that faces +z:
        ``P`` is (u, v, 1). `kiln.grid` makes all of a picture.

        The result does not depend on ``threads`` (0: all processors). Closures are not numbers: see `texts_at`.
        """
        shape, arrays = _arrays({**points, **more})
        count = int(np.prod(shape, dtype=np.int64))
        values, text, reports = self._native.evaluate(count, arrays, raytype, threads)
        if text:
            sys.stdout.write(text)
        warn([("warning", report.removeprefix("warning: "), None, None, None, []) for report in reports])
        return {name: data.reshape((*shape, *own)) for name, own, data in values}

    def texts_at(
        self, points: Mapping[str, Any] = {}, /, *, raytype: str = "camera", **more: Any
    ) -> dict[str, str]:
        """Outputs at one point that are not numbers: strings, and closures as text, a component a line."""
        _, arrays = _arrays({**points, **more})
        return dict(self._native.texts(arrays, raytype))

    def closure_at(
        self, points: Mapping[str, Any] = {}, /, *, output: str | None = None, raytype: str = "camera", **more: Any
    ) -> str:
        """The closure at one point as text, as ``kiln shade`` prints it: weights, names and parameters."""
        closures = [name for name, ty in self.outputs.items() if ty == "closure color"]
        name = output or (closures[0] if closures else None)
        if name not in closures:
            raise KeyError(f"'{self.unit.name}' has no closure {output or ''}: it has {', '.join(closures) or 'none'}")
        return self.texts_at(points, raytype=raytype, **more)[name]

    def __repr__(self) -> str:
        outputs = ", ".join(f"{ty} {name}" for name, ty in self.outputs.items())
        return f"<kiln.Instance of {self.unit.name}: {outputs}>"


def grid(width: int, height: int, *, center: bool = False) -> dict[str, np.ndarray]:
    """The points of ``kiln shade -g width height``: a unit square, row by row, with its differentials.

    The outermost points lie on the border; with ``center`` all lie in the middle of cells, as the pixels of a texture.
    """
    one = np.float32(1)
    if center:
        axis = lambda n: (np.arange(n, dtype=np.float32) + np.float32(0.5)) / np.float32(n)
    else:
        axis = lambda n: (
            np.full(1, 0.5, np.float32) if n == 1 else np.arange(n, dtype=np.float32) / np.float32(n - 1)
        )
    u, v = np.meshgrid(axis(width), axis(height))
    intervals = [max(n - 1, 1) for n in (width, height)]
    steps = [one / np.float32(n) for n in ((width, height) if center else intervals)]
    return {
        "u": u,
        "v": v,
        "dudx": np.float32(steps[0]),
        "dvdy": np.float32(steps[1]),
        "dPdx": np.array([one / np.float32(intervals[0]), 0, 0], np.float32),
        "dPdy": np.array([0, one / np.float32(intervals[1]), 0], np.float32),
    }


def preview(
    shader: str | os.PathLike[str] | Unit,
    params: Mapping[str, Any] = {},
    /,
    *,
    on: str | None = None,
    show: str | None = None,
    size: tuple[int, int] | None = None,
    spp: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    denoise: bool | str = False,
    light: str | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> Picture:
    """A picture of a unit or group on a stage, as ``kiln render NAME`` shows it.

    ``kiln.preview("plastic", albedo=(1, 0, 0))``. Parameters whose names are those of arguments here stand in a
    mapping: ``kiln.preview("stripes", {"size": 4})``. Texts stand as they are: ``albedo="red"``.

    Parameters
    ----------
    on: ``"ball"``, ``"plane"``, ``"cube"``, ``"cloth"`` or a model; a ball, and a flat piece for patterns.
    show: the output to show; the surface, or the first colour.
    """
    options = dict(size=size, spp=spp, seed=seed, threads=threads, denoise=denoise, progress=progress)
    param = {**params, **more}
    if not isinstance(shader, Unit):
        return load(shader, param=param, on=on, show=show, light=light).render(**options)
    if not shader._is_text:
        return load(shader._source, param=param, on=on, show=show, light=light).render(**options)
    with tempfile.TemporaryDirectory(prefix="kiln-") as folder:
        path = Path(folder) / "source.ksl"
        path.write_text(shader._source, encoding="utf-8")
        word = f"{path}:{shader._pick}" if shader._pick else path
        return load(word, param=param, on=on, show=show, light=light).render(**options)


def _metadata(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {entry["name"]: entry["value"] for entry in entries}


def _parameter(entry: dict[str, Any]) -> Parameter:
    return Parameter(
        entry["name"],
        entry["type"],
        entry["default"],
        _metadata(entry["metadata"]),
        entry.get("computed_default"),
        entry.get("fields"),
    )


def _arrays(points: Mapping[str, Any]) -> tuple[tuple[int, ...], list[tuple[str, np.ndarray]]]:
    """The shape of the points, and each global as a flat array: of one point, or of all."""
    given = {name: np.asarray(value, dtype=np.float32) for name, value in points.items() if value is not None}
    shapes = []
    for name, array in given.items():
        if name in _TRIPLES and array.shape[-1:] != (3,):
            raise ValueError(f"'{name}' has the shape {array.shape}: its last axis is to have 3 numbers")
        shapes.append(array.shape[:-1] if name in _TRIPLES else array.shape)
    shape = np.broadcast_shapes(*shapes)
    arrays = []
    for (name, array), own in zip(given.items(), shapes):
        last = (3,) if name in _TRIPLES else ()
        if int(np.prod(own, dtype=np.int64)) != 1:
            array = np.broadcast_to(array, shape + last)
        arrays.append((name, np.ascontiguousarray(array).ravel()))
    return shape, arrays
