//! Nested dielectrics: priority of interiors, and reference of indices of refraction.

/// Priority of the interior of a surface: of overlapping bodies, the highest priority counts. Of equal ones, the smallest
/// refracting body displaces the others, and media mix.
// Schmidt & Budge 2002, "Simple Nested Dielectrics in Ray Traced Images".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub i32);

/// Reference of the index of refraction of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// Vacuum: the relative index is the ratio to that of the surrounding body.
    #[default]
    Absolute,
    /// The other side of the surface, whatever its index.
    Relative,
}
