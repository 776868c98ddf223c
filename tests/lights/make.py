"""Pictures of Mitsuba 3 for `mitsuba.rs`: `python make.py > mitsuba.txt` (PyPI `mitsuba` 3.9.1, variant `scalar_rgb`).

Each picture has 8 x 6 pixels: a name, then a row per line, three channels a pixel. `mitsuba.rs`
contains the same scenes in Kiln's format.
"""
import mitsuba as mi
import numpy as np

mi.set_variant("scalar_rgb")
T = mi.ScalarTransform4f


def rgb(*v):
    return {"type": "rgb", "value": list(v)}


def picture(name, spp, integrator, **objects):
    scene = {
        "type": "scene",
        "integrator": integrator,
        "sensor": {
            "type": "perspective",
            "fov": 60,
            "to_world": T().look_at([0, 0, 4], [0, 0, 0], [0, 1, 0]),
            "film": {"type": "hdrfilm", "width": 8, "height": 6, "rfilter": {"type": "box"}},
            "sampler": {"type": "multijitter", "sample_count": spp},
        },
        **objects,
    }
    image = np.array(mi.render(mi.load_dict(scene)))[:, :, :3]
    print(name)
    for row in image:
        print(" ".join("%.6g" % v for v in row.reshape(-1)))


DIRECT = {"type": "path", "max_depth": 2}
WALL = {"type": "rectangle", "to_world": T().scale([4, 3, 1]), "bsdf": {"type": "diffuse", "reflectance": rgb(0.8, 0.6, 0.4)}}

picture(
    "hide_emitters", 4096, {"type": "path", "max_depth": 2, "hide_emitters": True},
    lamp={"type": "rectangle", "to_world": T().translate([-1.2, 0, 1]) @ T().scale(0.6), "emitter": {"type": "area", "radiance": rgb(3, 2, 1)}},
    ball={"type": "sphere", "center": [-1.2, 0.2, 0.1], "radius": 0.5, "emitter": {"type": "area", "radiance": rgb(1, 1, 1)}},
    wall={"type": "rectangle", "to_world": T().translate([0, 1.5, -2]) @ T().scale([4, 1.5, 1]), "bsdf": {"type": "diffuse", "reflectance": rgb(0.6, 0.6, 0.6)}},
    sky={"type": "constant", "radiance": rgb(0.25, 0.3, 0.4)},
)

# An asymmetric picture of 5 x 4 texels, in `slide.exr`, `slide.png` (sRGB) and here.
SLIDE = np.zeros((4, 5, 3), np.float32)
for y in range(4):
    for x in range(5):
        SLIDE[y, x] = [((3 * x + 5 * y) % 8) / 8, ((7 * x + 2 * y) % 8) / 16 + 0.125, x * 0.25]


def slide(**options):
    return {"type": "bitmap", "bitmap": mi.Bitmap(SLIDE), "raw": True, **options}


SIDE = T().look_at([1, 2, 3], [0.3, -0.2, 0], [0.2, 1, 0])
for name, options in {"linear": {}, "clamp": {"wrap_mode": "clamp"}, "closest": {"filter_type": "nearest"}}.items():
    picture("projector " + name, 1024, DIRECT, wall=WALL, light={"type": "projector", "irradiance": slide(**options), "fov": 45, "scale": 30.0, "to_world": SIDE})
picture("projector y", 1024, DIRECT, wall=WALL, light={"type": "projector", "irradiance": slide(), "fov": 45, "fov_axis": "y", "scale": 30.0, "to_world": SIDE})
picture("projector mirrored", 1024, DIRECT, wall=WALL, light={"type": "projector", "irradiance": slide(), "fov": 45, "scale": 30.0, "to_world": SIDE @ T().scale([-1, 1, 1])})
picture("spot", 1024, DIRECT, wall=WALL, light={"type": "spot", "intensity": rgb(40, 50, 60), "cutoff_angle": 32, "beam_width": 20, "to_world": SIDE})
picture("spot default", 1024, DIRECT, wall=WALL, light={"type": "spot", "intensity": rgb(40, 50, 60), "to_world": SIDE})
picture("spot slide", 1024, DIRECT, wall=WALL, light={"type": "spot", "texture": slide(), "intensity": rgb(40, 50, 60), "cutoff_angle": 32, "beam_width": 20, "to_world": SIDE})
picture("point", 1024, DIRECT, wall=WALL, light={"type": "point", "intensity": rgb(10, 20, 30), "position": [1, 0.5, 2]})
picture("point to_world", 1024, DIRECT, wall=WALL, light={"type": "point", "intensity": rgb(10, 20, 30), "to_world": T().rotate([0, 1, 0], 30) @ T().translate([1, 0.5, 2])})
picture("directional", 64, DIRECT, wall=WALL, light={"type": "directional", "irradiance": rgb(1, 2, 3), "direction": [0.3, -0.4, -0.8]})
picture("directional to_world", 64, DIRECT, wall=WALL, light={"type": "directional", "irradiance": rgb(1, 2, 3), "to_world": SIDE})


def environment(name, **options):
    """Twenty directions, each with its radiance."""
    emitter = mi.load_dict({"type": "envmap", **options})
    random = np.random.default_rng(3)
    print(name)
    for i in range(20):
        d = random.normal(size=3)
        # Near the poles and across the seam, too.
        d = [1e-3, 1, 2e-3] if i == 0 else [1e-3, -1, -2e-3] if i == 1 else [1e-3, d[1], -1] if i == 2 else d
        d = np.array(d) / np.linalg.norm(d)
        si = mi.SurfaceInteraction3f()
        si.wi = -mi.ScalarVector3f(*map(float, d))
        print(" ".join("%.6g" % v for v in [*d, *emitter.eval(si)]))


MAP = {"bitmap": mi.Bitmap(SLIDE)}
environment("environment", **MAP)
environment("environment scaled", scale=2.5, **MAP)
environment("environment turned", to_world=T().rotate(np.array([1, 2, -0.5]) / np.sqrt(5.25), 70), **MAP)
environment("environment looking", to_world=SIDE, **MAP)
environment("environment mirrored", to_world=T().rotate([0, 1, 0], 40) @ T().scale([-1, 1, 1]), **MAP)
environment("environment png", filename="slide.png")
