#!/usr/bin/env python3
"""Samples per second on the Cornell box, Kiln beside Mitsuba 3, in one run and on the same two threads.

    pip install mitsuba==3.9.1            # llvm_ad_rgb needs Debian's libllvm19 besides
    cargo build --release
    python3 benches/peers.py [--rounds 3] [--size 500] [--spp 64]

All bounces, box filter. The programs take turns, so that a slow moment of the machine hits all of them; the best round
of each counts, and the ratios are what to quote."""
import argparse
import glob
import json
import os
import subprocess
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def kiln(args):
    with tempfile.TemporaryDirectory() as folder:
        stats, image = os.path.join(folder, "stats.json"), os.path.join(folder, "box.exr")
        subprocess.run([args.kiln, "render", os.path.join(ROOT, "scenes/cornell_box.kiln"), "-o", image, "--quiet",
                        "--size", f"{args.size}x{args.size}", "--spp", str(args.spp), "--threads", str(args.threads),
                        "--stats", stats], check=True)
        return json.load(open(stats))["samples_per_s"]


MITSUBA = """
import os, sys, time
import mitsuba as mi
variant, size, spp, threads = sys.argv[1], *map(int, sys.argv[2:])
mi.set_variant(variant)
import drjit as dr
dr.set_thread_count(threads)
scene = mi.cornell_box()
scene["integrator"] = {"type": "path", "max_depth": -1}
scene["sensor"]["film"].update(width=size, height=size, rfilter={"type": "box"})
scene = mi.load_dict(scene)
mi.render(scene, spp=1)
dr.eval(); dr.sync_thread()
start = time.perf_counter()
image = mi.render(scene, spp=spp)
dr.eval(image); dr.sync_thread()
print(size * size * spp / (time.perf_counter() - start))
"""


def mitsuba(variant, args):
    env = dict(os.environ)
    found = glob.glob("/usr/lib/*/libLLVM.so.19*") + glob.glob("/usr/lib/llvm-19/lib/libLLVM*.so*")
    if found:
        env.setdefault("DRJIT_LIBLLVM_PATH", found[0])
    result = subprocess.run([args.python, "-c", MITSUBA, variant, str(args.size), str(args.spp), str(args.threads)],
                            env=env, capture_output=True, text=True)
    if result.returncode != 0:
        return None
    return float(result.stdout.split()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--spp", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kiln", default=os.path.join(ROOT, "target/release/kiln"))
    parser.add_argument("--python", default="python3", help="one with mitsuba")
    args = parser.parse_args()
    runs = {"kiln": lambda: kiln(args), "mitsuba scalar_rgb": lambda: mitsuba("scalar_rgb", args),
            "mitsuba llvm_ad_rgb": lambda: mitsuba("llvm_ad_rgb", args)}
    best = {name: 0.0 for name in runs}
    for _ in range(args.rounds):
        for name, run in runs.items():
            best[name] = max(best[name], run() or 0.0)
            time.sleep(0.5)
    for name, rate in best.items():
        print(f"{name:22} {rate * 1e-6:7.2f} M samples/s   {rate / best['kiln']:5.2f} × Kiln")


if __name__ == "__main__":
    main()
