//! Lookups, their derivatives and bounds, against plain arrays.

use std::path::Path;

use crate::fixture::vol;
use glam::{IVec3, Vec3};
use renderer_base::math::Bounds;
use renderer_grid::{Grid, GridChoice, GridFile, GridLookup, GridWrap};

const SIZE: [i32; 3] = [21, 13, 18];

/// Numbers in `[0,1)`, a function of their index.
fn random(index: u32) -> f32 {
    let mut bits = index.wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b;
    bits = (bits ^ bits >> 16).wrapping_mul(0x7feb_352d);
    bits = (bits ^ bits >> 15).wrapping_mul(0x846c_a68b);
    (bits >> 8) as f32 / (1 << 24) as f32
}

fn voxel([x, y, z]: [i32; 3]) -> f32 {
    // Constant blocks are stored as tiles.
    if (8..16).contains(&x) && y < 8 && (8..16).contains(&z) {
        return 0.5;
    }
    random((x * 1000 + y * 40 + z) as u32)
}

fn grid() -> Grid {
    let bytes = vol(SIZE, 1, |at, _| voxel(at));
    GridFile::parse(bytes, Path::new("a.vol"))
        .unwrap()
        .load(&GridChoice::Main)
        .unwrap()
}

/// Trilinear interpolation of the plain function.
fn reference(point: Vec3) -> f32 {
    let first = point.floor();
    let t = point - first;
    let mut sum = 0.0;
    for corner in 0..8 {
        let offset = IVec3::new(corner >> 2, corner >> 1 & 1, corner & 1);
        let share = |axis: usize| if offset[axis] == 1 { t[axis] } else { 1.0 - t[axis] };
        let at = (first.as_ivec3() + offset).min(IVec3::from_array(SIZE) - 1);
        sum += voxel(at.to_array()) * share(0) * share(1) * share(2);
    }
    sum
}

fn points() -> impl Iterator<Item = Vec3> {
    (0..4000_u32).map(|i| {
        let [x, y, z] = [0, 1, 2].map(|axis| random(i * 3 + axis));
        Vec3::new(x, y, z) * (IVec3::from_array(SIZE) - 1).as_vec3()
    })
}

#[test]
fn interpolation_is_linear_between_voxels() {
    let grid = grid();
    for point in points() {
        let (found, expected) = (grid.value(point), reference(point));
        assert!((found - expected).abs() < 1e-5, "{point}: {found} is not {expected}");
    }
}

#[test]
fn points_that_are_nowhere_are_background() {
    let grid = grid();
    for x in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -1e30, 3e9] {
        assert_eq!(grid.value(Vec3::new(x, 1.0, 1.0)), 0.0);
        for wrap in [GridWrap::None, GridWrap::Black, GridWrap::Clamp, GridWrap::Periodic, GridWrap::Mirror] {
            let lookup = GridLookup { wrap: [wrap; 3], ..GridLookup::at(Vec3::new(1.0, x, 0.5)) };
            assert!(grid.sample(&lookup).value[0].is_finite());
        }
    }
}

#[test]
fn derivatives_are_slopes() {
    let grid = grid();
    let world = |point: Vec3| grid.world_from_index().transform_point3(point.as_dvec3()).as_vec3();
    for point in points().take(500) {
        let point = point.floor() + 0.25 + 0.5 * (point - point.floor());
        let steps = [Vec3::new(0.01, 0.0, 0.02), Vec3::new(-0.01, 0.03, 0.0)];
        let at = |point: Vec3| grid.value(point);
        let sample = grid.sample(&GridLookup {
            dx: world(point + steps[0]) - world(point),
            dy: world(point + steps[1]) - world(point),
            derivatives: true,
            ..GridLookup::at(world(point))
        });
        for (found, step) in [sample.dx[0], sample.dy[0]].into_iter().zip(steps) {
            let expected = (at(point + step) - at(point - step)) / 2.0;
            assert!((found - expected).abs() < 2e-3, "{point}: {found} is not {expected}");
        }
    }
}

#[test]
fn the_box_repeats() {
    let grid = grid();
    let value = |wrap: GridWrap, at: [i32; 3]| {
        let point = grid.world_from_index().transform_point3(IVec3::from_array(at).as_dvec3());
        let lookup = GridLookup {
            wrap: [wrap; 3],
            closest: true,
            ..GridLookup::at(point.as_vec3())
        };
        grid.sample(&lookup).value[0]
    };
    assert_eq!(value(GridWrap::Clamp, [-5, 3, 40]), voxel([0, 3, 17]));
    assert_eq!(value(GridWrap::Periodic, [-5, 3, 40]), voxel([16, 3, 4]));
    assert_eq!(value(GridWrap::Mirror, [-5, 3, 20]), voxel([4, 3, 15]));
    assert_eq!(value(GridWrap::Black, [-5, 3, 4]), 0.0);
    assert_eq!(value(GridWrap::Black, [5, 3, 4]), voxel([5, 3, 4]));
}

/// Bounds hold for all points of a box, and are those of the voxels that are interpolated there.
#[test]
fn bounds_are_tight() {
    let grid = grid();
    let mut boxes = points();
    let low = Vec3::ZERO;
    let high = (IVec3::from_array(SIZE) - 1).as_vec3();
    while let (Some(a), Some(b)) = (boxes.next(), boxes.next()) {
        let bounds = Bounds::of_points([a, b]);
        let [min, max] = grid.range_in(bounds);
        let (first, last) = (bounds.min.floor(), (bounds.max.floor() + 1.0).min(high));
        let mut exact = [f32::INFINITY, f32::NEG_INFINITY];
        for x in first.x as i32..=last.x as i32 {
            for y in first.y as i32..=last.y as i32 {
                for z in first.z as i32..=last.z as i32 {
                    let v = voxel([x, y, z]);
                    exact = [exact[0].min(v), exact[1].max(v)];
                }
            }
        }
        assert!((min - exact[0]).abs() < 1e-5 && (max - exact[1]).abs() < 1e-5, "{bounds:?}");
        assert!(max >= exact[1] && min <= exact[0]);
        assert_eq!(grid.max_in(bounds), max);
    }
    // Background is outside.
    assert_eq!(grid.range_in(Bounds { min: low - 9.0, max: low - 3.0 }), [0.0, 0.0]);
    let [min, max] = grid.range_in(Bounds { min: low - 9.0, max: high + 9.0 });
    assert!(min == 0.0 && max > 0.99);
}

#[test]
fn same_bits_for_constants() {
    let grid = grid();
    let point = Vec3::new(9.3, 1.7, 10.9);
    assert_eq!(grid.value(point).to_bits(), 0.5_f32.to_bits());
}
