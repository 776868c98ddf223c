//! Rays that shaders trace (`trace`): request and hit.
//!
//! `trace(point, direction)` queries the host for the first hit of a ray, with OSL's options `"mindist"`, `"maxdist"`,
//! `"shade"` and `"traceset"`. `getmessage("trace", name, variable)` then reads `hit`, `hitdist`, `geom:name`, the globals
//! at the hit (`P`, `N`, `u` …) and the attributes of the object. The host receives `"shade"`. Kiln's host does not run the
//! shader at the hit, so `getmessage` finds none of its parameters, outputs and messages, and returns 0. A host without ray
//! tracing returns no hit. A layer of a group that traces runs when its outputs are first read, and a ray whose result is
//! unused is not traced.

/// A ray traced by a shader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRay<'a> {
    /// Origin, "common" space.
    pub origin: [f32; 3],
    /// Direction, of any length.
    pub direction: [f32; 3],
    /// Minimum distance.
    pub min_distance: f32,
    /// Maximum distance.
    pub max_distance: f32,
    /// True if the shader at the hit should run, too.
    pub shade: bool,
    /// Name of the set of objects that the ray can hit, or with a leading `-` cannot hit; empty for all objects.
    pub set: &'a str,
}

/// Hit of a traced ray. The embedder defines all fields except the distance, to reconstruct the hit point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraceHit {
    /// Distance from the origin.
    pub distance: f32,
    /// Origin of the ray.
    pub origin: [f32; 3],
    /// Direction of the ray.
    pub direction: [f32; 3],
    /// Object id.
    pub object: u32,
    /// Primitive id.
    pub primitive: u32,
    /// Position on the primitive.
    pub place: [f32; 2],
}
