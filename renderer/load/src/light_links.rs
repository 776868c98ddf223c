//! Keys of lights, shapes and imports for light linking.

use std::sync::Arc;

use shading::syntax::ast::{Expr, ExprKind};

use super::context::LoadContext;
use super::field::Field;
use super::table::{Key, set};
use super::value::SceneValue;
use renderer_scene::{LightLinks, LightVisibility, ShapeFilter, ShapePattern};

/// Name of the empty list.
const NONE: &str = "none";

/// Block that has light links.
pub(super) trait LinkBlock: Sized + 'static {
    /// The links.
    fn links(&mut self) -> &mut LightLinks;

    /// Keys of the links.
    const LINKS: &'static [Key<Self>] = &[
        Key {
            name: "illuminates",
            doc: "the only shapes that the light illuminates directly, by names of shapes and imports, with `*` and `?`: \
                  `(floor, \"tree*\")`, or `none`; all by default. Light that any surface has scattered goes everywhere",
            set: |block, field, context| {
                set(&mut block.links().receivers, patterns(&field, context).map(ShapeFilter::Only));
            },
        },
        Key {
            name: "excludes",
            doc: "shapes that the light does not illuminate directly, as in `illuminates`",
            set: |block, field, context| {
                set(&mut block.links().receivers, patterns(&field, context).map(ShapeFilter::Except));
            },
        },
        Key {
            name: "shadows",
            doc: "the only shapes that block the light, as in `illuminates`; `none` for a light without shadows; all by \
                  default",
            set: |block, field, context| {
                set(&mut block.links().blockers, patterns(&field, context).map(ShapeFilter::Only));
            },
        },
        Key {
            name: "shadow_excludes",
            doc: "shapes that do not block the light, as in `illuminates`",
            set: |block, field, context| {
                set(&mut block.links().blockers, patterns(&field, context).map(ShapeFilter::Except));
            },
        },
        Key {
            name: "visible_to",
            doc: "the only rays and lobes that receive the light, of `(camera, diffuse, glossy, transmission, volume)`, or \
                  `none`; all by default. A camera that does not see a light sees what is behind it",
            set: |block, field, context| set(&mut block.links().visible_to, visibility(&field, context)),
        },
    ];
}

/// Links for a description; `None` if they link everything.
pub(super) fn shared(links: &LightLinks) -> Option<Arc<LightLinks>> {
    (*links != LightLinks::default()).then(|| Arc::new(links.clone()))
}

/// Reads a list of names of shapes.
fn patterns(field: &Field<'_>, context: &mut LoadContext) -> Option<Vec<ShapePattern>> {
    let mut patterns = vec![];
    for expr in items(field.expr) {
        match name(field.key, expr, context)? {
            None => return Some(vec![]),
            Some(text) => patterns.push(ShapePattern { text, span: expr.span }),
        }
    }
    Some(patterns)
}

/// Reads a list of rays.
fn visibility(field: &Field<'_>, context: &mut LoadContext) -> Option<LightVisibility> {
    let mut visible_to = LightVisibility::NONE;
    if let ExprKind::Name(word) = &field.expr.kind
        && word == NONE
    {
        return Some(visible_to);
    }
    for expr in items(field.expr) {
        visible_to = visible_to | Field { key: field.key, expr }.choice(context, &LightVisibility::NAMES)?;
    }
    Some(visible_to)
}

/// Elements of a list, or the only one.
fn items(expr: &Expr) -> &[Expr] {
    match &expr.kind {
        ExprKind::Tuple(list) | ExprKind::List(list) | ExprKind::Braces(list) => list,
        _ => std::slice::from_ref(expr),
    }
}

/// Reads a name, quoted or not; the inner `None` is the word `none`.
fn name(key: &str, expr: &Expr, context: &mut LoadContext) -> Option<Option<String>> {
    match context.value(expr)? {
        SceneValue::Name(name) if name == NONE => Some(None),
        SceneValue::Name(name) | SceneValue::String(name) => Some(Some(name)),
        other => {
            Field { key, expr }.mismatch(context, "names of shapes", &other);
            None
        }
    }
}
