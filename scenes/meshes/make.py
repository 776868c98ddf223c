#!/usr/bin/env python3
"""Makes the meshes beside it, most of them surfaces of revolution about y, with normals and uv, as binary PLY.

    python3 make.py

Each of those is a profile of (radius, height) points, from below to above on the outside; corners are where a point is given
twice. u runs around, v along the profile by arc length."""
import math
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))


def arc(cx, cy, r, a0, a1, n):
    """Points of a circle in the profile plane; angles in degrees from +radius towards +height."""
    return [(cx + r * math.cos(math.radians(a0 + (a1 - a0) * i / n)),
             cy + r * math.sin(math.radians(a0 + (a1 - a0) * i / n))) for i in range(n + 1)]


def smooth(points, n):
    """A Catmull-Rom curve through the points, n pieces between neighbours."""
    ends = [(2 * points[0][0] - points[1][0], 2 * points[0][1] - points[1][1])]
    last = [(2 * points[-1][0] - points[-2][0], 2 * points[-1][1] - points[-2][1])]
    p = ends + points + last
    curve = []
    for i in range(1, len(p) - 2):
        for k in range(n):
            t = k / n
            curve.append(tuple(
                0.5 * (2 * p[i][c] + (p[i + 1][c] - p[i - 1][c]) * t
                       + (2 * p[i - 1][c] - 5 * p[i][c] + 4 * p[i + 1][c] - p[i + 2][c]) * t * t
                       + (3 * p[i][c] - p[i - 1][c] - 3 * p[i + 1][c] + p[i + 2][c]) * t ** 3) for c in (0, 1)))
    return [(max(r, 0.0), y) for r, y in curve + [points[-1]]]


def lathe(name, strokes, around=96):
    """Revolves strokes (smooth pieces of the profile); neighbouring strokes meet in a sharp edge."""
    vertices, triangles = [], []
    total = sum(math.dist(a, b) for s in strokes for a, b in zip(s, s[1:]))
    length = 0.0
    for stroke in strokes:
        first, rows = len(vertices), []
        for i, (r, y) in enumerate(stroke):
            a, b = stroke[max(i - 1, 0)], stroke[min(i + 1, len(stroke) - 1)]
            dr, dy = b[0] - a[0], b[1] - a[1]
            n = math.hypot(dr, dy)
            rows.append((r, y, dy / n, -dr / n, length / total))
            if i + 1 < len(stroke):
                length += math.dist(stroke[i], stroke[i + 1])
        for r, y, nr, ny, v in rows:
            for k in range(around + 1):
                c, s = math.cos(2 * math.pi * k / around), math.sin(2 * math.pi * k / around)
                vertices.append((r * c, y, -r * s, nr * c, ny, -nr * s, k / around, v))
        for i in range(len(stroke) - 1):
            for k in range(around):
                a = first + i * (around + 1) + k
                b, c, d = a + 1, a + around + 2, a + around + 1
                if stroke[i][0] > 1e-6:
                    triangles.append((a, b, c))
                if stroke[i + 1][0] > 1e-6:
                    triangles.append((a, c, d))
    write(name, vertices, triangles)


def write(name, vertices, triangles):
    """Writes triangles of vertices (position, normal, uv)."""
    header = ("ply\nformat binary_little_endian 1.0\nelement vertex %d\n" % len(vertices)
              + "".join("property float %s\n" % p for p in ("x", "y", "z", "nx", "ny", "nz", "u", "v"))
              + "element face %d\nproperty list uchar int vertex_indices\nend_header\n" % len(triangles))
    with open(os.path.join(HERE, name), "wb") as f:
        f.write(header.encode())
        f.writelines(struct.pack("<8f", *v) for v in vertices)
        f.writelines(struct.pack("<B3i", 3, *t) for t in triangles)


# The material ball: a unit sphere open above, with a groove about the waist, a rim, and an inner wall.
groove = 7.0
lathe("ball_shell.ply", [
    arc(0, 0, 1, -90, -groove, 32),
    arc(0.985, 0, 0.125, -80, -280, 12)[::1],
    arc(0, 0, 1, groove, 48, 20),
    arc(0.6355, 0.7058, 0.05, 48, 228, 8),
    arc(0, 0, 0.9, 48, -90, 40),
])
lathe("ball_core.ply", [arc(0, 0, 0.62, -90, 90, 48)])
lathe("stand.ply", [
    [(0.0, 0.0), (0.95, 0.0)],
    arc(0.95, 0.06, 0.06, -90, 90, 8),
    smooth([(0.95, 0.12), (0.72, 0.16), (0.5, 0.28), (0.46, 0.42)], 8),
])
lathe("vase.ply", [
    [(0.0, 0.0), (0.3, 0.0)],
    smooth([(0.3, 0.0), (0.44, 0.22), (0.5, 0.55), (0.4, 0.95), (0.2, 1.2), (0.17, 1.34), (0.25, 1.5)], 10),
    arc(0.235, 1.5, 0.015, 0, 180, 6),
    smooth([(0.22, 1.5), (0.145, 1.34), (0.17, 1.2), (0.37, 0.95), (0.47, 0.55), (0.41, 0.22), (0.0, 0.06)], 10),
])
lathe("bowl.ply", [
    [(0.0, 0.0), (0.28, 0.0)],
    smooth([(0.28, 0.0), (0.3, 0.05), (0.62, 0.2), (0.85, 0.5)], 10),
    arc(0.825, 0.5, 0.025, 0, 180, 6),
    smooth([(0.8, 0.5), (0.58, 0.24), (0.28, 0.1), (0.0, 0.07)], 10),
])


def rounded_box(name, half, radius, cells=12):
    """A cube of rounded edges: the sides of a cube, moved onto what is `radius` around a smaller one."""
    vertices, triangles = [], []
    for axis in range(3):
        for sign in (-1, 1):
            first = len(vertices)
            for j in range(cells + 1):
                for i in range(cells + 1):
                    # Closer together at the edges, which are round.
                    s, t = (math.sin(math.pi * (k / cells - 0.5)) * half for k in (i, j))
                    p = [0.0, 0.0, 0.0]
                    p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = sign * half, s * sign, t
                    core = [max(radius - half, min(half - radius, c)) for c in p]
                    n = [a - b for a, b in zip(p, core)]
                    length = math.hypot(*n)
                    n = [c / length for c in n]
                    vertices.append((*(c + radius * d for c, d in zip(core, n)), *n, i / cells, j / cells))
            for j in range(cells):
                for i in range(cells):
                    a = first + j * (cells + 1) + i
                    triangles += [(a, a + 1, a + cells + 2), (a, a + cells + 2, a + cells + 1)]
    write(name, vertices, triangles)


# A glass of 10 cm, the water in it, which reaches into its wall, an ice cube, and a candle with a hollow.
lathe("tumbler.ply", [
    [(0.0, 0.0), (0.028, 0.0)],
    arc(0.028, 0.002, 0.002, -90, 0, 4),
    [(0.03, 0.002), (0.036, 0.0985)],
    arc(0.03475, 0.0985, 0.00125, 0, 180, 8),
    [(0.0335, 0.0985), (0.0285, 0.018)],
    arc(0.0225, 0.018, 0.006, 0, -90, 6),
    [(0.0225, 0.012), (0.0, 0.012)],
], 64)
lathe("water.ply", [
    [(0.0, 0.009), (0.0225, 0.009)],
    arc(0.0225, 0.018, 0.0075, -90, 0, 6),
    [(0.03, 0.018), (0.0334, 0.078)],
    [(0.0334, 0.078), (0.0, 0.078)],
], 64)
rounded_box("ice.ply", 0.012, 0.003)
lathe("candle.ply", [
    [(0.0, 0.0), (0.02, 0.0)],
    [(0.02, 0.0), (0.02, 0.083)],
    smooth([(0.02, 0.083), (0.019, 0.0855), (0.017, 0.085), (0.01, 0.082), (0.0, 0.0815)], 4),
], 48)
