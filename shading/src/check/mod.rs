//! The tree as written to [`crate::hir`]: names and types are resolved and every unit is lowered, in one pass.
//!
//! - All mistakes of a file are reported at once. What a mistake makes unknown is `None` on its way up, and nothing is
//!   said about `None`: one mistake, one message.
//! - Functions are lowered into their callers at each call, which gives unsized arrays and arguments by reference for
//!   nothing; recursive ones become [`hir::Function`]s. Each function is also checked once by itself, and only then are
//!   its mistakes reported.
//! - Structures vanish: a value of one is the list of the values of its *leaves*, the fields that are no structures.
//! - What the language can say itself is in `prelude.ksl`; a prelude function costs nothing until it is called.

mod adaptive;
mod argument;
mod attribute;
mod body;
mod call;
mod closure;
mod construct;
mod error;
mod expr;
mod format;
mod function;
mod invocation;
mod literal;
mod message;
mod noise;
mod operator;
mod overload;
mod place;
mod prelude;
mod scope;
mod space;
mod stmt;
mod texture;
mod types;
mod unit;
mod warning;

use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, Diagnostics, MAX_ERRORS, Severity};
use crate::eval::color_system::ColorSystem;
use crate::hir::ClosureRegistry;
use crate::hir::{self, Function, FunctionId, Unit};
use crate::source::{SourceMap, Span};
use crate::syntax::ast;
use crate::ty::Type;

use body::Body;
use error::CheckError;
use function::{Frame, FunctionInfo};
use place::Place;
use scope::{ScopeIndex, Scopes};
use types::StructInfo;
use warning::Warning;

use adaptive::Adaptive;

pub use adaptive::{ParamUse, Uses, specialise};
pub use unit::{ReferencePart, ReferencePath};

/// What the language is embedded in.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    /// The closures that shaders can make.
    pub closures: &'a ClosureRegistry,
    /// What the numbers of colours mean.
    pub color_system: ColorSystem,
}

impl<'a> Environment<'a> {
    /// With colours in Rec.709.
    pub fn new(closures: &'a ClosureRegistry) -> Environment<'a> {
        Environment {
            closures,
            color_system: ColorSystem::default(),
        }
    }
}

/// The result of [`check`].
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The units of the file, in order. One with mistakes is left out.
    pub units: Vec<Unit>,
    /// Errors and warnings, in order of their places.
    pub diagnostics: Diagnostics,
}

/// Checks the functions and units of a file. Groups and declarations are left to those who compose them.
pub fn check(file: &ast::File, environment: &Environment<'_>) -> Checked {
    deep_stack(|| {
        let mut checker = Checker::new(&file.sources, environment);
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
                ast::Item::Function(_) | ast::Item::Struct(_) | ast::Item::Declaration(_) => {}
            }
        }
        Checked {
            units,
            diagnostics: checker.finish(),
        }
    })
}

/// Makes a unit of an expression: one output `result`, and a parameter for each reference in it that `inputs` knows,
/// named by the reference as written (`tex.result`, `tint`, `a[2]`). What `inputs` does not know is looked for among the
/// globals. `file` gives the functions, the structures and the sources. With `expected` the result is of that type.
///
/// # Errors
/// The mistakes in the expression.
pub fn expression(
    file: &ast::File,
    expr: &ast::Expr,
    expected: Option<Type>,
    inputs: &mut dyn FnMut(&ReferencePath) -> Option<Type>,
    environment: &Environment<'_>,
) -> Result<Unit, Diagnostics> {
    deep_stack(|| {
        let mut checker = Checker::new(&file.sources, environment);
        checker.quiet += 1;
        let declared = checker.declare_all(file);
        // Looking at all functions for each expression of a large scene would take its time.
        if checker.calls_functions(expr) {
            checker.check_functions(&declared);
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

/// The metadata of a group or of its parameters. Entries with mistakes are left out: [`check`] reports them.
pub fn metadata(list: &[ast::Metadata]) -> Vec<hir::Metadata> {
    let (sources, closures) = (SourceMap::default(), ClosureRegistry::default());
    let mut checker = Checker::new(&sources, &Environment::new(&closures));
    checker.quiet += 1;
    checker.metadata(list)
}

/// The type of a parameter of a group, which is no structure.
///
/// # Errors
/// When there is no such type.
pub fn param_type(param: &ast::Param, sources: &SourceMap) -> Result<Type, Diagnostic> {
    let closures = ClosureRegistry::default();
    let mut checker = Checker::new(sources, &Environment::new(&closures));
    let ty = checker.resolve(&param.ty, param.array.as_ref());
    if ty == Some(Type::VOID) {
        checker.report(param.ty.span, CheckError::VoidVariable);
    }
    match (
        checker
            .finish()
            .list
            .into_iter()
            .find(|d| d.severity == Severity::Error),
        ty,
    ) {
        (None, Some(ty)) => Ok(ty),
        (Some(error), _) => Err(error),
        (None, None) => Err(Diagnostic::error("unknown type").at(sources, param.ty.span, "")),
    }
}

/// Whether the language itself brings a function of that name that is no built-in.
pub fn is_prelude_function(name: &str) -> bool {
    call::SPECIAL_NAMES.contains(&name) || prelude::has(name)
}

/// Nesting is bounded, but not by what every thread's stack holds.
pub(crate) fn deep_stack<T>(work: impl FnOnce() -> T) -> T {
    const STACK: usize = 64 << 20;
    stacker::maybe_grow(STACK / 2, STACK, work)
}

/// The state of a check.
struct Checker<'a> {
    sources: &'a SourceMap,
    closures: &'a ClosureRegistry,
    color_system: ColorSystem,
    diagnostics: Vec<(Span, Diagnostic)>,
    /// Which variables nothing uses: worth saying only when no mistake is the reason.
    unused: Vec<(Span, Diagnostic)>,
    /// What was said already, since a body may be walked more than once.
    said: FxHashSet<(Span, String)>,
    /// Above zero nothing is reported.
    quiet: u32,
    /// The first mistake that was not reported.
    failed: Option<(Span, CheckError)>,
    structs: Vec<StructInfo>,
    functions: Vec<FunctionInfo<'a>>,
    /// Functions whose declarations have mistakes.
    broken: Vec<&'a ast::Function>,
    scopes: Scopes<'a>,
    /// The innermost scope.
    scope: ScopeIndex,
    /// The code being made.
    body: Body,
    /// The function being lowered.
    frame: Frame,
    /// Functions of the unit that are not inlined, and which they are.
    called: PrimaryMap<FunctionId, Function>,
    called_ids: FxHashMap<usize, FunctionId>,
    /// Statements made and calls inlined for the unit.
    emitted: usize,
    /// Whether it was said that these are too many.
    is_exhaustion_told: bool,
    /// How many errors were reported.
    errors: usize,
    /// How many calls are being inlined within one another.
    inlined: usize,
    /// The call of a prelude function, whose own places would tell the user nothing.
    prelude_call: Option<Span>,
    /// Whether functions are checked by themselves: then calls are not followed.
    alone: Option<usize>,
    /// How references of a group's expression are resolved; empty in code.
    references: FxHashMap<String, Place>,
    /// Whether functions inside functions are recursive, by the places of their names.
    local_recursion: FxHashMap<Span, bool>,
    /// What `exit` leaves.
    unit_scope: Option<hir::ScopeId>,
    /// The unit that is being checked.
    unit_name: Option<String>,
    /// Whether the code being made is that of a function that is not inlined.
    is_apart: bool,
    /// How many bodies there were.
    bodies: u32,
    /// What is known of how the unit is used.
    adaptive: Adaptive,
    /// Whether it is a group's expression, where `(1, 2, 3)` is a triple.
    in_group: bool,
}

impl<'a> Checker<'a> {
    fn new(sources: &'a SourceMap, environment: &Environment<'a>) -> Checker<'a> {
        let mut checker = Checker {
            sources,
            closures: environment.closures,
            color_system: environment.color_system,
            diagnostics: vec![],
            unused: vec![],
            said: FxHashSet::default(),
            quiet: 0,
            failed: None,
            structs: vec![],
            functions: vec![],
            broken: vec![],
            scopes: Scopes::default(),
            scope: ScopeIndex::ROOT,
            body: Body::default(),
            frame: Frame::default(),
            called: PrimaryMap::new(),
            called_ids: FxHashMap::default(),
            emitted: 0,
            is_exhaustion_told: false,
            errors: 0,
            inlined: 0,
            prelude_call: None,
            alone: None,
            references: FxHashMap::default(),
            local_recursion: FxHashMap::default(),
            unit_scope: None,
            unit_name: None,
            is_apart: false,
            bodies: 0,
            in_group: false,
            adaptive: Adaptive::default(),
        };
        checker.scope = checker.scopes.push(ScopeIndex::ROOT);
        checker
    }

    /// Declares what stands at the top level; the functions with a body come back.
    fn declare_all(&mut self, file: &'a ast::File) -> Vec<usize> {
        for item in &file.items {
            if let ast::Item::Struct(structure) = item {
                self.declare_struct(structure);
            }
        }
        let mut declared = vec![];
        for item in &file.items {
            if let ast::Item::Function(function) = item {
                declared.extend(self.declare_function(function));
            }
        }
        declared
    }

    /// Checks functions by themselves, and finds which are recursive.
    fn check_functions(&mut self, declared: &[usize]) {
        for index in declared {
            self.check_alone(*index);
        }
        for function in std::mem::take(&mut self.broken) {
            self.check_calls(function);
        }
        self.find_recursion();
    }

    /// Whether a place is in a file of OSL's, where Kiln's own liberties are mistakes.
    fn is_osl(&self, span: Span) -> bool {
        self.sources.get(span.source).name.ends_with(".osl")
    }

    /// Reports a mistake.
    fn report(&mut self, span: Span, error: CheckError) {
        if self.quiet > 0 {
            self.failed.get_or_insert((span, error));
            return;
        }
        if self.errors >= MAX_ERRORS {
            return;
        }
        let diagnostic = error.diagnostic(self.sources, span);
        if self.said.insert((span, diagnostic.message.clone())) {
            self.diagnostics.push((span, diagnostic));
            self.errors += 1;
        }
    }

    /// Reports a doubt.
    fn warn(&mut self, span: Span, warning: Warning) {
        let is_unwanted = self.sources.get(span.source).is_quiet(span.start);
        if self.quiet > 0 || is_unwanted || self.said.len() >= 2 * MAX_ERRORS {
            return;
        }
        let is_unused = matches!(warning, Warning::Unused { .. });
        let diagnostic = warning.diagnostic(self.sources, span);
        if self.said.insert((span, diagnostic.message.clone())) {
            let list = if is_unused {
                &mut self.unused
            } else {
                &mut self.diagnostics
            };
            list.push((span, diagnostic));
        }
    }

    fn finish(mut self) -> Diagnostics {
        if self.errors == 0 {
            self.diagnostics.append(&mut self.unused);
        }
        self.diagnostics
            .sort_by_key(|(span, _)| (span.source.0, span.start));
        Diagnostics {
            list: self.diagnostics.into_iter().map(|(_, d)| d).collect(),
        }
    }
}

/// A value: one operand for each leaf of its type.
#[derive(Clone, Debug)]
struct Value {
    ty: Type,
    leaves: Vec<hir::Operand>,
}

impl Value {
    fn new(ty: Type, leaf: hir::Operand) -> Value {
        Value {
            ty,
            leaves: vec![leaf],
        }
    }

    fn void() -> Value {
        Value {
            ty: Type::VOID,
            leaves: vec![],
        }
    }

    /// The one operand of a value that is no structure.
    fn leaf(&self) -> hir::Operand {
        self.leaves[0]
    }
}
