#!/usr/bin/env python3
"""Time to equal error compared with Mitsuba 3 on the scenes with references, alternately and with the same number of threads.

    pip install mitsuba==3.9.1            # llvm_ad_rgb needs Debian's libllvm19 besides
    cargo build --release
    python3 benches/peers.py [SCENE...] [--seconds 10] [--seeds 3] [--threads 2] [--integrators path,photon,auto]

Each program renders for --seconds; the time excludes loading and compiling, and includes photon maps. The error is the
relative mean square error: for unbiased pictures the variance over the seeds (the references are noisier than some
pictures); for `photon` and `auto` the error against the reference, minus the variance of the reference. A ratio is
(error × time) of Mitsuba over that of Kiln: above 1, Kiln reaches the same error sooner."""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCES = os.path.join(HERE, "../tests/references")
SCENES = os.path.join(HERE, "../scenes")
NAMES = ["cornell_box", "cornell_spheres", "veach_plates", "sky_balls", "two_rooms", "lights_lens"]

# Unbiased integrators.
UNBIASED = ["mitsuba", "path"]

# Samples per call of Mitsuba, whose wavefronts should be large and must fit into memory.
WAVEFRONT = 1 << 22

MITSUBA = """
import importlib.util, json, sys, time
import numpy as np, mitsuba as mi
variant, make, name, folder, out, seconds, seed, threads = sys.argv[1:]
mi.set_variant(variant)
import drjit as dr
dr.set_thread_count(int(threads))
spec = importlib.util.spec_from_file_location("make", make)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
scene = mi.load_dict(module.scenes(folder)[name])
width, height = scene.sensors()[0].film().size()
spp = max(1, WAVEFRONT // (width * height))
mi.render(scene, spp=spp, seed=1 << 30)
dr.eval(); dr.sync_thread()
start, total, passes = time.perf_counter(), 0.0, 0
while passes == 0 or time.perf_counter() - start < float(seconds):
    total = total + np.array(mi.render(scene, spp=spp, seed=(int(seed) << 16) + passes), np.float64)
    passes += 1
took = time.perf_counter() - start
mi.Bitmap((total / passes).astype(np.float32)).write(out)
print(json.dumps({"seconds": took, "samples": passes * spp * int(width) * int(height)}))
""".replace("WAVEFRONT", str(WAVEFRONT))


def kiln(name, integrator, seed, args, folder):
    stats, image = os.path.join(folder, "stats.json"), os.path.join(folder, "kiln.exr")
    subprocess.run([args.kiln, "render", os.path.join(SCENES, f"{name}.kiln"), "-o", image, "--quiet", "--stats", stats,
                    "--integrator", integrator, "--time", f"{args.seconds}s", "--spp", "10000000", "--seed", str(seed),
                    "--threads", str(args.threads)], check=True)
    told = json.load(open(stats))
    stages = told["stages_s"]
    return image, stages["render"] + stages.get("photons", 0.0), told["samples"]


def mitsuba(name, seed, args, folder):
    env = dict(os.environ)
    for library in sorted(glob.glob("/usr/lib/*/libLLVM.so.19*")):
        env.setdefault("DRJIT_LIBLLVM_PATH", library)
    image = os.path.join(folder, "mitsuba.exr")
    command = [args.python, "-c", MITSUBA, args.variant, os.path.join(REFERENCES, "make.py"), name, folder, image,
               str(args.seconds), str(seed), str(args.threads)]
    told = json.loads(subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return image, told["seconds"], told["samples"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenes", nargs="*", default=NAMES)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--integrators", default="path,photon")
    parser.add_argument("--variant", default="llvm_ad_rgb")
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/release/kiln"))
    parser.add_argument("--python", default=sys.executable, help="one with mitsuba")
    args = parser.parse_args()
    integrators = args.integrators.split(",")
    if args.seeds < 2:
        parser.error("errors are measured between seeds: give --seeds 2 or more")

    import mitsuba as mi
    import numpy as np
    mi.set_variant("scalar_rgb")
    read = lambda path: np.array(mi.Bitmap(path), np.float64)[..., :3]

    print(f"{'':16}{'Mitsuba M/s':>13}" + "".join(f"{name + ' M/s':>13}{'error':>8}{'ratio':>8}" for name in integrators))
    for name in args.scenes:
        reference, variance = (read(os.path.join(REFERENCES, name + end)) for end in (".exr", "_var.exr"))
        runs = {"mitsuba": [], **{integrator: [] for integrator in integrators}}
        pictures = {who: [] for who in runs}
        for seed in range(1, args.seeds + 1):
            for who, results in runs.items():
                with tempfile.TemporaryDirectory() as folder:
                    if who == "mitsuba":
                        image, seconds, samples = mitsuba(name, seed, args, folder)
                    else:
                        image, seconds, samples = kiln(name, who, seed, args, folder)
                    pictures[who].append(read(image))
                results.append((seconds, samples))

        def error(who):
            if who in UNBIASED:
                square = np.var(pictures[who], axis=0, ddof=1)
            else:
                square = np.mean((np.array(pictures[who]) - reference) ** 2, axis=0) - variance
            return np.mean(square / (reference ** 2 + 1e-2 * np.mean(reference) ** 2))

        mean = {who: [error(who), *(np.mean(column) for column in zip(*results))] for who, results in runs.items()}
        theirs, seconds, samples = mean["mitsuba"]
        line = f"{name:16}{samples / seconds * 1e-6:13.2f}"
        for who in integrators:
            e, s, n = mean[who]
            # Errors at equal numbers of samples, and at equal time.
            line += f"{n / s * 1e-6:13.2f}{theirs * samples / (e * n):8.2f}{theirs * seconds / (e * s):8.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
