//! Bodies: objects with an interior. A path keeps the interior list, the list of the bodies that contain it, as for
//! nested dielectrics.
//!
//! A closed shape is a body if its material has a medium, a priority or an index of refraction. Open shapes of one
//! material bound one body together. Bodies are known before rendering and do not depend on shader results at single
//! points: light passes a hole in the surface, but the interior does not end there.
//!
//! Where bodies overlap, the highest priority wins. Among equal priorities, a refracting body inside a larger one
//! replaces its medium, as a stone does in water; media of bodies that do not refract add up. The surface of a body
//! inside a body that wins is a null interface.
// Schmidt & Budge 2002, "Simple Nested Dielectrics in Ray Traced Images".

mod list;
mod table;

use crate::material::{MaterialId, Medium};
use renderer_base::math::Bounds;
use renderer_geometry::ShapeId;
use renderer_scene::Priority;

pub use list::{Boundary, InteriorList, MediumClass, beer_lambert};
pub use table::Bodies;

/// Index of a body; the lower index wins where bodies overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

/// Object with an interior.
#[derive(Clone, Debug)]
pub struct Body {
    /// Material.
    pub material: MaterialId,
    /// A shape of its boundary; `None` for the medium that fills the scene.
    pub shape: Option<ShapeId>,
    /// Priority where bodies overlap.
    pub priority: Priority,
    /// True if it replaces the medium around it (it refracts).
    pub refracts: bool,
    /// Index of refraction for bodies inside; 1 if it has none.
    pub ior: f32,
    /// Medium.
    pub medium: Medium,
    /// True if no closed surface bounds it.
    pub is_open: bool,
    /// Bounds of its surface, world space.
    pub bounds: Bounds,
}
