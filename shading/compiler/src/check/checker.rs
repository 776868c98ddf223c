//! State of the checker: declarations, current code, diagnostics.

use std::collections::BTreeSet;

use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::Body;
use super::error::CheckError;
use super::frame::{FunctionFrame, FunctionInfo};
use super::global_uses::GlobalUses;
use super::host_global::HostGlobal;
use super::inference::Inference;
use super::lvalue::Lvalue;
use super::scope::{FileVariable, ScopeIndex, Scopes};
use super::struct_info::StructInfo;
use super::unit_use::Adaptive;
use super::warning::Warning;
use crate::eval::color_system::ColorSystem;
use crate::hir;
use crate::hir::{ClosureRegistry, ColorSpace, Function, FunctionId};
use shading_syntax::ast;
use shading_syntax::diagnostic::{Diagnostic, Diagnostics, MAX_ERRORS};
use shading_syntax::source::{SourceMap, Span};

/// Settings of the embedder that checking depends on.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    /// Registry of the available closures.
    pub closures: &'a ClosureRegistry,
    /// Colour system of colour values.
    pub color_system: ColorSystem,
    /// Globals of the embedder.
    pub globals: &'a [HostGlobal],
}

impl<'a> Environment<'a> {
    /// Creates an environment with Rec.709 colours.
    pub fn new(closures: &'a ClosureRegistry) -> Environment<'a> {
        Environment { closures, color_system: ColorSystem::default(), globals: &[] }
    }
}

/// Runs `work` with enough stack for the maximum nesting, whatever the thread's stack size. Traversals of checked code need
/// it too.
pub fn deep_stack<T>(work: impl FnOnce() -> T) -> T {
    const STACK: usize = 64 << 20;
    stacker::maybe_grow(STACK / 2, STACK, work)
}

pub(super) struct Checker<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) closures: &'a ClosureRegistry,
    pub(super) color_system: ColorSystem,
    pub(super) host_globals: &'a [HostGlobal],
    pub(super) diagnostics: Vec<(Span, Diagnostic)>,
    /// Warnings about unused variables. They are dropped if there are errors, which may be the cause.
    pub(super) unused: Vec<(Span, Diagnostic)>,
    /// Messages already reported; a body may be checked more than once.
    pub(super) reported: FxHashSet<(Span, String)>,
    /// Diagnostics are not reported while this is above zero.
    pub(super) quiet: u32,
    /// First error that was not reported.
    pub(super) failed: Option<(Span, CheckError)>,
    pub(super) structs: Vec<StructInfo>,
    /// Length in bytes of the paths to the leaves of all structures.
    pub(super) path_bytes: usize,
    pub(super) functions: Vec<FunctionInfo<'a>>,
    pub(super) file_variables: Vec<FileVariable<'a>>,
    /// Functions with errors in their declarations.
    pub(super) broken: Vec<&'a ast::Function>,
    pub(super) inference: Inference,
    pub(super) scopes: Scopes<'a>,
    pub(super) scope: ScopeIndex,
    /// Code under construction.
    pub(super) body: Body,
    /// Frame of the function being lowered.
    pub(super) frame: FunctionFrame,
    /// Functions of the unit that are not inlined, by id.
    pub(super) called: PrimaryMap<FunctionId, Function>,
    pub(super) called_ids: FxHashMap<usize, FunctionId>,
    /// Globals that these functions use themselves.
    pub(super) global_uses: FxHashMap<FunctionId, GlobalUses>,
    /// Number of statements emitted and calls inlined for the unit.
    pub(super) emitted: usize,
    /// Number of expressions lowered for the unit: calls and operators on constants emit no statements.
    pub(super) lowered: usize,
    /// True once the unit's size was reported as too large.
    pub(super) exhaustion_reported: bool,
    pub(super) errors: usize,
    /// Current nesting depth of inlined calls.
    pub(super) inlined: usize,
    /// Location of the outermost prelude call being inlined; locations inside the prelude would not help the user.
    pub(super) prelude_call: Option<Span>,
    /// The function being checked on its own, if any; calls are then not followed.
    pub(super) alone: Option<usize>,
    /// Lvalues of the references of a group's expression; empty in code.
    pub(super) references: FxHashMap<String, Lvalue>,
    /// For nested functions, by the location of their names: whether they are recursive.
    pub(super) local_recursion: FxHashMap<Span, bool>,
    /// Scope left by `exit`: the unit, or the default of a parameter.
    pub(super) unit_scope: Option<hir::ScopeId>,
    /// Name of the unit being checked.
    pub(super) unit_name: Option<String>,
    /// True if the code under construction belongs to a function that is not inlined.
    pub(super) is_apart: bool,
    /// Number of bodies created so far.
    pub(super) bodies: u32,
    /// Default colour space of the unit's texture files.
    pub(super) texture_space: ColorSpace,
    /// Known facts about the unit's use.
    pub(super) adaptive: Adaptive,
    /// True in a group's expression, in which `(1, 2, 3)` is a triple.
    pub(super) in_group: bool,
    /// Ints in a group's expression that are computed from literals.
    pub(super) whole_numbers: FxHashSet<hir::LocalId>,
    /// Names in text that could not be parsed. Errors about them are consequences and not reported.
    pub(super) unparsed: Option<&'a BTreeSet<String>>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(sources: &'a SourceMap, environment: &Environment<'a>) -> Checker<'a> {
        let mut checker = Checker {
            sources,
            closures: environment.closures,
            color_system: environment.color_system,
            host_globals: environment.globals,
            diagnostics: vec![],
            unused: vec![],
            reported: FxHashSet::default(),
            quiet: 0,
            failed: None,
            structs: vec![],
            path_bytes: 0,
            functions: vec![],
            file_variables: vec![],
            broken: vec![],
            inference: Inference::default(),
            scopes: Scopes::default(),
            scope: ScopeIndex::ROOT,
            body: Body::default(),
            frame: FunctionFrame::default(),
            called: PrimaryMap::new(),
            called_ids: FxHashMap::default(),
            global_uses: FxHashMap::default(),
            emitted: 0,
            lowered: 0,
            exhaustion_reported: false,
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
            whole_numbers: FxHashSet::default(),
            unparsed: None,
            texture_space: ColorSpace::Default,
            adaptive: Adaptive::default(),
        };
        checker.scope = checker.scopes.push(ScopeIndex::ROOT);
        checker
    }

    /// Creates a checker for the contents of a file.
    pub(super) fn of_file(file: &'a ast::File, environment: &Environment<'a>) -> Checker<'a> {
        Checker {
            unparsed: Some(&file.unparsed).filter(|names| !names.is_empty()),
            ..Checker::new(&file.sources, environment)
        }
    }

    /// Declares the top-level items; returns the functions with a body.
    pub(super) fn declare_all(&mut self, file: &'a ast::File) -> Vec<usize> {
        let all: Vec<usize> = (0..file.items.len()).collect();
        self.declare_some(file, &all)
    }

    /// Declares the structures and variables of a file, and the functions among some items; returns those with a body.
    pub(super) fn declare_some(&mut self, file: &'a ast::File, functions: &[usize]) -> Vec<usize> {
        for item in &file.items {
            if let ast::Item::Struct(structure) = item {
                self.declare_struct(structure);
            }
        }
        for item in &file.items {
            if let ast::Item::Variables(stmt) = item {
                self.declare_file_variables(stmt);
            }
        }
        let mut declared = vec![];
        for &index in functions {
            if let ast::Item::Function(function) = &file.items[index] {
                declared.extend(self.declare_function(function));
            }
        }
        declared
    }

    /// Checks each function separately, and finds the recursive ones.
    pub(super) fn check_functions(&mut self, declared: &[usize]) {
        for index in declared {
            self.check_alone(*index);
        }
        for function in std::mem::take(&mut self.broken) {
            self.check_calls(function);
        }
        self.find_recursion();
    }

    /// Returns whether a location is in an OSL file, in which Kiln's extensions are errors.
    pub(super) fn is_osl(&self, span: Span) -> bool {
        self.sources.get(span.source).name.ends_with(".osl")
    }

    pub(super) fn report(&mut self, span: Span, error: CheckError) {
        let is_consequence =
            |names: &BTreeSet<String>| error.subject().is_some_and(|name| names.contains(name));
        if self.quiet > 0 || self.unparsed.is_some_and(is_consequence) {
            self.failed.get_or_insert((span, error));
            return;
        }
        if self.errors >= MAX_ERRORS {
            return;
        }
        let diagnostic = error.diagnostic(self.sources, span);
        if self.reported.insert((span, diagnostic.message.clone())) {
            self.diagnostics.push((span, diagnostic));
            self.errors += 1;
        }
    }

    pub(super) fn warn(&mut self, span: Span, warning: Warning) {
        // The text that could not be parsed may use or assign the variable.
        let is_consequence = matches!(warning, Warning::Unused(..) | Warning::Uninitialised(..));
        let is_unwanted =
            self.sources.get(span.source).is_quiet(span.start) || is_consequence && self.unparsed.is_some();
        if self.quiet > 0 || is_unwanted || self.reported.len() >= 2 * MAX_ERRORS {
            return;
        }
        let is_unused = matches!(warning, Warning::Unused(..));
        // Warnings in an included header do not concern the user.
        let source = self.sources.get(span.source);
        if is_unused && source.locate(span.start).0 != source.name {
            return;
        }
        let diagnostic = warning.diagnostic(self.sources, span);
        if self.reported.insert((span, diagnostic.message.clone())) {
            let list = if is_unused { &mut self.unused } else { &mut self.diagnostics };
            list.push((span, diagnostic));
        }
    }

    pub(super) fn finish(mut self) -> Diagnostics {
        if self.errors == 0 {
            self.diagnostics.append(&mut self.unused);
        }
        self.diagnostics.sort_by_key(|(span, _)| (span.source.0, span.start));
        Diagnostics { list: self.diagnostics.into_iter().map(|(_, d)| d).collect() }
    }
}
