//! Callee of a material: its name, and whether it is a volume shader.

use rustc_hash::FxHashSet;
use shading::graph::TemplateRef;
use shading::hir::UnitKind;
use shading::syntax::ast;
use shading::{ShadingSystem, Template};

/// Name of the unit or group that a material calls; `None` if it calls neither.
pub(super) fn callee(surface: &ast::Expr) -> Option<&str> {
    match &surface.kind {
        ast::ExprKind::Call { name, .. } => Some(&name.text),
        ast::ExprKind::Name(name) => Some(name),
        _ => None,
    }
}

/// Returns whether a unit is a volume shader or a group contains one. Surfaces of such a material are null interfaces.
pub(super) fn is_volume_shader(system: &ShadingSystem, name: &str) -> bool {
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let mut pending = vec![name.to_owned()];
    while let Some(name) = pending.pop() {
        match system.template(&name) {
            Some(Template::Unit(unit)) if unit.hir.kind == UnitKind::Volume => return true,
            Some(Template::Group(group)) if seen.insert(name) => {
                pending.extend(group.nodes().iter().map(|node| match &node.template {
                    TemplateRef::Named(name) => name.clone(),
                    TemplateRef::Template(template) => template.name().to_owned(),
                }));
            }
            _ => {}
        }
    }
    false
}
