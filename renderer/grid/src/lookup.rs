//! Lookup request and result: position, derivatives, wrap modes.

use glam::Vec3;

/// A lookup at a point of world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridLookup {
    /// The point.
    pub point: Vec3,
    /// Offset to the point of the next pixel in x, for derivatives.
    pub dx: Vec3,
    /// Offset to the point of the next pixel in y.
    pub dy: Vec3,
    /// Wrap modes outside of the box of active voxels, by axis.
    pub wrap: [GridWrap; 3],
    /// True for the value of the nearest voxel.
    pub closest: bool,
    /// True if derivatives are needed.
    pub derivatives: bool,
}

impl GridLookup {
    /// The interpolated value at a point.
    pub fn at(point: Vec3) -> GridLookup {
        GridLookup {
            point,
            dx: Vec3::ZERO,
            dy: Vec3::ZERO,
            wrap: [GridWrap::None; 3],
            closest: false,
            derivatives: false,
        }
    }
}

/// Values outside the box of active voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridWrap {
    /// As in the grid: the background.
    #[default]
    None,
    /// Zero.
    Black,
    /// The value of the nearest voxel of the box.
    Clamp,
    /// The box repeats.
    Periodic,
    /// The box repeats, mirrored each second time.
    Mirror,
}

/// Result of a lookup: channels that the grid does not have are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GridSample {
    /// Value.
    pub value: [f32; 4],
    /// Differential of the value over `dx`.
    pub dx: [f32; 4],
    /// Differential of the value over `dy`.
    pub dy: [f32; 4],
}
