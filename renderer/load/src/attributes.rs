//! The block `attributes = { NAME = VALUE; … }` of shapes and imports: values that shaders read by name.

use shading::syntax::ast::{Entry, EntryValue, ExprKind};

use super::context::LoadContext;
use super::field::{Field, Range};
use super::table::{ATTRIBUTES, Key};
use super::value::SceneValue;
use renderer_geometry::{ObjectAttributes, ObjectValue};

/// The key, for the tables of blocks that have it.
pub(super) const fn key<T>() -> Key<T> {
    Key {
        name: ATTRIBUTES,
        doc: "attributes, which shaders read by name, with `getattribute` or as `[[ int interpolated = 1 ]]` inputs: \
              `{ wet = 0.3; tint = (0.8, 0.2, 0.1); label = \"left\"; }`; up to 16 numbers, or a string. They have \
              precedence over attributes of the mesh with the same name; none by default",
        set: |_, field, context| {
            // No entries: `{}`.
            if matches!(&field.expr.kind, ExprKind::Braces(list) if list.is_empty()) {
                return;
            }
            let diagnostic = context
                .error_at(field.span(), format!("`{ATTRIBUTES}` takes a block, not a value"))
                .hint("as in `attributes = { wet = 0.3; tint = (0.8, 0.2, 0.1); }`");
            context.push(diagnostic);
        },
    }
}

/// Reads the attributes among the entries of a block.
pub(super) fn read_attributes(entries: &[Entry], context: &mut LoadContext) -> ObjectAttributes {
    let block = entries.iter().find_map(|entry| match &entry.value {
        EntryValue::Block { entries, .. } if entry.key.joined() == ATTRIBUTES => Some(entries),
        _ => None,
    });
    let mut list: Vec<(String, ObjectValue)> = vec![];
    for Entry { key, value, span } in block.into_iter().flatten() {
        let name = key.joined();
        let EntryValue::Expr(expr) = value else {
            context.error(*span, format!("the attribute `{name}` takes a value, not a block"));
            continue;
        };
        if list.iter().any(|(known, _)| *known == name) {
            context.error(key.span, format!("the attribute `{name}` is given twice"));
            continue;
        }
        let field = Field { key: &name, expr };
        if let Some(value) = object_value(field, context) {
            list.push((name, value));
        }
    }
    ObjectAttributes::new(list)
}

/// Maximum number of numbers of an attribute: those of a matrix.
const MAX_NUMBERS: usize = 16;

fn object_value(field: Field<'_>, context: &mut LoadContext) -> Option<ObjectValue> {
    let numbers = match context.value(field.expr)? {
        SceneValue::Bool(b) => vec![f64::from(u8::from(b))],
        SceneValue::Number(x) => vec![x],
        SceneValue::Tuple(list) if (1..=MAX_NUMBERS).contains(&list.len()) => list,
        SceneValue::String(text) => return Some(ObjectValue::Text(text.into())),
        other => {
            field.mismatch(context, "1 to 16 numbers, or a string in quotes", &other);
            return None;
        }
    };
    let narrow = numbers.into_iter().map(|x| field.in_range(context, x, Range::Any));
    Some(ObjectValue::Numbers(narrow.collect::<Option<_>>()?))
}
