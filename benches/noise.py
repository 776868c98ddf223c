#!/usr/bin/env python3
"""Adaptive sampling compared with uniform sampling of the same number of samples, on the scenes with references.

    pip install numpy openimageio
    cargo build --release
    python3 benches/noise.py [SCENE...] [--noise 0.05] [--seeds 3] [--bias 32]

Errors are relative mean square errors against the reference; times are those of rendering only, measured alternately. A
ratio above 1 favours adaptive sampling. --bias also renders the given number of seeds by both methods, and compares their
mean with the reference: the difference of the pictures' means, and the share of pixel values beyond 3 standard deviations
of both (0.3 % for exact deviations; with rare light they are estimates, and uniform sampling shows the expected share)."""
import argparse
import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCES = os.path.join(HERE, "../tests/references")
SCENES = os.path.join(HERE, "../scenes")
NAMES = ["cornell_box", "cornell_spheres", "veach_plates", "sky_balls", "two_rooms", "lights_lens"]


def render(args, name, seed, more, out):
    stats = out + ".json"
    subprocess.run([args.kiln, "render", os.path.join(SCENES, f"{name}.kiln"), "-o", out, "--quiet", "--stats", stats,
                    "--integrator", args.integrator, "--seed", str(seed), *more], check=True)
    told = json.load(open(stats))
    return told["samples"], told["stages_s"]["render"]


def error(args, image, name):
    told = subprocess.run([args.kiln, "compare", image, os.path.join(REFERENCES, f"{name}.exr")],
                          capture_output=True, text=True, check=True).stdout
    return next(float(line.split()[-1]) for line in told.splitlines() if line.startswith("relative MSE"))


def pixels(path):
    import OpenImageIO as oiio
    return oiio.ImageBuf(path).get_pixels(oiio.FLOAT)


def bias(args, name, folder, kind, more):
    import numpy as np
    out = os.path.join(folder, "seed.exr")
    total, squares = 0.0, 0.0
    for seed in range(args.bias):
        render(args, name, 1000 + seed, more, out)
        picture = pixels(out)[..., :3].astype(np.float64)
        total, squares = total + picture, squares + picture ** 2
    mean = total / args.bias
    own = (squares / args.bias - mean ** 2) / (args.bias - 1)
    reference = pixels(os.path.join(REFERENCES, f"{name}.exr"))[..., :3].astype(np.float64)
    its = pixels(os.path.join(REFERENCES, f"{name}_var.exr"))[..., :3].astype(np.float64)
    sigma = np.sqrt(own + its)
    far = (np.abs(mean - reference) > 3 * sigma)[sigma > 1e-4 * reference].mean()
    off, of = (mean - reference).mean() / reference.mean(), np.sqrt((own + its).sum()) / reference.sum()
    print(f"{name:16} {kind}: mean of {args.bias} seeds off by {100 * off:+.3f} % ± {100 * of:.3f} %, {100 * far:.2f} % of the values beyond 3 σ",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", default=NAMES)
    parser.add_argument("--noise", type=float, default=0.05)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--bias", type=int, default=0)
    parser.add_argument("--integrator", default="path")
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/release/kiln"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in args.scenes:
            area = pixels(os.path.join(REFERENCES, f"{name}.exr")).shape
            area = area[0] * area[1]
            sums = [0.0] * 5
            for seed in range(args.seeds):
                adaptive, uniform = (os.path.join(folder, kind + ".exr") for kind in ["adaptive", "uniform"])
                samples, time = render(args, name, seed, ["--noise", str(args.noise)], adaptive)
                spp = max(1, round(samples / area))
                _, other = render(args, name, seed, ["--spp", str(spp)], uniform)
                found = [spp, error(args, adaptive, name), error(args, uniform, name), time, other]
                sums = [a + b / args.seeds for a, b in zip(sums, found)]
            spp, ours, theirs, time, other = sums
            print(f"{name:16} {spp:7.0f} spp  error {ours:.2e} of {args.noise ** 2:.2e} asked, uniform {theirs:.2e}: "
                  f"{theirs / ours:.2f}; time {time:.2f} s, uniform {other:.2f} s: {other / time:.2f}", flush=True)
            if args.bias:
                bias(args, name, folder, "adaptive", ["--noise", str(args.noise)])
                bias(args, name, folder, "uniform", ["--spp", str(round(spp))])


if __name__ == "__main__":
    main()
