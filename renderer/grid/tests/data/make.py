"""Writes the fixtures of the tests with OpenVDB 10 (its Python module `pyopenvdb`)."""

import pyopenvdb as vdb


def grid(kind, name, values):
    grid = kind()
    grid.name = name
    accessor = grid.getAccessor()
    for voxel, value in values:
        accessor.setValueOn(voxel, value)
    return grid


def box(low, high, value):
    voxels = [
        (x, y, z)
        for x in range(low[0], high[0])
        for y in range(low[1], high[1])
        for z in range(low[2], high[2])
    ]
    return [(voxel, value(*voxel)) for voxel in voxels]


def ramp(x, y, z):
    return (x * 3 + y * 5 + z * 7) % 64 / 64 + 0.25


# Two grids with different transforms.
density = grid(vdb.FloatGrid, "density", box((3, 2, 0), (12, 6, 4), ramp))
density.gridClass = vdb.GridClass.FOG_VOLUME
density.transform = vdb.createLinearTransform([[0.5, 0, 0, 0], [0, 0, 0.25, 0], [0, -0.5, 0, 0], [1, 2, 3, 1]])
flames = grid(vdb.FloatGrid, "flames", [((1, 1, 1), 4.0)])
flames.transform = vdb.createLinearTransform(voxelSize=0.1)
vdb.write("smoke.vdb", grids=[flames, density])

# Vectors in half precision, and a grid that is not read.
velocity = grid(vdb.Vec3SGrid, "velocity", box((0, 0, 0), (4, 4, 4), lambda x, y, z: (x, y * 2, z - 0.5)))
velocity.gridClass = vdb.GridClass.STAGGERED
velocity.saveFloatAsHalf = True
mask = grid(vdb.BoolGrid, "mask", [((1, 2, 3), True)])
vdb.write("velocity.vdb", grids=[mask, velocity])

# Tiles of 8 and 128 voxels, and negative coordinates.
tiles = vdb.FloatGrid(0.125)
tiles.name = "tiles"
tiles.fill((-16, -8, -8), (-1, -1, -1), 0.75)
tiles.fill((-256, -128, -128), (-129, -1, -1), 0.5)
tiles.saveFloatAsHalf = True
vdb.write("tiles.vdb", grids=[tiles])

# A level set with inner and outer tiles.
surface = vdb.createLevelSetSphere(radius=1.0, center=(1200.0, 600.0, 600.0), voxelSize=0.3, halfWidth=2.0)
surface.name = "surface"
vdb.write("surface.vdb", grids=[surface])
