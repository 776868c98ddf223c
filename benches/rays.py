#!/usr/bin/env python3
"""Rays per second by scene, and Embree's share of the time; the rest is shading, sampling and the film. Embree's own rays
per second are this rate divided by the share.

    cargo build --release          # and Linux's perf
    python3 benches/rays.py [SCENE...] [--seconds 5] [--integrator path]

One thread, sampled with perf. Embree calls Kiln's intersection functions of spheres, disks and cylinders, which count
as Embree's time."""
import argparse
import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCENES = os.path.join(HERE, "../scenes")
NAMES = ["cornell_box", "cornell_spheres", "veach_plates", "sky_balls", "two_rooms", "lights_lens"]


def shares(data):
    """Share of the samples by library and by function [%]."""
    told = subprocess.run(["perf", "report", "-i", data, "--no-children", "--stdio", "--sort", "dso,symbol", "-F", "overhead,dso,symbol"],
                          check=True, capture_output=True, text=True).stdout
    embree = 0.0
    for line in told.splitlines():
        words = line.split()
        if not words or not words[0].endswith("%"):
            continue
        if "embree" in words[1] or "accel::embree" in line or "Analytic::intersect" in line:
            embree += float(words[0][:-1])
    return embree / 100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", default=NAMES)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--integrator", default="path")
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/release/kiln"))
    args = parser.parse_args()
    print(f"{'':16}{'M rays/s':>10}{'M samples/s':>13}{'Embree':>9}{'alone M rays/s':>16}")
    for name in args.scenes:
        with tempfile.TemporaryDirectory() as folder:
            stats, data = os.path.join(folder, "stats.json"), os.path.join(folder, "perf.data")
            subprocess.run(["perf", "record", "-q", "-o", data, args.kiln, "render", os.path.join(SCENES, f"{name}.kiln"), "-q",
                            "--threads", "1", "--integrator", args.integrator, "--spp", "10000000", "--time", f"{args.seconds}s",
                            "-o", os.path.join(folder, "o.exr"), "--stats", stats], check=True, stderr=subprocess.DEVNULL)
            told = json.load(open(stats))
            share = shares(data)
        seconds = told["stages_s"]["render"]
        rays = sum(told["rays"].values())
        print(f"{name:16}{rays / seconds * 1e-6:10.2f}{told['samples'] / seconds * 1e-6:13.2f}{100 * share:8.0f}%"
              f"{rays / seconds / share * 1e-6:16.2f}", flush=True)


if __name__ == "__main__":
    main()
