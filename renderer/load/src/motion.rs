//! Key `motion`: transforms at times, `{ at(0, translate(0, 0, 0)), at(12, translate(1, 0, 0)) }`.

use std::sync::Arc;

use glam::Affine3A;
use shading::syntax::ast::Expr;

use super::context::LoadContext;
use super::field::Field;
use super::transform::narrow;
use super::value::{SceneValue, items};
use renderer_base::math::in_double;
use renderer_scene::{Motion, TransformKey};

pub(super) const MOTION: &str = "transforms at times in frames, as `{ at(0, translate(0, 0, 0)), at(12, translate(1, 0, 0)) }`, \
     applied after the placement; rotation, scale and translation are interpolated, and constant before the first and \
     after the last; none by default";

/// Reads a list of keys.
pub(super) fn motion(field: &Field<'_>, context: &mut LoadContext) -> Option<Motion> {
    let mut keys: Vec<TransformKey> = vec![];
    for expr in items(field.expr) {
        let key = read_key(field, expr, context)?;
        if let Some(last) = keys.last() {
            let message = if key.time <= last.time {
                Some(format!("the keys are not in order: {} is not after {}", key.time, last.time))
            } else if key.is_mirrored() != last.is_mirrored() {
                Some("a scale passes zero between two keys".to_owned())
            } else {
                None
            };
            if let Some(message) = message {
                context.error(expr.span, message);
                return None;
            }
        }
        keys.push(key);
    }
    if keys.is_empty() {
        context.error(field.span(), format!("`{}` has no keys", field.key));
        return None;
    }
    Some(Motion::keys(keys))
}

fn read_key(field: &Field<'_>, expr: &Expr, context: &mut LoadContext) -> Option<TransformKey> {
    let value = context.value(expr)?;
    let SceneValue::Call(name, args) = &value else {
        field.mismatch(context, "keys, as { at(0, translate(0, 1, 0)) }", &value);
        return None;
    };
    let ("at", [SceneValue::Number(time), SceneValue::Transform(matrix)]) = (name.as_str(), args.as_slice())
    else {
        context.error(expr.span, "a key is `at(frame, transform)`");
        return None;
    };
    if !time.is_finite() || narrow(*matrix).is_none() {
        context.error(expr.span, "the key is singular: it squashes space, or has infinite numbers");
        return None;
    }
    let key = TransformKey::new(*time, *matrix);
    if key.is_none() {
        context.error(
            expr.span,
            "the key shears: only rotation, scale and translation are interpolated",
        );
    }
    key
}

/// Motion of an object that `outer` moves after `transform`, with a placement or a motion of its own; `None` if nothing
/// moves.
pub(super) fn placed(
    outer: Option<&Motion>,
    transform: &Affine3A,
    (own, placement): (Option<&Arc<Motion>>, &Affine3A),
) -> Option<Arc<Motion>> {
    if outer.is_none() && own.is_none() {
        return None;
    }
    let transform = Motion::constant(in_double(transform));
    let inner = match own {
        Some(own) => transform.then_of(own),
        None => transform.then_of(&Motion::constant(in_double(placement))),
    };
    Some(Arc::new(match outer {
        Some(outer) => outer.clone().then_of(&inner),
        None => inner,
    }))
}
