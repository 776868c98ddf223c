#!/usr/bin/env python3
"""Relative MSE of `path`, `photon` and `auto` at equal render time: does `auto` choose well, and what do its pilots cost?

    cargo build --release
    python3 benches/auto.py [--seconds 4,16] [--rounds 2] [--threads 2] [--size 128x96] [SCENE…]

SCENE is a file, or the name of a shipped scene. The integrators alternate with equal `--time`, pilots and photon maps
included, and a new seed for each round; errors are means over rounds, without the worst 0.1 % of the pixels. The
reference is a picture by `path`, rendered for `--reference` seconds and stored in `--folder`. The last columns are the
error of the better integrator over that of `auto` (1: nothing lost), and the decision with its expected gain."""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np
import OpenEXR

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
INTEGRATORS = ["path", "photon", "auto"]


def pixels(path):
    channels = OpenEXR.File(path).channels()
    if "RGB" in channels:
        return channels["RGB"].pixels.astype(np.float64)
    return np.stack([channels[name].pixels for name in "RGB"], axis=-1).astype(np.float64)


def render(args, scene, integrator, seconds, seed, image):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        subprocess.run([args.kiln, "render", scene, "-o", image, "--quiet", "--integrator", integrator, "--seed", str(seed),
                        "--time", f"{seconds}s", "--spp", "1000000", "--threads", str(args.threads), "--size", args.size,
                        "--set", "film.filter=box", "--stats", stats], check=True, capture_output=True)
        return json.load(open(stats))


def error(args, scene, integrator, seconds, seed, reference):
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, "image.exr")
        stats = render(args, scene, integrator, seconds, seed, image)
        found = pixels(image)
    scale = reference.mean(axis=-1) ** 2
    errors = ((found - reference) ** 2).mean(axis=-1) / (scale + 1e-2 * reference.mean() ** 2)
    errors = np.sort(errors.ravel())
    return errors[:len(errors) - len(errors) // 1000].mean(), stats["decision"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenes", nargs="*", default=["cornell_box", "cornell_spheres", "two_rooms", "room", "veach_plates"])
    parser.add_argument("--seconds", default="4,16")
    parser.add_argument("--reference", type=float, default=120)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--size", default="128x96")
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "kiln-auto"))
    parser.add_argument("--kiln", default=os.path.join(ROOT, "target/release/kiln"))
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for scene in args.scenes:
        name = os.path.splitext(os.path.basename(scene))[0]
        file = scene if os.path.isfile(scene) else os.path.join(ROOT, f"scenes/{scene}.kiln")
        kept = os.path.join(args.folder, f"{name}-{args.size}-{args.reference:g}.exr")
        if not os.path.exists(kept):
            render(args, file, "path", args.reference, 1 << 20, kept)
        reference = pixels(kept)
        for seconds in map(float, args.seconds.split(",")):
            sums, decision = dict.fromkeys(INTEGRATORS, 0.0), None
            for seed in range(args.rounds):
                for integrator in INTEGRATORS:
                    found, decided = error(args, file, integrator, seconds, seed, reference)
                    sums[integrator] += found / args.rounds
                    decision = decided or decision
            told = f"{decision['integrator']} {decision['gain']:.2f}" if decision else "no pilot"
            print(f"{name:16} {seconds:4g} s   path {sums['path']:.3e}   photon {sums['photon']:.3e}   "
                  f"auto {sums['auto']:.3e}   {min(sums['path'], sums['photon']) / sums['auto']:.2f}   {told}", flush=True)


if __name__ == "__main__":
    main()
