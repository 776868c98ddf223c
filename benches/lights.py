#!/usr/bin/env python3
"""Many lights: error at equal time, compared with another build of the program.

    cargo build --release
    python3 benches/lights.py --other OTHER-KILN [--seconds 5] [--counts 40,1000,10000]

A hall with many lights of different colours over its floor, as separate shapes or as one mesh. Builds before the light
tree select lights by power."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def hall(count, as_mesh, folder):
    rng = random.Random(1)
    lamps = [(rng.uniform(-20, 20), rng.uniform(0.5, 3.5), rng.uniform(-20, 20)) for _ in range(count)]
    size = 0.6 / count ** 0.5
    text = [
        "film { size = (160, 120); filter = box; }",
        "camera main : perspective { from = (0, 6, 24); to = (0, 0, 4); fov = 60; }",
        "material stone = matte(albedo = 0.5);",
        "shape floor : rectangle { material = stone; transform = rotate((1, 0, 0), -90) * scale(24); }",
    ]
    for i in range(60):
        x, z, h = rng.uniform(-18, 18), rng.uniform(-18, 18), rng.uniform(0.3, 2)
        text.append(f"shape box{i} : cube {{ material = stone; transform = translate({x}, {h}, {z}) * scale(0.4, {h}, 0.4); }}")
    if as_mesh:
        with open(os.path.join(folder, "lamps.obj"), "w") as obj:
            for x, y, z in lamps:
                for dx, dz in [(-1, -1), (1, -1), (1, 1), (-1, 1)]:
                    obj.write(f"v {x + dx * size} {y} {z + dz * size}\n")
            for i in range(count):
                obj.write(f"f {4 * i + 1} {4 * i + 2} {4 * i + 3} {4 * i + 4}\n")
        text.append("material glow = emitter(radiance = 40);")
        text.append('shape lamps : mesh { file = "lamps.obj"; material = glow; }')
    else:
        for i in range(8):
            text.append(f"material glow{i} = emitter(radiance = ({20 + 5 * i}, {40 - 2 * i}, {60 - 6 * i}));")
        for i, (x, y, z) in enumerate(lamps):
            text.append(f"shape lamp{i} : rectangle {{ material = glow{i % 8}; "
                        f"transform = translate({x}, {y}, {z}) * rotate((1, 0, 0), 90) * scale({size}); }}")
    path = os.path.join(folder, "hall.kiln")
    with open(path, "w") as file:
        file.write("\n".join(text) + "\n")
    return path


def render(kiln, scene, folder, *flags):
    image, stats = os.path.join(folder, "out.exr"), os.path.join(folder, "stats.json")
    subprocess.run([kiln, "render", scene, "-o", image, "--stats", stats, "--quiet", "--depth", "3", *flags], check=True)
    import mitsuba as mi
    import numpy as np
    return np.array(mi.Bitmap(image), np.float64)[..., :3], json.load(open(stats))["spp"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/release/kiln"))
    parser.add_argument("--other", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--counts", default="40,1000,10000")
    args = parser.parse_args()
    import mitsuba as mi
    import numpy as np
    mi.set_variant("scalar_rgb")
    print(f"{'lamps':>8}{'':8}{'spp':>8}{'error':>11}{'other spp':>11}{'error':>11}{'ratio':>8}")
    for count in map(int, args.counts.split(",")):
        for as_mesh in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                scene = hall(count, as_mesh, folder)
                long = ["--time", f"{8 * args.seconds}s", "--spp", "100000", "--seed", "77"]
                reference, _ = render(args.kiln, scene, folder, *long)
                scale = 1 / (reference ** 2 + 1e-2 * np.mean(reference) ** 2)
                row = []
                for kiln in (args.kiln, args.other):
                    image, spp = render(kiln, scene, folder, "--time", f"{args.seconds}s", "--spp", "100000")
                    row += [spp, np.mean((image - reference) ** 2 * scale)]
                kind = "mesh" if as_mesh else "shapes"
                print(f"{count:8}{kind:>8}{row[0]:8}{row[1]:11.2e}{row[2]:11}{row[3]:11.2e}{row[3] / row[1]:8.1f}", flush=True)


if __name__ == "__main__":
    main()
