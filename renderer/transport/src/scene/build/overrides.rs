//! Shader overrides: surfaces that rays of one kind see as another shader.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::Diagnostic;
use shading::syntax::ast::{Argument, Expr, ExprKind};

use renderer_scene::{MaterialDesc, MaterialId, RayFilter, RayOverride, SceneDesc, ShapeDesc};

/// Unit that selects one of two surfaces by the kind of ray.
const SWITCH: &str = "by_ray_kind";

/// A description with its overrides applied.
pub(super) struct Overridden {
    pub(super) desc: SceneDesc,
    /// Material that each added material replaces.
    pub(super) replaced: Vec<MaterialId>,
}

/// Applies the overrides of a description: adds materials at the end and assigns them to the shapes. Materials that emit
/// (`emits`, by id) keep their shader, since light samples and rays that hit a light must agree. Names stay those of the
/// replaced materials.
pub(super) fn apply_overrides(desc: &SceneDesc, emits: &[bool]) -> Overridden {
    let mut changed = desc.clone();
    let mut replaced = vec![];
    let mut made: FxHashMap<(MaterialId, Vec<usize>), MaterialId> = FxHashMap::default();
    for shape in &mut changed.shapes {
        let material = shape.material;
        if emits[material.0 as usize] {
            continue;
        }
        let own = desc.material(material);
        let applied: Vec<usize> = (0..desc.overrides.len())
            .filter(|&index| !excepts(&desc.overrides[index], shape, own))
            .collect();
        if applied.is_empty() {
            continue;
        }
        let materials = &mut changed.materials;
        shape.material = *made.entry((material, applied.clone())).or_insert_with(|| {
            let overrides = applied.iter().map(|&index| &desc.overrides[index]);
            let surface =
                overrides.fold(own.surface.clone(), |base, change| Arc::new(switched(&base, change)));
            materials.push(MaterialDesc { surface, ..own.clone() });
            replaced.push(material);
            MaterialId(materials.len() as u32 - 1)
        });
    }
    changed.overrides.clear();
    Overridden { desc: changed, replaced }
}

/// Warnings of exceptions that name nothing in the scene.
pub(super) fn unused_exceptions(desc: &SceneDesc) -> Vec<Diagnostic> {
    let mut warnings = vec![];
    for change in &desc.overrides {
        for name in &change.except {
            let names = |shape: &ShapeDesc| is_of(name, shape, desc.material(shape.material));
            if !desc.shapes.iter().any(names) {
                let known = desc.shapes.iter().map(|shape| &*shape.name);
                let warning = Diagnostic::warning(format!("no shape, import or material is called `{name}`"));
                warnings.push(warning.at(&desc.sources, change.span, "").nearest(name, known));
            }
        }
    }
    warnings
}

/// Returns whether a shape keeps its own shader.
fn excepts(change: &RayOverride, shape: &ShapeDesc, material: &MaterialDesc) -> bool {
    change.except.iter().any(|name| is_of(name, shape, material))
}

/// Returns whether a shape, its import or its material has this name.
fn is_of(name: &str, shape: &ShapeDesc, material: &MaterialDesc) -> bool {
    let of_import = shape.name.strip_prefix(name);
    *name == *shape.name || name == material.name || of_import.is_some_and(|rest| rest.starts_with('.'))
}

/// Surface that is `base` except for rays of the override.
fn switched(base: &Expr, change: &RayOverride) -> Expr {
    match change.rays {
        RayFilter::All => (*change.shader).clone(),
        RayFilter::Kind(kind) => {
            let mut switch = Expr::call(SWITCH, vec![Argument::named("kind", Expr::string(kind))]);
            switch.set_span(change.span);
            let closures = [("base", as_call(base)), ("other", as_call(&change.shader))];
            if let ExprKind::Call { args, .. } = &mut switch.kind {
                args.extend(closures.map(|(name, value)| Argument::named(name, value)));
            }
            switch
        }
    }
}

/// A lone name as a call without arguments.
fn as_call(surface: &Expr) -> Expr {
    match &surface.kind {
        ExprKind::Name(name) => {
            let mut call = Expr::call(name, vec![]);
            call.set_span(surface.span);
            call
        }
        _ => surface.clone(),
    }
}
