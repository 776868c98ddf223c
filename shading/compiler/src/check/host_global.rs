//! Globals of the embedder: names that shaders read like `P` and `u`, and whose values are attributes of the host.

use super::named_constant::constant_names;
use crate::builtins::Global;
use crate::hir::Kind;
use crate::ty::{Base, Type};
use shading_syntax::ast::{ExprKind, Item, Stmt, StmtKind};
use shading_syntax::parse;
use shading_syntax::source::Source;

/// A global of the embedder: a name and a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostGlobal {
    name: String,
    ty: Type,
}

/// Reasons why a global cannot be declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostGlobalError {
    /// The name is not an identifier, or has a meaning in the language.
    #[error("no global can be called `{name}`: it is no name, or one of the language's own")]
    Name {
        /// The name.
        name: String,
    },
    /// Only types with a size, except closures, are allowed.
    #[error("global `{name}` cannot be of the type {ty}")]
    Type {
        /// The name.
        name: String,
        /// The type.
        ty: Type,
    },
}

impl HostGlobal {
    /// Declares a global.
    ///
    /// # Errors
    /// If the name or the type is invalid.
    pub fn new(name: &str, ty: Type) -> Result<HostGlobal, HostGlobalError> {
        let name = name.to_owned();
        if !is_free(&name) {
            return Err(HostGlobalError::Name { name });
        }
        match Kind::of(ty) {
            Some(_) if ty.base != Base::Closure && ty.count() > 0 => Ok(HostGlobal { name, ty }),
            _ => Err(HostGlobalError::Type { name, ty }),
        }
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Type.
    pub fn ty(&self) -> Type {
        self.ty
    }
}

/// Returns whether a name can denote a variable.
fn is_free(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_known = Global::from_name(name).is_some()
        || name == "Ci"
        || name.starts_with("__")
        || constant_names().any(|known| known == name);
    // Keywords are no expressions.
    let is_name = || {
        let text = format!("float f() {{ return {name}; }}");
        let (file, mistakes) = parse(Source::new("global.ksl", text));
        let mut returned = file.items.iter().filter_map(|item| match item {
            Item::Function(function) => function.body.as_deref(),
            _ => None,
        });
        let body = returned.next().unwrap_or_default();
        !mistakes.has_errors()
            && matches!(body, [Stmt { kind: StmtKind::Return(Some(value)), .. }]
                if matches!(&value.kind, ExprKind::Name(read) if read == name))
    };
    is_plain && !is_known && is_name()
}
