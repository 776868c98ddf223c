"""Pictures and image files as numpy arrays."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _kiln
from ._errors import Diagnostic, of, warn


class Picture(Mapping[str, np.ndarray]):
    """A rendered picture: a mapping from names of layers to float32 arrays of shape (height, width, channels).

    Row 0 is the top. ``color`` is linear Rec.709 radiance, RGB, or RGBA with premultiplied alpha; the other layers are
    the passes that were asked for, such as ``albedo``, ``N`` and ``depth``. Layers are attributes, too:
    ``picture.albedo`` is ``picture["albedo"]``.
    """

    def __init__(self, native: _kiln.Picture):
        self._native = native
        self._names = native.layers
        self._arrays: dict[str, tuple[list[str], np.ndarray]] = {}

    def _layer(self, name: str) -> tuple[list[str], np.ndarray]:
        if name not in self._arrays:
            found = self._native.layer(name)
            if found is None:
                known = ", ".join(self._names)
                raise KeyError(f"no layer '{name}': the picture has {known}. Ask for it: render(passes=['{name}'])")
            channels, data = found
            width, height = self.size
            self._arrays[name] = channels, data.reshape(height, width, len(channels))
        return self._arrays[name]

    def __getitem__(self, name: str) -> np.ndarray:
        return self._layer(name)[1]

    def __getattr__(self, name: str) -> np.ndarray:
        if not name.startswith("_") and name in self._names:
            return self[name]
        raise AttributeError(f"the picture has no layer '{name}': it has {', '.join(self._names)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names]

    @property
    def color(self) -> np.ndarray:
        """The picture itself: linear Rec.709 radiance, RGB or RGBA."""
        return self["color"]

    @property
    def layers(self) -> list[str]:
        """Names of the layers, ``color`` first."""
        return list(self._names)

    def channels(self, layer: str) -> list[str]:
        """Names of the channels of a layer, such as ``["R", "G", "B"]``."""
        return list(self._layer(layer)[0])

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._native.size

    @property
    def samples(self) -> str:
        """The samples per pixel that the picture has, such as ``0..64``."""
        return self._native.samples

    @property
    def denoised(self) -> bool:
        """True if it was denoised."""
        return self._native.denoised

    @property
    def stats(self) -> dict[str, Any]:
        """Statistics, as ``kiln render --stats`` writes them: times, rays, warnings."""
        return json.loads(self._native.statistics)

    @property
    def warnings(self) -> list[Diagnostic]:
        """Warnings about the scene and the picture."""
        return of(self._native.warnings())

    def save(self, path: str | os.PathLike[str], *, exposure: float = 0.0, tone_map: str = "none") -> Picture:
        """Writes the picture: the same bytes as ``kiln render -o path``.

        ``.exr`` has all layers and what the picture is made of; ``.png``, ``.jpg``, ``.tif`` and ``.hdr`` have
        ``color``. ``exposure`` [stops] and ``tone_map`` (``"none"``, ``"aces"`` …) are for 8-bit files. ``.part`` has
        the exact sums of a picture that was rendered with ``samples=``, for ``kiln merge``.
        """
        warn(self._native.save(os.fspath(path), exposure, tone_map))
        return self

    def _repr_png_(self) -> bytes:
        """The picture in a notebook."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            self._native.save(os.fspath(path), 0.0, "none")
            return path.read_bytes()

    def __repr__(self) -> str:
        width, height = self.size
        return f"<kiln.Picture {width}x{height}, samples {self.samples}: {', '.join(self._names)}>"


def read(path: str | os.PathLike[str], *, raw: bool = False) -> dict[str, np.ndarray]:
    """Reads an image file: its layers as float32 arrays of shape (height, width, channels), ``color`` for RGB(A).

    Colours of files with the sRGB transfer, such as PNG, are made linear, unless ``raw``, as for normal maps.
    """
    width, height, planes = _kiln.read_channels(os.fspath(path), raw)
    layers: dict[str, dict[str, np.ndarray]] = {}
    for name, plane in planes:
        layer, _, channel = name.rpartition(".")
        layers.setdefault(layer or "color", {})[channel] = plane.reshape(height, width)
    return {layer: np.stack(_ordered(channels), axis=-1) for layer, channels in layers.items()}


def _ordered(channels: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Channels in the order of colours and axes; files have them by the alphabet."""
    order = ["R", "G", "B", "A", "X", "Y", "Z"]
    if set(channels) <= set(order):
        return [channels[name] for name in order if name in channels]
    return list(channels.values())


def write(path: str | os.PathLike[str], pixels: np.ndarray) -> None:
    """Writes an array of shape (height, width) or (height, width, channels) as an image file.

    The numbers are linear; 8-bit formats get the sRGB transfer.
    """
    pixels = np.asarray(pixels, dtype=np.float32)
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    if pixels.ndim != 3:
        raise ValueError(f"an image has the shape (height, width, channels), not {pixels.shape}")
    _, width, channels = pixels.shape
    flat = np.ascontiguousarray(pixels).ravel()
    _kiln.write_picture(os.fspath(path), flat, width, channels)
