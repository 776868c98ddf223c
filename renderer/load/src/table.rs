//! Key tables of blocks: name, documentation and reader of each key; `renderer/docs/scene-format.md` is generated from
//! them.

use rustc_hash::FxHashMap;
use shading::Span;
use shading::syntax::ast::{Declaration, Entry, EntryValue};

use super::context::LoadContext;
use super::field::Field;

/// Key of a block that is read into a `T`.
pub(super) struct Key<T> {
    pub(super) name: &'static str,
    /// Documentation: accepted values, meaning and default.
    pub(super) doc: &'static str,
    /// Reads the value into `T`; reports an error if it does not fit.
    pub(super) set: fn(&mut T, Field<'_>, &mut LoadContext),
}

/// Key whose value is a block of free names, which `attributes` reads.
pub(super) const ATTRIBUTES: &str = "attributes";

/// Pairs of alternative keys: a block that has both sides accepts one of them.
const ALTERNATIVES: [[&[&str]; 2]; 8] = [
    [&["transform"], &["from", "to", "up"]],
    [&["to"], &["direction"]],
    [&["map"], &["ground"]],
    [&["shader"], &["map", "ground", "rows"]],
    [&["dicing"], &["level", "edge_length"]],
    [&["level"], &["edge_length"]],
    [&["illuminates"], &["excludes"]],
    [&["shadows"], &["shadow_excludes"]],
];

/// Returns whether the two keys exclude each other.
pub(super) fn exclude(key: &str, other: &str) -> bool {
    ALTERNATIVES.iter().any(|[one, two]| {
        (one.contains(&key) && two.contains(&other)) || (two.contains(&key) && one.contains(&other))
    })
}

/// Reads the entries of a block by its key tables. `what` names the kind of block in messages. Returns whether all
/// values were read without error; after an error, callers skip checks that depend on them.
pub(super) fn read_block<T>(
    entries: &[Entry],
    what: &str,
    tables: &[&[Key<T>]],
    into: &mut T,
    context: &mut LoadContext,
) -> bool {
    let before = context.errors();
    let mut seen: FxHashMap<String, Span> = FxHashMap::default();
    for entry in entries {
        let name = entry.key.joined();
        let keys = || tables.iter().flat_map(|table| table.iter());
        let Some(key) = keys().find(|key| key.name == name) else {
            unknown_key(&name, entry.key.span, what, keys().map(|key| key.name).collect(), context);
            continue;
        };
        if let Some(first) = seen.insert(name, entry.key.span) {
            let diagnostic = context.error_at(entry.key.span, format!("`{}` is given twice", key.name)).at(
                &context.sources,
                first,
                "here first",
            );
            context.push(diagnostic);
            continue;
        }
        match &entry.value {
            EntryValue::Expr(expr) => (key.set)(into, Field { key: key.name, expr }, context),
            EntryValue::Block { kind: None, .. } if key.name == ATTRIBUTES => {}
            EntryValue::Block { .. } => {
                context.error(entry.span, format!("`{}` takes a value, not a block", key.name));
            }
        }
    }
    for [one, other] in ALTERNATIVES {
        let place = |keys: &[&str]| keys.iter().find_map(|key| seen.get(*key).copied());
        if let (Some(first), Some(second)) = (place(one), place(other)) {
            let message = format!("{what} takes either {} or {}", list(one), list(other));
            let diagnostic = context.error_at(second, message).at(&context.sources, first, "the other");
            context.push(diagnostic);
        }
    }
    context.errors() == before
}

/// Formats a list of keys: `` `from`, `to` and `up` ``.
fn list(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// Assigns the value, if it could be read.
pub(super) fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

fn unknown_key(name: &str, span: Span, what: &str, known: Vec<&str>, context: &mut LoadContext) {
    let list = known.join(", ");
    let diagnostic = context
        .error_at(span, format!("{what} has no key `{name}`"))
        .nearest(name, known);
    let diagnostic = match list.as_str() {
        "" => diagnostic.hint(format!("{what} takes no keys")),
        _ => diagnostic.hint(format!("its keys are: {list}")),
    };
    context.push(diagnostic);
}

/// Kind of a declaration, of those in `kinds`: `perspective` of `camera main : perspective`.
pub(super) fn kind_of<T: Copy>(
    declaration: &Declaration,
    default: Option<T>,
    kinds: &[(&'static str, T)],
    context: &mut LoadContext,
) -> Option<T> {
    let list = || kinds.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let keyword = &declaration.keyword.text;
    let Some(kind) = &declaration.kind else {
        if default.is_none() {
            let example = declaration.target.as_ref().map(|t| t.joined()).unwrap_or_default();
            let diagnostic = context
                .error_at(declaration.keyword.span, format!("the {keyword} has no kind"))
                .hint(format!(
                    "write `{keyword} {example} : KIND {{ … }}`; the kinds are: {}",
                    list().join(", ")
                ));
            context.push(diagnostic);
        }
        return default;
    };
    let found = kinds.iter().find(|(name, _)| *name == kind.text);
    if found.is_none() {
        let diagnostic = context
            .error_at(kind.span, format!("there is no {keyword} of kind `{}`", kind.text))
            .nearest(&kind.text, list())
            .hint(format!("the kinds are: {}", list().join(", ")));
        context.push(diagnostic);
    }
    found.map(|(_, value)| *value)
}

/// Name of a declaration, which must be one word or one string.
pub(super) fn name_of(declaration: &Declaration, context: &mut LoadContext) -> Option<String> {
    let keyword = &declaration.keyword.text;
    match &declaration.target {
        Some(path) => Some(path.joined()),
        None => {
            context.error(declaration.keyword.span, format!("the {keyword} has no name"));
            None
        }
    }
}

/// Name of a declaration that has a name, a kind and a block, and no other parts.
pub(super) fn header_of(declaration: &Declaration, context: &mut LoadContext) -> Option<String> {
    let parts = [DeclarationPart::Name, DeclarationPart::Kind, DeclarationPart::Body];
    takes_only(declaration, &parts, context);
    name_of(declaration, context)
}

/// Reports parts of a declaration that its keyword does not accept.
pub(super) fn takes_only(declaration: &Declaration, parts: &[DeclarationPart], context: &mut LoadContext) {
    let target = declaration.target.as_ref().map(|path| path.span);
    let kind = declaration.kind.as_ref().map(|kind| kind.span);
    let value = declaration.value.as_ref().map(|value| value.span);
    let body = declaration.body.as_ref().map(|_| declaration.span);
    let alias = declaration.alias.as_ref().map(|alias| alias.span);
    for (part, span, what) in [
        (DeclarationPart::Name, target, "name"),
        (DeclarationPart::Kind, kind, "kind"),
        (DeclarationPart::Value, value, "value"),
        (DeclarationPart::Body, body, "block"),
        (DeclarationPart::Alias, alias, "`as`"),
    ] {
        if let (false, Some(span)) = (parts.contains(&part), span) {
            context.error(span, format!("`{}` takes no {what}", declaration.keyword.text));
        }
    }
}

/// Parts of a declaration after its keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclarationPart {
    Name,
    Kind,
    Value,
    Body,
    Alias,
}

/// Entries of a declaration's block; empty if it has no block.
pub(super) fn body_of(declaration: &Declaration) -> &[Entry] {
    declaration.body.as_deref().unwrap_or_default()
}
