//! Bodies: what has an inside. A path is in a stack of them, which says what it is in.
//!
//! A shape that is closed is a body of its own, if its material has an inside: a medium, or an index of refraction. Open
//! shapes of one material bound one body together. Whether a body is there is known before rays find it, and does not
//! depend on what a shader computes at a point of its surface: a hole in its surface opens it for light, but it does not
//! end there.
//!
//! Where bodies overlap, the higher priority wins. Of bodies with equal priorities, those that refract are in the larger
//! ones, and displace what these are filled with, as a stone does in water; media alone mix. A boundary of a body that is
//! not there is no boundary: light passes straight.

mod stack;
mod table;

use crate::material::{MaterialId, Medium};
use renderer_base::math::Bounds;
use renderer_geometry::ShapeId;
use renderer_scene::Priority;

pub use stack::{Boundary, Fill, MediumStack, beer_lambert};
pub use table::Bodies;

/// Index of a body; a lower one wins against a higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Material.
    pub material: MaterialId,
    /// A shape of its boundary; `None` if it has no boundary.
    pub shape: Option<ShapeId>,
    /// Priority against other bodies.
    pub priority: Priority,
    /// True if what is around it is not inside.
    pub displaces: bool,
    /// Index of refraction; 1 if it does not matter to other bodies.
    pub ior: f32,
    /// What fills it.
    pub medium: Medium,
    /// True if open shapes bound it, or none.
    pub is_open: bool,
    /// Bounds of its boundary, world space.
    pub bounds: Bounds,
}
