"""Kiln, an offline path tracer with a shading language: scenes, renders, bakes and shaders as numpy arrays.

>>> import kiln
>>> scene = kiln.load("scenes/cornell_box.kiln")          # doctest: +SKIP
>>> picture = scene.render(spp=16, passes=["albedo"])     # doctest: +SKIP
>>> picture.color.shape, picture.albedo.dtype             # doctest: +SKIP
>>> picture.save("cornell.exr")                           # doctest: +SKIP

``load`` reads the scenes and models of the program ``kiln``; ``bake`` makes lightmaps; ``Unit`` runs shaders over
arrays; ``preview`` shows a material. Options have the names and meanings of those of the program: `kiln help render` and `kiln help bake`
describe them.
"""

from ._errors import Diagnostic, Error, Warning
from ._kiln import __version__
from ._picture import Picture, read, write
from ._scene import Bake, Scene, bake, load, loads
from ._shaders import Instance, Parameter, ShaderInfo, Unit, grid, preview, shaders

__all__ = [
    "Bake",
    "Diagnostic",
    "Error",
    "Instance",
    "Parameter",
    "Picture",
    "Scene",
    "ShaderInfo",
    "Unit",
    "Warning",
    "__version__",
    "bake",
    "grid",
    "load",
    "loads",
    "preview",
    "read",
    "shaders",
    "write",
]
