#!/usr/bin/env python3
"""Run time per point and compile time of the shaders and groups of a folder, compared with a table of Open Shading
Language's times in its README.md. Several programs are measured alternately.

usage: benches/osl.py FOLDER KILN [KILN…] [--only a,b] [--turns 5] [--codegen plain]

`jit` is the time to link, optimise and generate machine code in a process that compiles only this and shades a single
point, like OSL's."""
import argparse, json, math, os, re, statistics, subprocess, tempfile

def table(folder):
    rows = {}
    for line in open(f"{folder}/README.md"):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        name = cells[0].split()[0] if cells and cells[0] else ""
        if any(os.path.exists(f"{folder}/{name}.{kind}") for kind in ("osl", "grp")):
            rows[name] = float(cells[1]), float(cells[3])
    return rows

def is_group(folder, name):
    return os.path.exists(f"{folder}/{name}.grp")

def side(folder, name):
    return "64" if name.endswith("1000") else "256" if is_group(folder, name) else "512"

def run(kiln, folder, name, side, iters, stats, codegen):
    group = is_group(folder, name)
    source = ["--group", f"{name}.grp"] if group else [f"{name}.osl"]
    output = "Ci" if name == "closures" else "Cout"
    subprocess.run([kiln, "shade", *source, "--res", side, side, "--iters", iters, "-t", "1", "--codegen", codegen, f"--stats={stats}", "-o", output, "null"],
                   check=True, capture_output=True, cwd=folder)
    return json.load(open(stats))

def measure(kilns, turns, runs):
    """The statistics of all runs of each program; the programs alternate."""
    found = {kiln: [] for kiln in kilns}
    for turn in range(turns):
        for kiln in kilns:
            found[kiln].append(runs(kiln))
    return found

def medians(statistics_of_turns, *keys):
    return [statistics.median(told[key] for told in statistics_of_turns) for key in keys]

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder"); parser.add_argument("kiln", nargs="+")
    parser.add_argument("--only", default=""); parser.add_argument("--turns", type=int, default=5); parser.add_argument("--codegen", default="fast")
    args = parser.parse_args()
    ratios = {kiln: [] for kiln in args.kiln}
    with tempfile.TemporaryDirectory() as temporary:
        for name, (ns, jit) in table(args.folder).items():
            if args.only and name not in args.only.split(","): continue
            stats = f"{temporary}/stats.json"
            points = measure(args.kiln, args.turns, lambda kiln: run(kiln, args.folder, name, side(args.folder, name), "4", stats, args.codegen))
            # Compilations run back to back, like OSL's: a picture between them would evict the processor's caches.
            compilations = measure(args.kiln, 3 * args.turns, lambda kiln: run(kiln, args.folder, name, "1", "1", stats, args.codegen))
            for kiln in args.kiln:
                point, = medians(points[kiln], "ns_per_point")
                compiled, load, link, optimise, code = medians(compilations[kiln], "jit_ms", "load_ms", "link_ms", "optimize_ms", "codegen_ms")
                ratios[kiln].append((point / ns, compiled / jit))
                print(f"{name:10} {point:8.1f} ns, {point / ns:5.2f} of OSL's   jit {compiled:6.2f} ms, 1/{jit / compiled:.0f} of OSL's "
                      f"(load {load:.2f}, link {link:.2f}, optimise {optimise:.2f}, code {code:.2f})   {kiln}", flush=True)
    for kiln, rows in ratios.items():
        if not rows: continue
        point, compiled = (math.exp(statistics.mean(math.log(row[i]) for row in rows)) for i in (0, 1))
        print(f"{kiln}: {point:.3f} of OSL's time for a point (at most {max(row[0] for row in rows):.2f}), 1/{1 / compiled:.1f} of its jit (geometric means)")

main()
