//! Declarations `light NAME : KIND { … }`.

use shading::syntax::ast::{Declaration, Expr};

use super::context::LoadContext;
use super::directional::read_directional;
use super::environment::read_environment;
use super::field::Given;
use super::point::{read_point, read_spot};
use super::projector::read_projector;
use super::sheet::read_directional_area;
use super::sky::read_sky;
use super::studio::read_studio;
use super::table::{header_of, kind_of};
use renderer_scene::LightDesc;

/// Kinds of lights.
#[derive(Clone, Copy)]
enum LightKeyword {
    Environment,
    Studio,
    Sky,
    Point,
    Spot,
    Projector,
    DirectionalArea,
    Directional,
}

/// Light before name resolution.
pub(super) struct LightDeclaration {
    pub(super) light: LightDesc,
    /// Names of the shapes that are its portals.
    pub(super) portals: Vec<Given<String>>,
    /// Call of the shader that computes its radiance.
    pub(super) shader: Option<Expr>,
}

/// Names of a light's portals, before name resolution.
pub(super) struct PendingPortals {
    /// Index of the light.
    pub(super) light: usize,
    pub(super) names: Vec<Given<String>>,
}

/// Reads a `light` declaration.
pub(super) fn read_light(declaration: &Declaration, context: &mut LoadContext) -> Option<LightDeclaration> {
    let name = header_of(declaration, context)?;
    let kinds = [
        ("environment", LightKeyword::Environment),
        ("studio", LightKeyword::Studio),
        ("sky", LightKeyword::Sky),
        ("point", LightKeyword::Point),
        ("spot", LightKeyword::Spot),
        ("projector", LightKeyword::Projector),
        ("directional_area", LightKeyword::DirectionalArea),
        ("directional", LightKeyword::Directional),
    ];
    let mut portals = vec![];
    let mut shader = None;
    let kind = match kind_of(declaration, None, &kinds, context)? {
        LightKeyword::Environment => read_environment(declaration, &mut portals, &mut shader, context),
        LightKeyword::Studio => read_studio(declaration, context),
        LightKeyword::Sky => read_sky(declaration, context),
        LightKeyword::Point => read_point(declaration, context),
        LightKeyword::Spot => read_spot(declaration, context)?,
        LightKeyword::Projector => read_projector(declaration, context)?,
        LightKeyword::DirectionalArea => read_directional_area(declaration, context),
        LightKeyword::Directional => read_directional(declaration, context),
    };
    let light = LightDesc {
        name,
        span: declaration.span,
        kind,
    };
    Some(LightDeclaration {
        light,
        portals,
        shader,
    })
}
