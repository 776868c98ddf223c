//! Keys `keys` and `velocities` of meshes, curves and points: vertices that move.

use std::sync::Arc;

use glam::Vec3;
use shading::Span;
use shading::syntax::ast::{Expr, ExprKind};

use super::context::LoadContext;
use super::field::{Field, Given};
use super::value::{SceneValue, items};
use renderer_geometry::{AttributeDomain, Mesh, MeshAttribute};
use renderer_scene::VertexKeys;

/// Source of the motion of vertices.
pub(super) enum VertexSource {
    Constant,
    Keys(VertexKeys),
    /// Velocity of each vertex [m/s].
    Velocities(Vec<Vec3>),
}

/// File at a time in frames.
pub(super) type FileKey = (f64, Given<String>);

/// Reads `{ at(0, "a.ply"), at(12, "b.ply") }`.
pub(super) fn file_keys(field: &Field<'_>, context: &mut LoadContext) -> Vec<FileKey> {
    let mut keys: Vec<FileKey> = vec![];
    for expr in items(field.expr) {
        let Some(value) = context.value(expr) else {
            return vec![];
        };
        let key = match &value {
            SceneValue::Call(name, args) if name == "at" => match args.as_slice() {
                [SceneValue::Number(time), SceneValue::String(file)] if time.is_finite() => {
                    Some((*time, file))
                }
                _ => None,
            },
            _ => None,
        };
        let Some((time, file)) = key else {
            context.error(expr.span, "a key is `at(frame, \"file\")`");
            return vec![];
        };
        if let Some((last, _)) = keys.last().filter(|(last, _)| time <= *last) {
            context.error(expr.span, format!("the keys are not in order: {time} is not after {last}"));
            return vec![];
        }
        keys.push((time, Given { value: file.clone(), span: expr.span }));
    }
    keys
}

/// Names of the files of keys as written.
pub(super) fn named_files(expr: &Expr) -> Vec<(&str, Span)> {
    let mut names = vec![];
    for key in items(expr) {
        let ExprKind::Call { args, .. } = &key.kind else {
            continue;
        };
        if let Some(ExprKind::String(name)) = args.get(1).map(|arg| &arg.value.kind) {
            names.push((name.as_str(), key.span));
        }
    }
    names
}

/// Velocities of vertices [m/s], by their attribute `velocity` or by `vx`, `vy` and `vz`.
pub(super) fn velocities(attributes: &[MeshAttribute]) -> Option<Vec<Vec3>> {
    let find = |name: &str, width: usize| {
        attributes.iter().find(|attribute| {
            attribute.name == name && attribute.domain == AttributeDomain::Vertex && attribute.width == width
        })
    };
    if let Some(whole) = find("velocity", 3) {
        return Some(whole.values.chunks_exact(3).map(Vec3::from_slice).collect());
    }
    let [x, y, z] = [find("vx", 1)?, find("vy", 1)?, find("vz", 1)?];
    let components = x.values.iter().zip(&y.values).zip(&z.values);
    Some(components.map(|((&x, &y), &z)| Vec3::new(x, y, z)).collect())
}

/// The mesh of a model that has one.
pub(super) fn only_mesh(model: &renderer_import::Model) -> Option<Arc<Mesh>> {
    match model.shapes.as_slice() {
        [shape] => Some(shape.mesh.clone()),
        _ => None,
    }
}
