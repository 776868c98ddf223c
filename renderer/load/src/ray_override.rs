//! Declarations `override KIND = CALL;`: rays of a kind see another shader on every surface.

use std::path::Path;

use shading::syntax::ast::{Declaration, ExprKind, Item};
use shading::{Diagnostics, Preprocessor, Source};

use super::context::LoadContext;
use super::field::Field;
use super::material::surface_of;
use super::table::{DeclarationPart, Key, body_of, name_of, read_block, takes_only};
use renderer_scene::{RayFilter, RayOverride, SceneDesc};

/// Keys of `override KIND = CALL { … }`.
pub(super) const OVERRIDE: &[Key<Vec<String>>] = &[Key {
    name: "except",
    doc: "names of shapes, imports or materials that keep their shader: `{\"floor\", \"ball\"}`; none by default",
    set: |except, field, context| {
        let list = match &field.expr.kind {
            ExprKind::Braces(list) => list.as_slice(),
            _ => std::slice::from_ref(field.expr),
        };
        let text = |expr| Field { key: field.key, expr }.string(context);
        except.extend(list.iter().filter_map(text));
    },
}];

pub(super) fn read_override(declaration: &Declaration, context: &mut LoadContext) -> Option<RayOverride> {
    let parts = [DeclarationPart::Name, DeclarationPart::Value, DeclarationPart::Body];
    takes_only(declaration, &parts, context);
    let kind = name_of(declaration, context)?;
    let Some(rays) = RayFilter::named(&kind) else {
        let names: Vec<&str> = RayFilter::ALL.iter().map(|(name, _)| *name).collect();
        let diagnostic = context
            .error_at(declaration.span, format!("there are no rays of kind `{kind}`"))
            .nearest(&kind, names.iter().copied())
            .hint(format!("the kinds are: {}", names.join(", ")));
        context.push(diagnostic);
        return None;
    };
    let Some(call) = &declaration.value else {
        let diagnostic = context
            .error_at(declaration.span, "the override has no shader")
            .hint(format!("write `override {kind} = clay();`"));
        context.push(diagnostic);
        return None;
    };
    let mut except = vec![];
    read_block(body_of(declaration), "an override", &[OVERRIDE], &mut except, context);
    Some(RayOverride {
        span: declaration.span,
        rays,
        shader: surface_of(call, context)?,
        except,
    })
}

/// Adds an override that a user writes as `KIND=CALL`, perhaps with `except NAME,NAME` behind it. File names in it are
/// relative to the working directory.
///
/// # Errors
/// When it is none.
pub fn add_override(desc: &mut SceneDesc, text: &str) -> Result<(), Diagnostics> {
    let (what, except) = text.split_once(" except ").unwrap_or((text, ""));
    let (kind, call) = what.split_once('=').unwrap_or((what, ""));
    let mut context = LoadContext::new(desc.file_system.clone(), Preprocessor::default());
    context.sources = std::mem::take(&mut desc.sources);
    let text = match call.trim() {
        "" => format!("override {};", kind.trim()),
        call => format!("override {} = {call};", kind.trim()),
    };
    let (_, file) = context.parse(Source::new("--override", text), Path::new(""));
    for item in &file.items {
        if let Item::Declaration(declaration) = item
            && let Some(mut read) = read_override(declaration, &mut context)
        {
            let names = except.split(',').map(str::trim).filter(|name| !name.is_empty());
            read.except.extend(names.map(str::to_owned));
            desc.overrides.push(read);
        }
    }
    desc.sources = context.sources;
    match context.diagnostics.has_errors() {
        true => Err(context.diagnostics),
        false => Ok(()),
    }
}
