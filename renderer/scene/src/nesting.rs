//! Bodies in bodies: which of them is where they overlap, and what their indices of refraction refer to.

/// Priority of what is inside of a surface: where bodies overlap there is the one of the highest priority; of equal ones,
/// a body that refracts is in the larger one, and media mix.
// Schmidt & Budge 2002, "Simple Nested Dielectrics in Ray Traced Images".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub i32);

/// What the index of refraction of a material refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// A vacuum: light meets the index over that of the body which the surface is in.
    #[default]
    Absolute,
    /// What is on the other side, whatever that is.
    Relative,
}
