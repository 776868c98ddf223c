#!/usr/bin/env python3
"""Time to equal error compared with Mitsuba 3 on foreign scenes, alternately and with the same number of threads.

    pip install mitsuba==3.9.1            # llvm_ad_rgb needs Debian's libllvm19 besides
    cargo build --profile dist
    python3 benches/foreign.py FOLDER [SCENE...] [--seconds 8] [--seeds 3] [--integrators path,photon,auto]

FOLDER is searched for Mitsuba scenes (`*.xml`); the script downloads no files. Shapes with missing files are dropped
for both renderers, and missing textures are replaced by grey. Pictures are `--width` pixels wide, with a path
integrator of unlimited depth and a box filter.

Kiln's time is that of the whole process, loading and pilots included; Mitsuba's starts after loading and compiling.
Each is compared with itself: the error of unbiased pictures is the variance between seeds; that of `photon` and `auto`
is relative to a reference by Kiln's `path` (`--reference` seconds, stored in FOLDER/.references), minus its variance.
A ratio is (error × time) of Mitsuba over that of Kiln: above 1, Kiln reaches the same error sooner. The second number
excludes the worst 1 % of the pixels of each. `means` is Kiln's mean over Mitsuba's; far from 1, the pictures differ,
and the ratio is meaningless."""
import argparse
import glob
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))

MITSUBA = """
import json, sys, time
import numpy as np, mitsuba as mi
variant, scene, out, seconds, seed, threads = sys.argv[1:]
mi.set_variant(variant)
import drjit as dr
dr.set_thread_count(int(threads))
scene = mi.load_file(scene)
width, height = scene.sensors()[0].film().size()
pixels, wanted = int(width) * int(height), float(seconds)
def shot(spp, seed):
    return np.array(mi.render(scene, spp=spp, seed=seed), np.float64)[..., :3]
spp = max(1, (1 << 18) // pixels)
shot(spp, 1 << 30)
start = time.perf_counter()
shot(spp, (1 << 30) + 1)
rate = spp / (time.perf_counter() - start)
# A wavefront fits into memory, and four wavefronts into the time.
spp = max(1, min((1 << 22) // pixels, int(rate * wanted / 4)))
shot(spp, (1 << 30) + 2)
start, total, passes = time.perf_counter(), 0.0, 0
while passes == 0 or (time.perf_counter() - start) * (passes + 0.5) / passes < wanted:
    total = total + shot(spp, (int(seed) << 16) + passes)
    passes += 1
took = time.perf_counter() - start
np.save(out, (total / passes).astype(np.float32))
print(json.dumps({"seconds": took, "samples": passes * spp * pixels}))
"""


def value_of(text, defaults):
    """Replaces `$name` by the scene's defaults."""
    for name in sorted(defaults, key=len, reverse=True):
        text = text.replace("$" + name, defaults[name])
    return text


def modernize(root):
    """Replaces what Mitsuba 3 refuses in scenes of version 0.6: hexadecimal colours, `srgb`, and parameters without use."""
    def linear(x):
        return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4
    for color in root.iter():
        value = color.get("value") or ""
        if color.tag not in ("rgb", "srgb") or color.tag == "rgb" and not value.startswith("#"):
            continue
        parts = [int(value[i:i + 2], 16) / 255 for i in (1, 3, 5)] if value.startswith("#") else \
            [float(x) for x in value.replace(",", " ").split()]
        color.set("value", " ".join(f"{linear(x) if color.tag == 'srgb' else x:.7g}" for x in parts))
        color.tag = "rgb"
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("name") in ("extEta", "gamma", "sunRadiusScale"):
                parent.remove(child)
                if child.get("name") == "gamma" and child.get("value") == "1":
                    ET.SubElement(parent, "boolean", name="raw", value="true")


def prepared(path, width, folder):
    """Writes the scene to measure and returns its path; `None` if the scene cannot be compared."""
    tree = ET.parse(path)
    root = tree.getroot()
    if root.tag != "scene" or root.find("sensor") is None:
        return None
    home = os.path.dirname(os.path.abspath(path))
    defaults = {e.get("name"): e.get("value") for e in root.iter("default")}
    for element in root.iter():
        for key in list(element.attrib):
            element.set(key, value_of(element.get(key), defaults))
    for element in root.findall("default"):
        root.remove(element)
    lost = []
    for element in root.iter("string"):
        if element.get("name") == "filename":
            found = os.path.join(home, element.get("value").replace("\\", "/"))
            element.set("value", found)
            lost += [] if os.path.isfile(found) else [element]
    for parent in list(root.iter()):
        for child in list(parent):
            if not any(e in lost for e in child.findall("string")):
                continue
            parent.remove(child)
            if child.tag == "texture" and child.get("name"):
                ET.SubElement(parent, "rgb", name=child.get("name"), value="0.5")
    modernize(root)
    if any(e.tag in ("medium", "volume") or "volpath" in (e.get("type") or "") for e in root.iter()):
        return None
    if root.find(".//emitter") is None:
        return None
    sensors = root.findall("sensor")
    for other in sensors[1:]:
        root.remove(other)
    film = sensors[0].find("film")
    if film is None:
        return None
    size = {e.get("name"): int(e.get("value")) for e in film.findall("integer") if e.get("name") in ("width", "height")}
    ratio = size.get("height", 576) / size.get("width", 768)
    for child in list(film):
        film.remove(child)
    film.set("type", "hdrfilm")
    ET.SubElement(film, "integer", name="width", value=str(width))
    ET.SubElement(film, "integer", name="height", value=str(max(1, round(width * ratio))))
    ET.SubElement(film, "string", name="pixel_format" if "2.0" <= root.get("version", "") else "pixelFormat", value="rgb")
    ET.SubElement(film, "rfilter", type="box")
    for sampler in sensors[0].findall("sampler"):
        sensors[0].remove(sampler)
    ET.SubElement(sensors[0], "sampler", type="independent")
    for integrator in root.findall("integrator"):
        root.remove(integrator)
    root.insert(0, ET.Element("integrator", type="path"))
    out = os.path.join(folder, "scene.xml")
    tree.write(out)
    return out


def kiln(scene, integrator, seconds, seed, args, folder):
    stats, image = os.path.join(folder, "stats.json"), os.path.join(folder, "kiln.exr")
    start = time.perf_counter()
    subprocess.run([args.kiln, "render", scene, "-o", image, "--quiet", "--stats", stats, "--integrator", integrator,
                    "--time", f"{seconds}s", "--spp", "10000000", "--seed", str(seed), "--threads", str(args.threads),
                    *args.options],
                   check=True, capture_output=True)
    took = time.perf_counter() - start
    told = json.load(open(stats))
    return args.read(image), took, told["samples"], took - told["stages_s"]["render"]


def mitsuba(scene, seconds, seed, args, folder):
    env = dict(os.environ)
    for library in sorted(glob.glob("/usr/lib/*/libLLVM.so.19*")):
        env.setdefault("DRJIT_LIBLLVM_PATH", library)
    image = os.path.join(folder, "mitsuba.npy")
    run = subprocess.run([args.python, "-c", MITSUBA, args.variant, scene, image, str(seconds), str(seed), str(args.threads)],
                         env=env, check=True, capture_output=True, text=True)
    # Mitsuba may print more.
    told = json.loads(next(line for line in reversed(run.stdout.splitlines()) if line.startswith("{")))
    return args.numpy.load(image).astype(float), told["seconds"], told["samples"], 0.0


def reference(scene, args, folder):
    """Mean and variance of the mean of four long renders by `path`."""
    np = args.numpy
    digest = hashlib.sha256(open(scene, "rb").read() + repr(args.options).encode()).hexdigest()[:16]
    kept = os.path.join(args.folder, ".references", f"{digest}-{args.reference:g}s.npy")
    if os.path.exists(kept):
        return np.load(kept)
    shots = [kiln(scene, "path", args.reference / 4, 1000 + seed, args, folder)[0] for seed in range(4)]
    found = np.array([np.mean(shots, axis=0), np.var(shots, axis=0, ddof=1) / len(shots)])
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    np.save(kept, found)
    return found


def trimmed(square, np):
    """Mean of all pixels, and without the worst 1 % of the pixels."""
    pixels = np.sort(np.mean(square, axis=-1).ravel())
    return np.mean(pixels), np.mean(pixels[: max(1, math.floor(len(pixels) * 0.99))])


def measure(name, scene, args, folder):
    np = args.numpy
    integrators = args.integrators.split(",")
    runs = {who: [] for who in (["mitsuba"] if args.variant != "none" else []) + integrators}
    for seed in range(1, args.seeds + 1):
        for who, results in runs.items():
            shot = mitsuba(scene, args.seconds, seed, args, folder) if who == "mitsuba" else \
                kiln(scene, who, args.seconds, seed, args, folder)
            results.append(shot)
    pictures = {who: np.array([r[0] for r in results]) for who, results in runs.items()}
    exact = reference(scene, args, folder) if set(integrators) - {"path"} else None
    found = {}
    for who, results in runs.items():
        mean = np.mean(pictures[who], axis=0) if exact is None or who == "mitsuba" else exact[0]
        if who in ("mitsuba", "path"):
            square = np.var(pictures[who], axis=0, ddof=1)
        else:
            square = np.mean((pictures[who] - mean) ** 2, axis=0) - exact[1]
        floor = 1e-2 * np.mean(mean) ** 2
        seconds, samples, before = (np.mean([r[i] for r in results]) for i in (1, 2, 3))
        found[who] = (*trimmed(square / (mean ** 2 + floor), np), seconds, samples, before, np.mean(pictures[who]))
    theirs = found.get("mitsuba")
    line = f"{name:22.22}{theirs[3] / theirs[2] * 1e-6:9.2f}" if theirs else f"{name:22.22}{'':9}"
    ratios = {}
    for who in integrators:
        error, inner, seconds, samples, before, mean = found[who]
        line += f"  |{samples / (seconds - before) * 1e-6:7.2f}{before:6.2f}"
        if theirs:
            ratios[who] = [theirs[0] * theirs[2] / (error * seconds), theirs[1] * theirs[2] / (inner * seconds)]
            line += f"{mean / theirs[5]:7.3f}{ratios[who][0]:7.2f}{ratios[who][1]:7.2f}"
        else:
            line += f"{error * seconds:9.4f}{inner * seconds:9.4f}"
    print(line, flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("scenes", nargs="*", help="parts of paths; without any, all")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--integrators", default="path,photon,auto")
    parser.add_argument("--reference", type=float, default=240, help="seconds of the reference by Kiln's path")
    parser.add_argument("--variant", default="llvm_ad_rgb", help="of Mitsuba; `none` leaves it out: error times seconds")
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/dist/kiln"))
    parser.add_argument("--python", default=sys.executable, help="one with mitsuba")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[], help="the rest is for kiln render")
    args = parser.parse_args()
    if args.seeds < 2:
        parser.error("errors are measured between seeds: give --seeds 2 or more")
    import mitsuba as mi
    import numpy
    mi.set_variant("scalar_rgb")
    args.numpy, args.read = numpy, lambda path: numpy.array(mi.Bitmap(path), numpy.float64)[..., :3]

    print(f"{'':22}{'Mitsuba':>9}" + "".join(f"  |{who + ' M/s':>7}{'start':>6}{'means':>7}{'ratio':>7}{'99 %':>7}"
                                           for who in args.integrators.split(",")))
    all_ratios = []
    for path in sorted(glob.glob(os.path.join(args.folder, "**/*.xml"), recursive=True)):
        name = os.path.relpath(path, args.folder)
        if args.scenes and not any(part in name for part in args.scenes):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                scene = prepared(path, args.width, folder)
                if scene:
                    all_ratios.append(measure(name.removesuffix("/scene.xml"), scene, args, folder))
            except (subprocess.CalledProcessError, ET.ParseError, OSError) as error:
                said = getattr(error, "stderr", None) or str(error)
                said = said.decode() if isinstance(said, bytes) else said
                print(f"{name:22.22} left out: {said.strip().splitlines()[-1][:150] if said.strip() else error}", flush=True)
    ratios = [r for r in all_ratios if r]
    for i, kind in enumerate(["ratio", "99 %"]):
        if not ratios:
            break
        geometric = lambda values: math.exp(sum(math.log(max(v, 1e-9)) for v in values) / len(values))
        best = [max(v[i] for v in r.values()) for r in ratios]
        line = [f"{who} {geometric([r[who][i] for r in ratios]):.2f} (least {min(r[who][i] for r in ratios):.2f})"
                for who in ratios[0]]
        print(f"{kind}, geometric mean of {len(ratios)} scenes: {', '.join(line)}, "
              f"better of all {geometric(best):.2f} (least {min(best):.2f})")


if __name__ == "__main__":
    main()
