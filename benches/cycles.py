#!/usr/bin/env python3
"""Time to equal error compared with Blender's Cycles, alternately and with the same number of threads.

    python3.11 -m venv bpy && bpy/bin/pip install 'bpy==4.5.*' 'numpy<2'
    cargo build --release
    bpy/bin/python benches/cycles.py [SCENE...] [--seconds 10] [--seeds 3] [--threads 2] [--integrators path,photon,auto]

`blender.py` builds the scenes in Blender and renders them; `suzanne` is exported from there as glTF, and Kiln renders
that file. Each program renders for --seconds. The time excludes loading, building hierarchies and compiling, and
includes photon maps: Cycles renders one sample and then N + 1, and the difference is the time of N samples.

Pictures of two renderers differ slightly, so each has a reference of its own: Cycles (and Kiln on `suzanne`, by `path`)
the mean of --reference further runs, Kiln otherwise that of Mitsuba in `tests/references`. The error is the relative mean
square error, minus the variance of the reference. `mean` is the brightness of Cycles' reference relative to the other.

A ratio is (error × time) of Cycles over that of Kiln: above 1, Kiln reaches the same error sooner; `-` if an error is
below the noise of its reference. `error` is the ratio at equal samples, `99 %` the ratio without the worst 1 % of the
pixels of each picture, `share` the share of the squared error in these pixels, and `fireflies` counts pixels per million
whose error exceeds their own value plus a tenth of the mean."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCES = os.path.join(HERE, "../tests/references")
SCENES = os.path.join(HERE, "../scenes")
NAMES = ["cornell_box", "veach_plates", "two_rooms", "suzanne"]

# First seed of the runs of a reference.
REFERENCE_SEED = 1000


def blender(task, args):
    # -P: the name of this file collides with Blender's add-on, which must not import it.
    command = [args.python, "-P", os.path.join(HERE, "blender.py"), json.dumps({"threads": args.threads, "guiding": args.guiding, **task})]
    told = subprocess.run(command, capture_output=True, text=True)
    if told.returncode:
        sys.exit(told.stderr)
    return told.stdout.splitlines()


def cycles(name, seed, image, args):
    task = {"scene": name, "seconds": args.seconds, "seed": seed, "out": image}
    told = json.loads(blender(task, args)[-1])
    return told["seconds"], told["samples"]


def kiln(name, integrator, seed, image, args):
    stats, scene, flags = image + ".json", os.path.join(SCENES, f"{name}.kiln"), []
    if not os.path.exists(scene):
        scene, flags = os.path.join(args.keep, f"{name}.glb"), ["--size", "480x270", "--set", "film.filter=box"]
    subprocess.run([args.kiln, "render", scene, "-o", image, "--quiet", "--stats", stats, "--integrator", integrator,
                    "--time", f"{args.seconds}s", "--spp", "10000000", "--seed", str(seed), "--threads", str(args.threads), *flags], check=True)
    told = json.load(open(stats))
    stages = told["stages_s"]
    return stages["render"] + stages.get("photons", 0.0), told["samples"]


def render(name, who, seed, image, args):
    """Seconds and samples."""
    return cycles(name, seed, image, args) if who == "cycles" else kiln(name, who, seed, image, args)


def read(path):
    import bpy
    import numpy as np
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(image.size[1], image.size[0], 4)[::-1, :, :3].astype(np.float64)
    bpy.data.images.remove(image)
    return pixels


def reference(name, who, args):
    """Mean, and variance of the mean."""
    import numpy as np
    shipped = [os.path.join(REFERENCES, name + end) for end in (".exr", "_var.exr")]
    if who != "cycles" and os.path.exists(shipped[0]):
        return [read(path) for path in shipped]
    pictures = []
    for i in range(args.reference):
        image = os.path.join(args.keep, f"{name}_{who}_reference{i}.exr")
        if not os.path.exists(image):
            render(name, who, REFERENCE_SEED + i, image, args)
        pictures.append(read(image))
    return np.mean(pictures, 0), np.var(pictures, 0, ddof=1) / len(pictures)


def measure(picture, mean, variance, scale):
    """Error; error without the worst 1 %; its share of the squared error; fireflies per million pixels.
    Squared errors are relative to `scale`."""
    import numpy as np
    square = np.mean((picture - mean) ** 2 / scale, -1).ravel()
    less = np.mean(variance / scale, -1).ravel()
    order = np.argsort(square)
    kept = order[: len(order) * 99 // 100]
    bright = np.mean(picture, -1) > 2 * np.mean(mean, -1) + 0.1 * np.mean(mean)
    return np.mean(square - less), np.mean((square - less)[kept]), 1 - square[kept].sum() / square.sum(), 1e6 * np.mean(bright)


def ratio(theirs, ours):
    return f"{theirs / ours:8.2f}" if min(theirs, ours) > 0 else f"{'-':>8}"


def compare(name, integrators, args):
    import numpy as np
    glb = os.path.join(args.keep, f"{name}.glb")
    if not os.path.exists(os.path.join(SCENES, f"{name}.kiln")) and not os.path.exists(glb):
        blender({"scene": name, "export": glb}, args)
    theirs, ours = reference(name, "cycles", args), reference(name, "path", args)
    scale = ours[0] ** 2 + 1e-2 * np.mean(ours[0]) ** 2
    runs = {who: [] for who in ["cycles", *integrators]}
    for seed in range(1, args.seeds + 1):
        for who, results in runs.items():
            image = os.path.join(args.keep, f"{name}_{who}_{seed}.exr")
            seconds, samples = render(name, who, seed, image, args)
            results.append((seconds, samples, *measure(read(image), *(theirs if who == "cycles" else ours), scale)))
    rows = {who: [np.mean(column) for column in zip(*results)] for who, results in runs.items()}
    bias = 100 * (np.mean(theirs[0]) / np.mean(ours[0]) - 1)
    seconds, samples, error, kept, share, fireflies = rows["cycles"]
    print(f"{name:16}{'cycles':8}{samples / seconds * 1e-6:8.2f}{'':24}{100 * share:8.0f} %{fireflies:10.0f}{bias:8.2f} %")
    for who in integrators:
        s, n, e, k, part, flies = rows[who]
        print(f"{'':16}{who:8}{n / s * 1e-6:8.2f}{ratio(error * samples, e * n)}{ratio(error * seconds, e * s)}"
              f"{ratio(kept * seconds, k * s)}{100 * part:8.0f} %{flies:10.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenes", nargs="*", default=NAMES)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--reference", type=int, default=8, help="runs that a reference is the mean of")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--integrators", default="path,photon")
    parser.add_argument("--guiding", action="store_true", help="Cycles guides its paths")
    parser.add_argument("--keep", help="folder for pictures; references that are there are taken")
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/release/kiln"))
    parser.add_argument("--python", default=sys.executable, help="one with bpy")
    args = parser.parse_args()
    # Blender reads the pictures and must not import this file in place of its add-on.
    sys.path = [folder for folder in sys.path if os.path.abspath(folder) != HERE]

    with tempfile.TemporaryDirectory() as folder:
        args.keep = args.keep or folder
        os.makedirs(args.keep, exist_ok=True)
        print(f"{'':24}{'M/s':>8}{'error':>8}{'ratio':>8}{'99 %':>8}{'share':>10}{'fireflies':>10}{'mean':>10}")
        for name in args.scenes:
            compare(name, args.integrators.split(","), args)


if __name__ == "__main__":
    main()
