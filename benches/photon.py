#!/usr/bin/env python3
"""Relative MSE of `photon` and `path` at equal render time, against the references of the tests.

    cargo build --release
    python3 benches/photon.py [--seconds 10] [--rounds 3] [--threads 2] [SCENE…]

The integrators alternate with equal `--time`, photon pass included, and a new seed for each round; results are means
over rounds, and the last column is the error of `photon` relative to that of `path`."""
import argparse
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def error(args, scene, integrator, seed):
    with tempfile.TemporaryDirectory() as folder:
        stats, image = os.path.join(folder, "stats.json"), os.path.join(folder, "image.exr")
        subprocess.run([args.kiln, "render", os.path.join(ROOT, f"scenes/{scene}.kiln"), "-o", image, "--quiet",
                        "--integrator", integrator, "--seed", str(seed), "--time", f"{args.seconds}s",
                        "--spp", "1000000", "--threads", str(args.threads), "--stats", stats], check=True)
        stages = json.load(open(stats))["stages_s"]
        reference = os.path.join(ROOT, f"tests/references/{scene}.exr")
        text = subprocess.run([args.kiln, "compare", image, reference], capture_output=True, text=True).stdout
        return float(re.search(r"relative MSE\s+(\S+)", text)[1]), stages["photons"] + stages["render"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenes", nargs="*", default=["two_rooms", "cornell_spheres"])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kiln", default=os.path.join(ROOT, "target/release/kiln"))
    args = parser.parse_args()
    for scene in args.scenes:
        sums = {"path": [0.0, 0.0], "photon": [0.0, 0.0]}
        for seed in range(args.rounds):
            for integrator, total in sums.items():
                for i, value in enumerate(error(args, scene, integrator, seed)):
                    total[i] += value / args.rounds
        path, photon = sums["path"], sums["photon"]
        print(f"{scene:18} path {path[0]:.4e} in {path[1]:.1f} s   photon {photon[0]:.4e} in {photon[1]:.1f} s   "
              f"{photon[0] / path[0]:.3f} ×", flush=True)


if __name__ == "__main__":
    main()
