"""Scenes: reading, rendering, baking."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

from . import _kiln
from ._errors import Diagnostic, Error, of, warn
from ._options import denoiser, integers, pairs, samples as sample_range, text as spelled, texts
from ._picture import Picture, read

PathLike = Union[str, "os.PathLike[str]"]
#: Receives the finished fraction, from 0 to 1. If it returns ``False``, the work ends with the result so far.
Progress = Callable[[float], Any]


class Scene:
    """A scene that is read once and rendered many times. `load` and `loads` make it.

    The loaded scene is kept for the next picture until an option changes it: another seed or number of samples needs
    no loading.
    """

    def __init__(self, path: PathLike, text: str | None = None, **options: Any):
        self._path = os.fspath(path)
        self._native = _kiln.Scene(self._path, text, _scene_options(**options))
        warn(self._native.warnings(), level=4)

    @property
    def path(self) -> str:
        """The file, or the name of the shader that is shown."""
        return self._path

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its pictures, unless `render` gets another size."""
        return self._native.size()

    @property
    def cameras(self) -> list[str]:
        """Names of the cameras; the first is the default."""
        return self._native.names()[0]

    @property
    def shapes(self) -> list[str]:
        """Names of the shapes."""
        return self._native.names()[1]

    @property
    def lights(self) -> list[str]:
        """Names of the lights that are not shapes."""
        return self._native.names()[2]

    @property
    def materials(self) -> list[str]:
        """Names of the materials."""
        return self._native.names()[3]

    @property
    def warnings(self) -> list[Diagnostic]:
        """Warnings about the scene."""
        return of(self._native.warnings())

    def render(
        self,
        *,
        spp: int | None = None,
        size: tuple[int, int] | None = None,
        camera: str | None = None,
        seed: int | None = None,
        integrator: str | None = None,
        depth: int | None = None,
        samples: range | tuple[int, int] | None = None,
        noise: float | None = None,
        min_spp: int | None = None,
        quality: str | None = None,
        time: float | None = None,
        threads: int | None = None,
        denoise: bool | str = False,
        passes: Iterable[str] | Mapping[str, str] = (),
        light_groups: bool = False,
        transparent: bool = False,
        crop: tuple[int, int, int, int] | None = None,
        light: str | None = None,
        set: Mapping[str, Any] | Iterable[str] = (),
        override: Mapping[str, str] | Iterable[str] = (),
        photon_map: PathLike | None = None,
        texture_memory: str | int | None = None,
        build_quality: str | None = None,
        progress: Progress | None = None,
    ) -> Picture:
        """Renders a picture. It has the same bytes as that of ``kiln render`` with the same options.

        Parameters
        ----------
        spp: samples per pixel; the scene's own by default.
        size: width and height in pixels.
        camera: name of a camera; the first by default.
        seed: seed of all random numbers.
        integrator: ``"path"``, ``"photon"`` or ``"auto"``.
        depth: maximum number of path segments.
        samples: these samples alone, of those of ``spp``: ``range(0, 16)``.
        noise: renders until the relative error is about this; ``spp`` is then the most, ``min_spp`` the least.
        quality: ``"draft"``, ``"normal"`` or ``"high"``, instead of ``noise``.
        time: time limit [s]; the picture reached by then.
        threads: number of threads; all processors by default. The picture does not depend on it.
        denoise: ``True``, ``"fast"`` or ``"high"``: removes noise by Open Image Denoise, if that is installed.
        passes: further layers: ``["albedo", "N", "depth"]``, components such as ``"direct_diffuse"``, or names with
            expressions: ``{"rough": "roughness"}``.
        light_groups: a layer for each light.
        transparent: no environment behind the scene; the picture has alpha.
        crop: the part from (x0, y0) to (x1, y1), exclusive, in pixels.
        light: light in place of the scene's: ``"studio"``, ``"sky"``, ``"neutral"`` or an image; ``"+studio"`` adds it.
        set: changes of values: ``{"camera.main.fov": 40, "film.filter": "box"}``. Texts stand as they are: the text of
            a string has quotes of its own.
        override: other shaders for kinds of rays: ``{"camera": "clay"}``.
        photon_map: file in which the maps of ``integrator="photon"`` are kept.
        texture_memory: the most memory of textures, such as ``"2G"``.
        build_quality: of the acceleration structure: ``"low"``, ``"medium"`` or ``"high"``.
        progress: receives the finished fraction, from 0 to 1, at intervals; if it returns ``False``, the render ends
            with the samples so far.

        Ctrl-C ends the render and raises ``KeyboardInterrupt``. Python's other threads run meanwhile.
        """
        options = dict(
            spp=spp,
            size=integers(size),
            camera=camera,
            seed=seed,
            integrator=integrator,
            depth=depth,
            samples=sample_range(samples),
            noise=noise,
            min_spp=min_spp,
            quality=quality,
            time=time,
            threads=threads,
            denoise=denoiser(denoise),
            passes=pairs(passes),
            light_groups=bool(light_groups),
            transparent=bool(transparent),
            crop=integers(crop),
            light=None if light is None else spelled(light),
            set=pairs(set),
            overrides=pairs(override),
            photon_map=photon_map,
            texture_memory=None if texture_memory is None else spelled(texture_memory),
            build_quality=build_quality,
        )
        picture = Picture(self._native.render(options, progress))
        warn(picture._native.warnings())
        return picture

    def bake(self, output: PathLike | None = None, **options: Any) -> Bake:
        """Bakes the scene; see `kiln.bake`."""
        return bake(self, output, **options)

    def __repr__(self) -> str:
        width, height = self.size
        return f"<kiln.Scene '{self._path}', {width}x{height}>"


def load(
    path: PathLike,
    *,
    set: Mapping[str, Any] | Iterable[str] = (),
    light: str | None = None,
    param: Mapping[str, Any] = {},
    on: str | None = None,
    show: str | None = None,
    define: Mapping[str, Any] | Iterable[str] = (),
    include_folders: Iterable[PathLike] = (),
    strict: bool = False,
) -> Scene:
    """Reads a scene: ``.kiln``, Mitsuba's ``.xml``, or a model: ``.glb``, ``.gltf``, ``.obj``, ``.ply``, ``.stl``, or a
    pack of `kiln pack`.

    A file of shaders, or the name of a shipped shader, is put on a stage, with the parameters ``param``, ``on`` a
    ball, plane, cube, cloth or model; `kiln.preview` does that in one step.

    Parameters
    ----------
    set: changes of values, for all pictures: ``{"camera.main.fov": 40}``.
    light: light in place of the scene's own, as for `Scene.render`.
    define: parameters of a Mitsuba scene, and macros of shader sources.
    include_folders: further folders of included shader sources.
    strict: features of a Mitsuba scene that Kiln lacks are errors.

    Raises `kiln.Error` with all mistakes of the file.
    """
    return Scene(
        path,
        set=set,
        light=light,
        param=param,
        on=on,
        show=show,
        define=define,
        include_folders=include_folders,
        strict=strict,
    )


def loads(
    text: str,
    *,
    folder: PathLike = ".",
    name: str | None = None,
    set: Mapping[str, Any] | Iterable[str] = (),
    light: str | None = None,
    define: Mapping[str, Any] | Iterable[str] = (),
    include_folders: Iterable[PathLike] = (),
    strict: bool = False,
) -> Scene:
    """Reads a scene from a text, as `load` does from a file. Names of files in it are relative to ``folder``.

    ``name`` is its name in messages; its extension is the format of the text: ``scene.kiln``, or ``scene.xml`` for a
    text that begins as XML.
    """
    if name is None:
        name = "scene.xml" if text.lstrip().startswith("<") else "scene.kiln"
    options = dict(set=set, light=light, define=define, include_folders=include_folders, strict=strict)
    return Scene(Path(folder) / name, text, **options)


def _scene_options(
    set: Any = (),
    light: Any = None,
    param: Any = (),
    on: Any = None,
    show: str | None = None,
    define: Any = (),
    include_folders: Iterable[PathLike] = (),
    strict: bool = False,
) -> dict[str, Any]:
    """Options of a scene as the native half reads them."""
    return dict(
        set=pairs(set),
        light=None if light is None else spelled(light),
        param=pairs(param),
        on=None if on is None else spelled(on),
        show=show,
        define=pairs(define),
        include_folders=[os.fspath(folder) for folder in include_folders],
        strict=bool(strict),
    )


class Bake(Mapping[str, np.ndarray]):
    """A bake: a mapping from names of images, such as ``"irradiance"``, to float32 arrays (height, width, channels).

    Without a folder of one's own the files are in a temporary one, which lasts as long as this.
    """

    def __init__(self, folder: Path, stats: dict[str, Any], keeps: Any = None):
        #: The folder with all files.
        self.folder = folder
        #: Statistics, as ``kiln bake --stats`` writes them.
        self.stats = stats
        self._keeps = keeps
        #: ``bake.json``: description of the files.
        self.manifest: dict[str, Any] = json.loads((folder / "bake.json").read_text(encoding="utf-8"))
        names = [Path(file) for file in self.manifest["files"]]
        self._images = {name.stem: folder / name for name in names if name.suffix == ".exr"}
        self._arrays: dict[str, np.ndarray] = {}

    @property
    def files(self) -> list[Path]:
        """The files of the bake."""
        return [self.folder / file for file in [*self.manifest["files"], "bake.json"]]

    @property
    def probes(self) -> dict[str, Any]:
        """The probes of ``target="probes"``: ``probes.json``."""
        path = self.folder / "probes.json"
        if not path.is_file():
            raise Error("no probes were baked: ask for target='probes'")
        return json.loads(path.read_text(encoding="utf-8"))

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            if name not in self._images:
                raise KeyError(f"no image '{name}': the bake has {', '.join(self._images) or 'none'}")
            layers = read(self._images[name])
            self._arrays[name] = np.concatenate(list(layers.values()), axis=-1)
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._images)

    def __len__(self) -> int:
        return len(self._images)

    def __repr__(self) -> str:
        return f"<kiln.Bake in '{self.folder}': {', '.join(self._images) or 'no images'}>"


def bake(
    scene: Scene | PathLike,
    output: PathLike | None = None,
    *,
    target: str | None = None,
    include: str | None = None,
    lights: str | Sequence[str] | None = None,
    order: int | None = None,
    samples: int | None = None,
    resolution: int | None = None,
    texels_per_unit: float | None = None,
    max_size: int | None = None,
    pages: int | None = None,
    dilation: int | None = None,
    no_unwrap: bool = False,
    sides: str | None = None,
    denoise: bool | str = False,
    features: str | Sequence[str] | None = None,
    textures: int | None = None,
    unlit: bool = False,
    layout: str | None = None,
    viewer: bool = False,
    image_format: str | None = None,
    engine: str | None = None,
    probe_spacing: float | None = None,
    probe_points: np.ndarray | PathLike | None = None,
    keep: bool = False,
    seed: int | None = None,
    integrator: str | None = None,
    depth: int | None = None,
    threads: int | None = None,
    light: str | None = None,
    set: Mapping[str, Any] | Iterable[str] = (),
    progress: Progress | None = None,
) -> Bake:
    """Bakes the light of a scene, as ``kiln bake`` does: the same files, of the same bytes.

    Parameters
    ----------
    scene: a scene, or the file of one.
    output: folder of the files; a temporary one by default.
    target: ``"texture"``, ``"vertex"`` or ``"probes"``.
    include: ``"indirect"``, ``"direct"``, ``"both"``, or ``"none"`` for ``features`` alone.
    lights: bakes the light of these alone.
    order: of the spherical harmonics, 1 or 2.
    samples: rays of each texel, vertex or probe.
    resolution: texels along each side; or ``texels_per_unit``, with ``max_size`` and ``pages``.
    features: features of surfaces besides light: ``["albedo", "ao"]``.
    probe_points: places of probes: an array (n, 3), or a file; ``probe_spacing`` [m] makes a grid.
    engine: also writes what ``"godot"`` or ``"bevy"`` reads.

    The other arguments are the options of ``kiln bake``, which ``kiln help bake`` describes.
    """
    if not isinstance(scene, Scene):
        scene = load(scene)
    keeps = None
    if output is None:
        keeps = tempfile.TemporaryDirectory(prefix="kiln-bake-")
        output = keeps.name
    options = dict(
        target=target,
        include=include,
        lights=texts(lights),
        order=None if order is None else str(order),
        samples=samples,
        resolution=resolution,
        texels_per_unit=texels_per_unit,
        max_size=max_size,
        pages=pages,
        dilation=dilation,
        no_unwrap=bool(no_unwrap),
        sides=sides,
        denoise=denoiser(denoise, "auto"),
        features=texts(features),
        textures=textures,
        unlit=bool(unlit),
        layout=layout,
        viewer=bool(viewer),
        image_format=image_format,
        engine=engine,
        probe_spacing=probe_spacing,
        probe_points=probe_points,
        keep=bool(keep),
        seed=seed,
        integrator=integrator,
        depth=depth,
        threads=threads,
        light=None if light is None else spelled(light),
        set=pairs(set),
    )
    with tempfile.TemporaryDirectory(prefix="kiln-") as scratch:
        if isinstance(probe_points, np.ndarray):
            options["probe_points"] = Path(scratch) / "points.txt"
            points = np.asarray(probe_points, dtype=np.float32).reshape(-1, 3)
            np.savetxt(options["probe_points"], points, fmt="%.9g")
        stats, warnings = _kiln.bake(scene._native, os.fspath(output), options, progress)
    warn(warnings)
    return Bake(Path(output), json.loads(stats), keeps)
