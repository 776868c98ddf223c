//! Rays that shaders trace (`trace`): request and hit.

/// A ray that a shader traces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRay<'a> {
    /// Where it starts, "common" space.
    pub origin: [f32; 3],
    /// Where it goes, of any length.
    pub direction: [f32; 3],
    /// The least distance that counts.
    pub min_distance: f32,
    /// The largest distance that counts.
    pub max_distance: f32,
    /// Whether the shader of what is hit is wanted too.
    pub shade: bool,
    /// The name of the set of objects that the ray sees, or with a `-` in front does not see; empty for all objects.
    pub set: &'a str,
}

/// What such a ray hit. Its numbers besides the distance are the embedder's, from which it finds the point again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraceHit {
    /// Distance from the origin.
    pub distance: f32,
    /// Where the ray that found it started.
    pub origin: [f32; 3],
    /// Where that ray went.
    pub direction: [f32; 3],
    /// Which object.
    pub object: u32,
    /// Which primitive of it.
    pub primitive: u32,
    /// Where on the primitive.
    pub place: [f32; 2],
}
