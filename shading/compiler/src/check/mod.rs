//! Semantic analysis: resolves names and types and lowers every unit from AST to [`crate::hir`] in one pass.
//!
//! - All errors of a file are reported together. The value of an incorrect expression is `None`, which causes no further
//!   errors: one mistake, one message.
//! - Functions are inlined at each call, which supports unsized arrays and arguments by reference without cost; recursive
//!   ones become [`hir::Function`]s. Each function is also checked separately, and its errors are reported only then.
//! - Structures are flattened: a value is the list of the values of its *leaves*, the fields that are not structures.
//! - Library functions that can be written in the language are in `prelude.ksl`; only functions that are called cost time.

mod access;
mod adaptive;
mod argument;
mod attribute;
mod body;
mod call;
mod checker;
mod closure;
mod cloud;
mod construct;
mod conversion;
mod emit;
mod error;
mod expr;
mod file_variable;
mod foreign_name;
mod format;
mod frame;
mod function;
mod global_uses;
mod host_global;
mod inference;
mod invocation;
mod literal;
mod lvalue;
mod message;
mod named_constant;
mod noise;
mod operator;
mod option;
mod overload;

mod prelude;
mod recursion;
mod reference;
mod sample;
mod scope;
mod space;
mod stmt;
mod struct_info;
mod structure;
mod surface;
mod texture;
mod types;
mod typing;
mod unit;
mod unit_use;
mod value;
mod warning;

use crate::builtins;
use crate::hir::ClosureRegistry;
use crate::hir::{self, Unit};
use crate::ty::{Length, Type};
use shading_syntax::ast::{self, Passing};
use shading_syntax::diagnostic::{Diagnostic, Diagnostics, Severity};
use shading_syntax::source::SourceMap;

use checker::Checker;
use error::CheckError;
use value::TypedValue;

pub use adaptive::specialise;
pub(crate) use body::zero_const;
pub use checker::Environment;
pub use checker::deep_stack;
pub use host_global::{HostGlobal, HostGlobalError};
pub use reference::{ReferencePart, ReferencePath};
pub use unit_use::{ParamUse, UnitUse};

/// The result of [`check`].
#[derive(Clone, Debug, Default)]
pub struct CheckedFile {
    /// Units of the file, in order, without those with errors.
    pub units: Vec<Unit>,
    /// Errors and warnings, in source order.
    pub diagnostics: Diagnostics,
}

/// Checks the functions and units of a file. Groups and declarations are checked by other modules.
pub fn check(file: &ast::File, environment: &Environment<'_>) -> CheckedFile {
    deep_stack(|| {
        let mut checker = Checker::of_file(file, environment);
        let declared = checker.declare_all(file);
        checker.check_functions(&declared);
        let mut units = vec![];
        for item in &file.items {
            match item {
                ast::Item::Unit(unit) => units.extend(checker.unit(unit)),
                ast::Item::Group(group) => {
                    checker.metadata(&group.metadata);
                    for param in &group.params {
                        checker.metadata(&param.metadata);
                    }
                }
                ast::Item::Function(_)
                | ast::Item::Struct(_)
                | ast::Item::Variables(_)
                | ast::Item::Declaration(_) => {}
            }
        }
        CheckedFile { units, diagnostics: checker.finish() }
    })
}

/// Compiles an expression to a unit with one output `result`, and with a parameter for each reference that `inputs`
/// contains, named by the reference as written (`tex.result`, `tint`, `a[2]`). Other names denote globals. `file` provides
/// the functions, structures and sources. With `expected`, the result has that type.
///
/// # Errors
/// The errors in the expression.
pub fn expression(
    file: &ast::File,
    expr: &ast::Expr,
    expected: Option<Type>,
    inputs: &mut dyn FnMut(&ReferencePath) -> Option<Type>,
    environment: &Environment<'_>,
) -> Result<Unit, Diagnostics> {
    deep_stack(|| {
        let mut checker = Checker::of_file(file, environment);
        checker.quiet += 1;
        // Declaring and checking all functions for each expression would be slow for large scenes.
        if may_need(file, expr) {
            let declared = checker.declare_some(file, &file.functions_of_expr(expr));
            if checker.calls_functions(expr) {
                checker.check_functions(&declared);
            }
        }
        checker.quiet -= 1;
        let unit = checker.expression_unit(expr, expected, inputs);
        let diagnostics = checker.finish();
        match unit {
            Some(unit) => diagnostics.into_result(unit),
            None => Err(diagnostics),
        }
    })
}

/// Returns whether an expression may need the declarations of a file: it calls a function that is not built in or that the
/// file declares, or may operate on structures.
fn may_need(file: &ast::File, expr: &ast::Expr) -> bool {
    let mut needs = match &expr.kind {
        ast::ExprKind::Call { name, .. } => {
            let is_built_in =
                builtins::overloads(&name.text).next().is_some() || is_prelude_function(&name.text);
            !is_built_in || file.declares_function(&name.text)
        }
        _ => file.declares_structures(),
    };
    expr.for_each_operand(&mut |operand| needs = needs || may_need(file, operand));
    needs
}

/// Lowers the metadata of a group or of its parameters, without entries that have errors; [`check`] reports these errors.
pub fn metadata(list: &[ast::Metadata], sources: &SourceMap) -> Vec<hir::Metadata> {
    let closures = ClosureRegistry::default();
    let mut checker = Checker::new(sources, &Environment::new(&closures));
    checker.quiet += 1;
    checker.metadata(list)
}

/// Resolves the type of a group's parameter, which cannot be a structure; void for `any`.
///
/// # Errors
/// If there is no such type.
pub fn param_type(param: &ast::Param, sources: &SourceMap) -> Result<Type, Diagnostic> {
    let closures = ClosureRegistry::default();
    let mut checker = Checker::new(sources, &Environment::new(&closures));
    if checker.is_any(&param.ty) && param.array.is_none() && param.passing != Passing::Output {
        return Ok(Type::VOID);
    }
    let ty = checker.resolve(&param.ty, param.array.as_ref());
    if ty == Some(Type::VOID) {
        checker.report(param.ty.span, CheckError::VoidVariable);
    }
    if let (Some(ty), Passing::Output) = (ty, param.passing)
        && ty.length == Length::Unsized
    {
        let name = param.name.text.clone();
        checker.report(param.name.span, CheckError::UnsizedOutput(name));
    }
    match (checker.finish().list.into_iter().find(|d| d.severity == Severity::Error), ty) {
        (None, Some(ty)) => Ok(ty),
        (Some(error), _) => Err(error),
        (None, None) => Err(Diagnostic::error("unknown type").at(sources, param.ty.span, "")),
    }
}

/// Returns whether the prelude has a function of that name.
pub fn is_prelude_function(name: &str) -> bool {
    call::SPECIAL_NAMES.contains(&name) || prelude::has(name)
}
