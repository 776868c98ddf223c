//! State of the checker: declarations, current code, diagnostics.

use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::Body;
use super::error::CheckError;
use super::frame::{FunctionFrame, FunctionInfo};
use super::lvalue::Lvalue;
use super::scope::{ScopeIndex, Scopes};
use super::structure::StructInfo;
use super::uses::Adaptive;
use super::warning::Warning;
use crate::eval::color_system::ColorSystem;
use crate::hir;
use crate::hir::{ClosureRegistry, ColorSpace, Function, FunctionId};
use shading_syntax::ast;
use shading_syntax::diagnostic::{Diagnostic, Diagnostics, MAX_ERRORS};
use shading_syntax::source::{SourceMap, Span};

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

/// Nesting is bounded, but not by what every thread's stack holds.
pub(crate) fn deep_stack<T>(work: impl FnOnce() -> T) -> T {
    const STACK: usize = 64 << 20;
    stacker::maybe_grow(STACK / 2, STACK, work)
}

/// The state of a check.
pub(super) struct Checker<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) closures: &'a ClosureRegistry,
    pub(super) color_system: ColorSystem,
    pub(super) diagnostics: Vec<(Span, Diagnostic)>,
    /// Which variables nothing uses: worth saying only when no mistake is the reason.
    pub(super) unused: Vec<(Span, Diagnostic)>,
    /// What was said already, since a body may be walked more than once.
    pub(super) said: FxHashSet<(Span, String)>,
    /// Above zero nothing is reported.
    pub(super) quiet: u32,
    /// The first mistake that was not reported.
    pub(super) failed: Option<(Span, CheckError)>,
    pub(super) structs: Vec<StructInfo>,
    pub(super) functions: Vec<FunctionInfo<'a>>,
    /// Functions whose declarations have mistakes.
    pub(super) broken: Vec<&'a ast::Function>,
    pub(super) scopes: Scopes<'a>,
    /// The innermost scope.
    pub(super) scope: ScopeIndex,
    /// The code being made.
    pub(super) body: Body,
    /// The function being lowered.
    pub(super) frame: FunctionFrame,
    /// Functions of the unit that are not inlined, and which they are.
    pub(super) called: PrimaryMap<FunctionId, Function>,
    pub(super) called_ids: FxHashMap<usize, FunctionId>,
    /// Statements made and calls inlined for the unit.
    pub(super) emitted: usize,
    /// Whether it was said that these are too many.
    pub(super) is_exhaustion_told: bool,
    /// How many errors were reported.
    pub(super) errors: usize,
    /// How many calls are being inlined within one another.
    pub(super) inlined: usize,
    /// The call of a prelude function, whose own places would tell the user nothing.
    pub(super) prelude_call: Option<Span>,
    /// Whether functions are checked by themselves: then calls are not followed.
    pub(super) alone: Option<usize>,
    /// How references of a group's expression are resolved; empty in code.
    pub(super) references: FxHashMap<String, Lvalue>,
    /// Whether functions inside functions are recursive, by the places of their names.
    pub(super) local_recursion: FxHashMap<Span, bool>,
    /// What `exit` leaves: the unit, or the default of a parameter.
    pub(super) unit_scope: Option<hir::ScopeId>,
    /// The unit that is being checked.
    pub(super) unit_name: Option<String>,
    /// Whether the code being made is that of a function that is not inlined.
    pub(super) is_apart: bool,
    /// How many bodies there were.
    pub(super) bodies: u32,
    /// What the numbers of texture files mean to the unit where nothing is said.
    pub(super) texture_space: ColorSpace,
    /// What is known of how the unit is used.
    pub(super) adaptive: Adaptive,
    /// Whether it is a group's expression, where `(1, 2, 3)` is a triple.
    pub(super) in_group: bool,
}

impl<'a> Checker<'a> {
    pub(super) fn new(sources: &'a SourceMap, environment: &Environment<'a>) -> Checker<'a> {
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
            frame: FunctionFrame::default(),
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
            texture_space: ColorSpace::Default,
            adaptive: Adaptive::default(),
        };
        checker.scope = checker.scopes.push(ScopeIndex::ROOT);
        checker
    }

    /// Declares what stands at the top level; the functions with a body come back.
    pub(super) fn declare_all(&mut self, file: &'a ast::File) -> Vec<usize> {
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
    pub(super) fn check_functions(&mut self, declared: &[usize]) {
        for index in declared {
            self.check_alone(*index);
        }
        for function in std::mem::take(&mut self.broken) {
            self.check_calls(function);
        }
        self.find_recursion();
    }

    /// Whether a place is in a file of OSL's, where Kiln's own liberties are mistakes.
    pub(super) fn is_osl(&self, span: Span) -> bool {
        self.sources.get(span.source).name.ends_with(".osl")
    }

    /// Reports a mistake.
    pub(super) fn report(&mut self, span: Span, error: CheckError) {
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
    pub(super) fn warn(&mut self, span: Span, warning: Warning) {
        let is_unwanted = self.sources.get(span.source).is_quiet(span.start);
        if self.quiet > 0 || is_unwanted || self.said.len() >= 2 * MAX_ERRORS {
            return;
        }
        let is_unused = matches!(warning, Warning::Unused { .. });
        // Whoever includes a header has not written it.
        let source = self.sources.get(span.source);
        if is_unused && source.locate(span.start).0 != source.name {
            return;
        }
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

    pub(super) fn finish(mut self) -> Diagnostics {
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
