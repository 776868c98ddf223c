//! Description of a subdivision surface.

/// How the polygons of a mesh define a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subdivision {
    /// Rules of refinement.
    pub scheme: Scheme,
    /// Sharp edges.
    pub creases: Vec<Crease>,
    /// Sharp points: index in the file and sharpness.
    pub corners: Vec<(u32, f32)>,
    /// Indices of the polygons that are holes.
    pub holes: Vec<u32>,
    /// Shape of boundaries.
    pub boundary: Boundary,
    /// Interpolation of texture coordinates and attributes.
    pub uvs: UvInterpolation,
}

/// Rules of refinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Catmull and Clark 1978; a limit surface of bicubic patches.
    CatmullClark,
    /// Loop 1987, of triangles; polygons are triangulated.
    Loop,
    /// The polygons themselves.
    #[default]
    Polygons,
}

/// Chain of sharp edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Crease {
    /// Points along the chain, by their indices in the file.
    pub points: Vec<u32>,
    /// Number of refinements for which the edges stay sharp: 0 is smooth, 10 and more is infinitely sharp.
    pub sharpness: f32,
}

/// Shape of boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// Boundary edges are creases, and points of one face are rounded.
    Rounded,
    /// Boundary edges are creases, and points of one face are corners.
    #[default]
    Corners,
}

/// Interpolation of texture coordinates and attributes; the rules of face-varying data in OpenSubdiv.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UvInterpolation {
    /// Linear inside each polygon.
    Linear,
    /// Smooth, and linear along boundaries and seams.
    #[default]
    Boundaries,
    /// Smooth, also along boundaries and seams, with sharp corners and junctions.
    Corners,
    /// Smooth everywhere.
    Smooth,
}
