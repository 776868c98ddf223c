#!/usr/bin/env python3
"""Cost of checkpoints, size of parts, and cost of merging many parts.

    cargo build --release
    python3 benches/parts.py [--seconds 60] [--parts 100] [--size 3840x2160]

Time with a checkpoint every 30 seconds (and at the end) over time without, measured alternately; bytes per pixel of a
part; seconds and memory to merge parts of one sample each."""
import argparse
import os
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

SCENE = """film { size = (3840, 2160); filter = box; }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
light sky : environment { color = (0.5, 0.6, 0.8); }
material stone = matte(albedo = (0.5, 0.4, 0.3));
shape floor : plane { size = 6; material = stone; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = stone; }
"""


def timed(command):
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--parts", type=int, default=100)
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/release/kiln"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.kiln")
        with open(scene, "w") as file:
            file.write(SCENE)
        picture, kept = os.path.join(folder, "o.exr"), os.path.join(folder, "kept.part")
        render = [args.kiln, "render", scene, "--size", args.size, "-q", "-o"]
        one = timed([*render, picture, "--spp", "2"]) / 2
        spp = str(max(2, round(args.seconds / one)))
        for _ in range(2):
            without = timed([*render, picture, "--spp", spp])
            having = timed([*render, picture, "--spp", spp, "--checkpoint", kept])
            width, height = map(int, args.size.split("x"))
            print(f"{without:.1f} s without, {having:.1f} s with checkpoints: {100 * (having / without - 1):+.1f} %; "
                  f"{os.path.getsize(kept) / (width * height):.1f} bytes a pixel", flush=True)
            os.remove(kept)

        parts = [os.path.join(folder, f"{n}.part") for n in range(args.parts)]
        for n, part in enumerate(parts):
            subprocess.run([*render, part, "--spp", str(args.parts), "--samples", f"{n}..{n + 1}"], check=True)
        sizes = sum(map(os.path.getsize, parts))
        start = time.perf_counter()
        merge = subprocess.Popen([args.kiln, "merge", *parts, "-o", picture, "-q"])
        _, status, usage = os.wait4(merge.pid, 0)
        assert status == 0
        print(f"{args.parts} parts of {sizes / args.parts / 1e6:.0f} MB joined in {time.perf_counter() - start:.1f} s; "
              f"{usage.ru_utime:.1f} s of a processor, {usage.ru_maxrss / 1e6:.2f} GB at most", flush=True)


if __name__ == "__main__":
    main()
