//! Lookups of grids: the nearest voxel, or trilinear interpolation with its gradient.

use glam::{IVec3, Vec3};

use super::grid::{Border, Grid};
use super::lookup::{GridLookup, GridSample, GridWrap};
use super::tree::{Content, Slot, Tree, voxel_index};

/// Values of the eight voxels around a point: x varies slowest, z fastest.
type Corners<const C: usize> = [[f32; C]; 8];

impl Grid {
    /// Looks up the grid at a point of world space.
    pub fn sample(&self, lookup: &GridLookup) -> GridSample {
        match self.channels() {
            1 => self.sample_channels::<1>(lookup),
            2 => self.sample_channels::<2>(lookup),
            3 => self.sample_channels::<3>(lookup),
            _ => self.sample_channels::<4>(lookup),
        }
    }

    /// The first channel at a point of index space, interpolated.
    pub fn value(&self, point: Vec3) -> f32 {
        match self.channels() {
            1 => self.interpolated::<1>(point)[0],
            2 => self.interpolated::<2>(point)[0],
            3 => self.interpolated::<3>(point)[0],
            _ => self.interpolated::<4>(point)[0],
        }
    }

    /// Interpolated channels at a point of index space; missing channels are zero.
    pub fn values(&self, point: Vec3) -> [f32; 4] {
        match self.channels() {
            1 => padded(self.interpolated::<1>(point)),
            2 => padded(self.interpolated::<2>(point)),
            3 => padded(self.interpolated::<3>(point)),
            _ => padded(self.interpolated::<4>(point)),
        }
    }

    #[inline]
    fn interpolated<const C: usize>(&self, point: Vec3) -> [f32; C] {
        match self.inside(point) {
            Some(point) => {
                let (cell, t) = cell(point);
                trilinear(&corners(&self.tree, cell), t)
            }
            None => self.tree.tile(0),
        }
    }

    /// The point at which voxels are interpolated; `None` for the background.
    #[inline]
    fn inside(&self, point: Vec3) -> Option<Vec3> {
        match self.border {
            Border::Background => {
                let [low, high] = self.tree.extent()?.map(|voxel| voxel.as_vec3());
                let is_near = point.cmpgt(low - 1.0).all() && point.cmplt(high + 1.0).all();
                is_near.then_some(point)
            }
            Border::Clamped(bounds) => {
                let [low, high] = bounds.map(|voxel| voxel.as_vec3());
                let is_near = point.cmpge(low - 0.5).all() && point.cmple(high + 0.5).all();
                is_near.then(|| point.clamp(low, high))
            }
        }
    }

    fn sample_channels<const C: usize>(&self, lookup: &GridLookup) -> GridSample {
        let point = self.index_from_world().transform_point3(lookup.point);
        let (corners, t) = if lookup.wrap == [GridWrap::None; 3] {
            match self.inside(point) {
                Some(point) if lookup.closest => {
                    let nearest = (point + 0.5).floor().as_ivec3();
                    return still(self.tree.voxel::<C>(nearest));
                }
                Some(point) => {
                    let (cell, t) = cell(point);
                    (corners::<C>(&self.tree, cell), t)
                }
                None => return still(self.tree.tile::<C>(0)),
            }
        } else {
            match self.wrapped_corners::<C>(point, lookup) {
                Some(found) => found,
                None => return still(self.tree.tile::<C>(0)),
            }
        };
        let mut sample = still(trilinear(&corners, t));
        if lookup.derivatives && !lookup.closest {
            let slopes = gradient(&corners, t);
            for (out, difference) in [(&mut sample.dx, lookup.dx), (&mut sample.dy, lookup.dy)] {
                let difference = self.index_vector(difference);
                for (out, slope) in out.iter_mut().zip(slopes) {
                    *out = slope.dot(difference);
                }
            }
        }
        sample
    }

    /// Voxels around a point, with wrap modes applied outside of the box of active voxels; `None` without voxels, or
    /// for a non-finite point.
    fn wrapped_corners<const C: usize>(
        &self,
        mut point: Vec3,
        lookup: &GridLookup,
    ) -> Option<(Corners<C>, Vec3)> {
        let [low, high] = self.activity.bounds?;
        if lookup.closest {
            point = (point + 0.5).floor();
        }
        let limit = Vec3::splat(MAX_COORDINATE);
        if !(point.cmpge(-limit).all() && point.cmple(limit).all()) {
            return None;
        }
        let (cell, t) = cell(point);
        let place = |axis: usize, at: i32| wrapped(lookup.wrap[axis], at, low[axis], high[axis]);
        let corners = std::array::from_fn(|corner| {
            let at = cell + offset(corner);
            let places = (place(0, at.x), place(1, at.y), place(2, at.z));
            match places {
                (Some(x), Some(y), Some(z)) => self.tree.voxel(IVec3::new(x, y, z)),
                _ => [0.0; C],
            }
        });
        Some((corners, t))
    }
}

/// Farthest coordinate of index space at which grids repeat.
const MAX_COORDINATE: f32 = (1 << 24) as f32;

/// The voxel at a coordinate after wrapping; `None` for black.
fn wrapped(wrap: GridWrap, at: i32, low: i32, high: i32) -> Option<i32> {
    // The box may be as wide as the range of the numbers.
    let (at, low, high) = (i64::from(at), i64::from(low), i64::from(high));
    let size = high - low + 1;
    let place = match wrap {
        GridWrap::None => at,
        GridWrap::Black => return (low..=high).contains(&at).then_some(at as i32),
        GridWrap::Clamp => at.clamp(low, high),
        GridWrap::Periodic => low + (at - low).rem_euclid(size),
        GridWrap::Mirror => {
            let place = (at - low).rem_euclid(2 * size);
            low + place.min(2 * size - 1 - place)
        }
    };
    Some(place as i32)
}

fn padded<const C: usize>(values: [f32; C]) -> [f32; 4] {
    let mut all = [0.0; 4];
    all[..C].copy_from_slice(&values);
    all
}

/// A value without derivatives.
fn still<const C: usize>(value: [f32; C]) -> GridSample {
    GridSample { value: padded(value), ..GridSample::default() }
}

/// The voxel below a point on all axes, and the fractional offset from it.
#[inline]
fn cell(point: Vec3) -> (IVec3, Vec3) {
    let first = point.floor();
    (first.as_ivec3(), point - first)
}

/// Voxels from the first corner to another.
#[inline]
fn offset(corner: usize) -> IVec3 {
    IVec3::new((corner >> 2) as i32, (corner >> 1 & 1) as i32, (corner & 1) as i32)
}

#[inline]
fn corners<const C: usize>(tree: &Tree, cell: IVec3) -> Corners<C> {
    if (cell & 7).cmpeq(IVec3::splat(7)).any() {
        return corners_of_blocks(tree, cell);
    }
    match tree.slot(cell).content() {
        Content::Tile(tile) => [tree.tile(tile); 8],
        Content::Child(block) => {
            let first = voxel_index(cell);
            std::array::from_fn(|corner| {
                let offset = (corner >> 2) * 64 + (corner >> 1 & 1) * 8 + (corner & 1);
                tree.in_block(block, first + offset)
            })
        }
    }
}

/// Voxels of several blocks, each of which is found once.
fn corners_of_blocks<const C: usize>(tree: &Tree, cell: IVec3) -> Corners<C> {
    // Axes along which the next voxel is in another block, as the bits of a corner's index.
    let crossed = (cell & 7).cmpeq(IVec3::splat(7));
    let crossed =
        usize::from(crossed.test(0)) << 2 | usize::from(crossed.test(1)) << 1 | usize::from(crossed.test(2));
    let mut slots = [Slot::BACKGROUND; 8];
    std::array::from_fn(|corner| {
        let voxel = cell + offset(corner);
        let first = corner & crossed;
        if first == corner {
            slots[corner] = tree.slot(voxel);
        }
        tree.in_slot(slots[first], voxel)
    })
}

#[inline]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

#[inline]
fn trilinear<const C: usize>(corners: &Corners<C>, t: Vec3) -> [f32; C] {
    std::array::from_fn(|c| {
        let along_z = |corner: usize| lerp(corners[corner][c], corners[corner + 1][c], t.z);
        let along_y = |corner: usize| lerp(along_z(corner), along_z(corner + 2), t.y);
        lerp(along_y(0), along_y(4), t.x)
    })
}

/// Derivatives of the interpolated values along the axes of index space.
fn gradient<const C: usize>(corners: &Corners<C>, t: Vec3) -> [Vec3; C] {
    std::array::from_fn(|c| {
        let at = |corner: usize| corners[corner][c];
        let bilinear = |[a, b, d, e]: [f32; 4], u: f32, v: f32| lerp(lerp(a, b, v), lerp(d, e, v), u);
        let x = [0, 1, 2, 3].map(|i| at(i + 4) - at(i));
        let y = [0, 1, 4, 5].map(|i| at(i + 2) - at(i));
        let z = [0, 2, 4, 6].map(|i| at(i + 1) - at(i));
        Vec3::new(bilinear(x, t.y, t.z), bilinear(y, t.x, t.z), bilinear(z, t.x, t.y))
    })
}
