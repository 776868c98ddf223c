//! Declarations `light NAME : KIND { … }`.

use std::sync::Arc;

use shading::syntax::ast::{Declaration, Entry, Expr};

use super::context::LoadContext;
use super::directional::read_directional;
use super::directional_area::read_directional_area;
use super::environment::read_environment;
use super::field::Given;
use super::group::{GROUP, group};
use super::light_links::{LinkBlock, shared};
use super::motion::{MOTION, motion};
use super::point::{read_point, read_spot};
use super::projector::read_projector;
use super::sky::read_sky;
use super::studio::read_studio;
use super::table::{Key, body_of, header_of, kind_of, read_block};
use renderer_scene::{LightDesc, LightLinks, Motion};

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

/// Keys of lights of any kind.
pub(super) const ANY: &[Key<LightBlock>] = &[
    Key {
        name: "group",
        doc: GROUP,
        set: |light, field, context| light.group = group(&field, context),
    },
    Key {
        name: "motion",
        doc: MOTION,
        set: |light, field, context| light.motion = motion(&field, context),
    },
];

/// Values of all lights.
#[derive(Default)]
pub(super) struct LightBlock {
    group: Option<Arc<str>>,
    motion: Option<Motion>,
    links: LightLinks,
}

impl LinkBlock for LightBlock {
    fn links(&mut self) -> &mut LightLinks {
        &mut self.links
    }
}

/// Reads the keys that all lights have; returns a declaration of the others too.
fn common(declaration: &Declaration, context: &mut LoadContext) -> (LightBlock, Declaration) {
    let tables = &[ANY, LightBlock::LINKS];
    let is_common =
        |entry: &Entry| tables.iter().copied().flatten().any(|key| key.name == entry.key.joined());
    let (common, own): (Vec<Entry>, Vec<Entry>) = body_of(declaration).iter().cloned().partition(is_common);
    let mut block = LightBlock::default();
    read_block(&common, "a light", tables, &mut block, context);
    let mut declaration = declaration.clone();
    if let Some(body) = &mut declaration.body {
        *body = own;
    }
    (block, declaration)
}

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
    let (block, declaration) = &common(declaration, context);
    let kind = match kind_of(declaration, None, &kinds, context)? {
        LightKeyword::Environment => read_environment(declaration, &mut portals, &mut shader, context),
        LightKeyword::Studio => read_studio(declaration, context),
        LightKeyword::Sky => read_sky(declaration, context),
        LightKeyword::Point => read_point(declaration, context)?,
        LightKeyword::Spot => read_spot(declaration, context)?,
        LightKeyword::Projector => read_projector(declaration, context)?,
        LightKeyword::DirectionalArea => read_directional_area(declaration, context),
        LightKeyword::Directional => read_directional(declaration, context),
    };
    let light = LightDesc {
        name,
        span: declaration.span,
        group: block.group.clone(),
        kind,
        motion: block.motion.clone().map(Arc::new),
        links: shared(&block.links),
    };
    Some(LightDeclaration { light, portals, shader })
}
