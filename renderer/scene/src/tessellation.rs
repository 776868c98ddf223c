//! Description of tessellation.

use renderer_tessellation::Subdivision;

/// How a shape becomes triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TessellationDesc {
    /// The surface that its polygons define.
    pub subdivision: Subdivision,
    /// Size of the triangles.
    pub dicing: DicingDesc,
}

/// Size of the triangles of a tessellated shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DicingDesc {
    /// Each edge of a polygon is divided into 2^level parts.
    Level(u32),
    /// Length of edges in the picture [pixels], positive.
    Pixels(f32),
    /// Length of edges in the world [m], positive.
    Length(f32),
}

impl Default for DicingDesc {
    fn default() -> DicingDesc {
        DicingDesc::Pixels(1.0)
    }
}
