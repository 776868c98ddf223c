//! Overrides: shaders that replace those of all surfaces for rays of a kind.

use std::sync::Arc;

use shading::Span;
use shading::syntax::ast;

/// Replacement shader for rays of a kind.
#[derive(Clone, Debug)]
pub struct RayOverride {
    /// Source location of the declaration.
    pub span: Span,
    /// The rays.
    pub rays: RayFilter,
    /// Call of the unit or group.
    pub shader: Arc<ast::Expr>,
    /// Names of shapes, imports and materials that keep their own shader.
    pub except: Vec<String>,
}

/// Rays of an override.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RayFilter {
    /// Rays of any kind.
    All,
    /// Rays of a kind by its name in shaders (`raytype`), or `specular` and `transmission`.
    Kind(&'static str),
}

impl RayFilter {
    /// The filters by their names.
    pub const ALL: [(&'static str, RayFilter); 8] = [
        ("all", RayFilter::All),
        ("camera", RayFilter::Kind("camera")),
        ("shadow", RayFilter::Kind("shadow")),
        ("diffuse", RayFilter::Kind("diffuse")),
        ("specular", RayFilter::Kind("specular")),
        ("transmission", RayFilter::Kind("transmission")),
        ("photon", RayFilter::Kind("photon")),
        ("bake", RayFilter::Kind("bake")),
    ];

    /// The filter of a name.
    pub fn named(name: &str) -> Option<RayFilter> {
        let found = RayFilter::ALL.iter().find(|(known, _)| *known == name);
        found.map(|&(_, rays)| rays)
    }
}
