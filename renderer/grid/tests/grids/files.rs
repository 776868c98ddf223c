//! Files of OpenVDB, NanoVDB and Mitsuba: what was written is read.

use std::path::Path;

use crate::fixture::{open, ramp, vol};
use glam::{DVec3, IVec3, Vec3};
use renderer_grid::{Element, Grid, GridChoice, GridClass, GridFile};

fn load(file: &str, name: &str) -> Grid {
    open(file).load(&GridChoice::Name(name.to_owned())).unwrap()
}

/// Checks that a grid has the voxels of a box, and background around it.
fn check_box(grid: &Grid, low: IVec3, high: IVec3, tolerance: f32, value: impl Fn(IVec3) -> [f32; 4]) {
    let size = high - low + 1;
    assert_eq!(grid.activity().voxels, size.element_product() as u64);
    assert_eq!(grid.activity().bounds, Some([low, high]));
    let mut range = [f32::INFINITY, f32::NEG_INFINITY];
    for x in low.x - 2..=high.x + 2 {
        for y in low.y - 2..=high.y + 2 {
            for z in low.z - 2..=high.z + 2 {
                let voxel = IVec3::new(x, y, z);
                let is_inside = voxel.cmpge(low).all() && voxel.cmple(high).all();
                let expected = if is_inside { value(voxel) } else { [0.0; 4] };
                if is_inside {
                    for v in &expected[..grid.channels()] {
                        range = [range[0].min(*v), range[1].max(*v)];
                    }
                }
                let found = grid.values(voxel.as_vec3());
                let is_close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
                assert!(is_close, "{}: {voxel}: {found:?} is not {expected:?}", grid.name());
            }
        }
    }
    let is_close = (grid.activity().range.iter().zip(range)).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(is_close, "{:?} is not {range:?}", grid.activity().range);
}

fn scalar(voxel: IVec3) -> [f32; 4] {
    [ramp(voxel.x, voxel.y, voxel.z), 0.0, 0.0, 0.0]
}

fn vector(voxel: IVec3) -> [f32; 4] {
    [voxel.x as f32, voxel.y as f32 * 2.0, voxel.z as f32 - 0.5, 0.0]
}

#[test]
fn floats_of_openvdb() {
    let grid = load("smoke.vdb", "density");
    check_box(&grid, IVec3::new(3, 2, 0), IVec3::new(11, 5, 3), 0.0, scalar);
    assert_eq!(grid.class(), GridClass::FogVolume);
    assert_eq!(grid.element(), Element::F32);
    // Rows of the matrix are the images of the axes.
    let at = grid.world_from_index().transform_point3(DVec3::new(1.0, 10.0, 100.0));
    assert!((at - DVec3::new(1.5, 2.0 - 50.0, 3.0 + 2.5)).length() < 1e-9, "{at}");
    let sides = grid.voxel_size() - DVec3::new(0.5, 0.25, 0.5);
    assert!(sides.length() < 1e-9);
}

#[test]
fn several_grids_of_a_file() {
    let file = open("smoke.vdb");
    let names: Vec<&str> = file.entries().iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["flames", "density"]);
    // Without a name it is the density.
    assert_eq!(file.load(&GridChoice::Main).unwrap().name(), "density");
    let flames = file.load(&GridChoice::Index(0)).unwrap();
    assert_eq!(flames.value(Vec3::ONE), 4.0);
    let error = file.load(&GridChoice::Name("densty".to_owned())).unwrap_err().to_string();
    assert!(error.starts_with("grid `densty` is not in '"), "{error}");
    assert!(error.ends_with("smoke.vdb', which has `flames` and `density`"), "{error}");
}

#[test]
fn half_vectors_beside_a_grid_that_is_not_read() {
    let file = open("velocity.vdb");
    let grid = file.load(&GridChoice::Main).unwrap();
    check_box(&grid, IVec3::ZERO, IVec3::splat(3), 0.0, vector);
    assert_eq!((grid.channels(), grid.element()), (3, Element::F16));
    assert_eq!(grid.class(), GridClass::Staggered);
    let error = file.load(&GridChoice::Index(0)).unwrap_err().to_string();
    assert!(
        error.ends_with("is not supported: grids of type `Tree_bool_5_4_3` are not read"),
        "{error}"
    );
}

#[test]
fn tiles_of_openvdb() {
    let grid = load("tiles.vdb", "tiles");
    assert_eq!(grid.background(), [0.125]);
    assert_eq!(grid.activity().voxels, 16 * 8 * 8 + 128 * 128 * 128);
    assert_eq!(grid.activity().range, [0.5, 0.75]);
    let voxel = |x, y, z| grid.value(IVec3::new(x, y, z).as_vec3());
    assert_eq!([voxel(-16, -8, -8), voxel(-1, -1, -1)], [0.75; 2]);
    assert_eq!([voxel(-256, -128, -128), voxel(-129, -1, -1)], [0.5; 2]);
    assert_eq!([voxel(-17, -1, -1), voxel(0, 0, 0), voxel(-128, -1, -1)], [0.125; 3]);
    // Tiles take no memory for voxels.
    assert!(grid.bytes() < 40_000, "{}", grid.bytes());
}

/// The distance to a sphere, by each kind of compression.
#[test]
fn level_sets_with_inner_tiles() {
    for file in ["surface.vdb", "zip.vdb"] {
        let grid = load(file, "surface");
        assert_eq!(grid.class(), GridClass::LevelSet);
        let center = Vec3::new(1200.0, 600.0, 600.0);
        for step in -40..=40 {
            let point = center + Vec3::new(step as f32 * 0.05, 0.03, 0.01);
            let distance = (point - center).length() - 1.0;
            let found = grid.value(grid.index_from_world().transform_point3(point));
            // Beyond the narrow band only the sign is known.
            let tolerance = if distance.abs() < 0.3 { 0.03 } else { 0.3 };
            let expected = distance.clamp(-0.6, 0.6);
            assert!((found - expected).abs() < tolerance, "{file}: {found} is not {expected}");
            assert_eq!(found < 0.0, distance < 0.0);
        }
    }
}

#[test]
fn floats_of_nanovdb() {
    for file in ["zip.nvdb", "blosc.nvdb"] {
        let grid = load(file, "density");
        check_box(&grid, IVec3::new(3, 2, 0), IVec3::new(9, 6, 4), 0.0, scalar);
        assert_eq!(grid.class(), GridClass::FogVolume);
        let at = grid.world_from_index().transform_point3(DVec3::new(2.0, 4.0, 6.0));
        assert_eq!(at, DVec3::new(2.0, 4.0, 6.0));
        assert_eq!(open(file).entries().len(), 2);
    }
}

#[test]
fn codes_and_vectors_of_nanovdb() {
    for (name, tolerance) in [("fp4", 0.05), ("fp8", 0.003), ("fp16", 2e-5), ("fpn", 0.02)] {
        let grid = load("types.nvdb", name);
        check_box(&grid, IVec3::new(3, 2, 0), IVec3::new(9, 6, 4), tolerance, scalar);
    }
    let grid = load("types.nvdb", "velocity");
    check_box(&grid, IVec3::new(3, 2, 0), IVec3::new(9, 6, 4), 0.0, vector);
}

#[test]
fn volumes_of_mitsuba() {
    let bytes = vol([19, 7, 9], 3, |[x, y, z], c| ramp(x, y, z) + c as f32);
    let file = GridFile::parse(bytes, Path::new("a.vol")).unwrap();
    let grid = file.load(&GridChoice::Main).unwrap();
    let values = |v: IVec3| [0.0, 1.0, 2.0].map(|c| ramp(v.x, v.y, v.z) + c);
    for (x, y, z) in [(0, 0, 0), (18, 6, 8), (7, 3, 8), (8, 0, 1)] {
        let voxel = IVec3::new(x, y, z);
        assert_eq!(grid.values(voxel.as_vec3())[..3], values(voxel));
    }
    // The box holds whole voxels, whose values lie in their middles.
    assert_eq!(grid.values(Vec3::new(18.4, 6.4, -0.4))[..3], values(IVec3::new(18, 6, 0)));
    assert_eq!(grid.values(Vec3::new(18.6, 6.4, -0.4)), [0.0; 4]);
    let corner = grid.world_from_index().transform_point3(DVec3::new(18.5, -0.5, 8.5));
    assert!((corner - DVec3::new(2.0, 0.0, 1.0)).length() < 1e-6, "{corner}");
    assert_eq!(grid.activity().voxels, 19 * 7 * 9);
}
