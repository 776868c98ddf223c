#!/usr/bin/env python3
"""Time to equal error compared with Mitsuba 3 on six scenes with media, alternately and with the same number of threads.

    pip install mitsuba==3.9.1            # llvm_ad_rgb needs Debian's libllvm19 besides
    cargo build --profile dist
    python3 benches/media.py [SCENE...] [--seconds 6] [--seeds 3] [--integrators path,photon,auto]

Both programs read the same Mitsuba scene, so geometry, coefficients, lights and filter are equal. Mitsuba renders each
scene with `volpath` and with `volpathmis`; compare with the better. The columns are those of foreign.py."""
import argparse
import os
import sys
import tempfile

import foreign

HERE = os.path.dirname(os.path.abspath(__file__))

FRAME = """<scene version="3.0.0">
<integrator type="volpath"><integer name="max_depth" value="-1"/></integrator>
<sensor type="perspective"><float name="fov" value="40"/><string name="fov_axis" value="x"/>
<transform name="to_world"><lookat origin="0, 1.5, 5" target="0, 0.6, 0" up="0, 1, 0"/></transform>
{inside}<sampler type="independent"/>
<film type="hdrfilm"><integer name="width" value="128"/><integer name="height" value="96"/>
<string name="pixel_format" value="rgb"/><rfilter type="box"/></film></sensor>
<shape type="rectangle"><transform name="to_world"><scale value="10"/><rotate x="1" angle="-90"/></transform>
<bsdf type="diffuse"><rgb name="reflectance" value="0.5"/></bsdf>{floor}</shape>
{content}
</scene>
"""
SKY = '<emitter type="constant"><rgb name="radiance" value="0.8, 0.9, 1.0"/></emitter>'


def homogeneous(sigma_t, albedo, g, attributes='name="interior"'):
    # Mitsuba accepts components up to 1.
    scale = max(sigma_t)
    triple = lambda v: ", ".join(f"{x:g}" for x in v)
    phase = f'<phase type="hg"><float name="g" value="{g}"/></phase>' if g else ""
    return (f'<medium type="homogeneous" {attributes}><rgb name="sigma_t" value="{triple([x / scale for x in sigma_t])}"/>'
            f'<rgb name="albedo" value="{triple(albedo)}"/><float name="scale" value="{scale:g}"/>{phase}</medium>')


def heterogeneous(grid, scale, albedo, box):
    low, size = box
    place = (f'<transform name="to_world"><scale x="{size[0]}" y="{size[1]}" z="{size[2]}"/>'
             f'<translate x="{low[0]}" y="{low[1]}" z="{low[2]}"/></transform>')
    return (f'<medium type="heterogeneous" name="interior"><volume type="gridvolume" name="sigma_t">'
            f'<string name="filename" value="{grid}"/><boolean name="raw" value="true"/>{place}</volume>'
            f'<rgb name="albedo" value="{albedo}"/><float name="scale" value="{scale}"/></medium>')


def cube(center, size, content, bsdf='<bsdf type="null"/>'):
    return (f'<shape type="cube"><transform name="to_world"><scale value="{size / 2}"/>'
            f'<translate x="{center[0]}" y="{center[1]}" z="{center[2]}"/></transform>{bsdf}{content}</shape>')


def lamp(center, radius, radiance, outside=""):
    return (f'<shape type="sphere"><point name="center" x="{center[0]}" y="{center[1]}" z="{center[2]}"/>'
            f'<float name="radius" value="{radius}"/><bsdf type="diffuse"><rgb name="reflectance" value="0"/></bsdf>'
            f'<emitter type="area"><rgb name="radiance" value="{radiance}"/></emitter>{outside}</shape>')


def grids(folder, np, mi):
    """Smoke: a plume of sheared waves, 96³. Cloud: six octaves of periodic noise inside a ball, 64³."""
    def lattice(n):
        axis = (np.arange(n) + 0.5) / n
        return np.meshgrid(axis, axis, axis, indexing="ij")
    z, y, x = lattice(96)
    swirl = 0.12 * np.sin(9 * y + 3 * np.sin(7 * z)) + 0.05 * np.sin(31 * y + 5 * x)
    radius = np.hypot(x - 0.5 - swirl, z - 0.5 - 0.7 * swirl) / (0.08 + 0.3 * y)
    smoke = np.clip(1 - radius, 0, 1) * (0.6 + 0.4 * np.sin(40 * x + 23 * y) * np.sin(37 * z - 11 * y))
    z, y, x = lattice(64)
    rng = np.random.default_rng(7)
    noise = np.zeros_like(x)
    for octave in range(6):
        for _ in range(6):
            wave, phase = rng.normal(size=3) * 5 * 2 ** octave, rng.uniform(0, 2 * np.pi)
            noise += 0.5 ** octave * np.sin(wave[0] * x + wave[1] * y + wave[2] * z + phase) / 3
    cloud = np.clip(1.2 - 2.6 * np.sqrt((x - .5) ** 2 + (y - .5) ** 2 + (z - .5) ** 2) + 0.5 * noise, 0, 1)
    for name, density in (("smoke", smoke), ("cloud", cloud)):
        mi.VolumeGrid(density.astype(np.float32)[..., None]).write(os.path.join(folder, f"{name}.vol"))


def scenes(folder):
    """Name -> text of the scene."""
    reference = lambda role: f'<ref id="fog" name="{role}"/>'
    lamps = [((-2, 2, 0), "60, 40, 20"), ((2, 2, 0), "20, 40, 60"), ((0, 2, -2), "20, 40, 60"), ((-1, 1, -1), "20, 40, 60"),
             ((1, 1, -1.5), "60, 30, 30"), ((0.5, 2.5, 1), "30, 60, 30")]
    in_fog = homogeneous([0.17] * 3, [0.88] * 3, 0.3, 'id="fog"')
    block = cube((0, 0.3, 0), 0.6, reference("exterior"), '<bsdf type="diffuse"><rgb name="reflectance" value="0.5"/></bsdf>')
    box = ((-0.8, 0.05, -0.8), (1.6, 1.6, 1.6))
    hull = lambda content: cube((0, 0.85, 0), 1.6, content)
    rough = '<bsdf type="roughdielectric"><float name="int_ior" value="1.4"/><float name="alpha" value="0.3"/></bsdf>'
    slats = "".join(cube((-1.6 + 0.8 * i, 3, 0), 0.55, reference("exterior"), '<bsdf type="diffuse"/>') for i in range(5))
    sun = ('<emitter type="spot"><transform name="to_world"><lookat origin="1, 6, 0" target="0, 0, 0" up="0, 0, 1"/></transform>'
           '<float name="cutoff_angle" value="30"/><rgb name="intensity" value="200"/>' + reference("medium") + "</emitter>")
    frame = lambda content: FRAME.format(inside="", floor="", content=content)
    fogged = lambda content: FRAME.format(inside=reference("medium"), floor=reference("exterior"), content=content).replace(
        "<sensor", in_fog + "<sensor", 1)
    return {
        "fog": fogged(block + "".join(lamp(p, 0.1, c, reference("exterior")) for p, c in lamps)),
        "smoke": frame(SKY + hull(heterogeneous(os.path.join(folder, "smoke.vol"), 25, "0.9, 0.9, 0.9", box))),
        "cloud": frame(SKY + hull(heterogeneous(os.path.join(folder, "cloud.vol"), 20, "0.99, 0.99, 0.99", box))),
        "milk": frame(SKY + cube((0, 0.8, 0), 1.2, homogeneous([51, 64.2, 75.7], [0.99957, 0.99925, 0.9963], 0.6))),
        "skin": frame(SKY + cube((0, 0.8, 0), 1.2, homogeneous([20, 30, 40], [0.98, 0.93, 0.88], 0.0), rough)),
        "shafts": fogged(slats + sun),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scenes", nargs="*")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--integrators", default="path,photon,auto")
    parser.add_argument("--reference", type=float, default=240, help="seconds of the reference by Kiln's path")
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "kiln-media"))
    parser.add_argument("--variant", default="llvm_ad_rgb")
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/dist/kiln"))
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args()
    import mitsuba as mi
    import numpy as np
    mi.set_variant("scalar_rgb")
    args.options, args.numpy = [], np
    args.read = lambda path: np.array(mi.Bitmap(path), np.float64)[..., :3]
    os.makedirs(args.folder, exist_ok=True)
    grids(args.folder, np, mi)
    for name, text in scenes(args.folder).items():
        if args.scenes and name not in args.scenes:
            continue
        for integrator in ("volpath", "volpathmis"):
            path = os.path.join(args.folder, f"{name}-{integrator}.xml")
            with open(path, "w") as file:
                file.write(text.replace('"volpath"', f'"{integrator}"'))
            with tempfile.TemporaryDirectory() as folder:
                foreign.measure(f"{name} {integrator}", path, args, folder)


if __name__ == "__main__":
    main()
