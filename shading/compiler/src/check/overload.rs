//! Overload resolution by OSL's rules.
//!
//! Each argument is ranked by its conversion, and the candidates with the highest sum remain. Ties are decided by the match
//! of the result with the expected type, then by OSL's order of result types, then by origin: user functions (later ones
//! first), prelude, built-ins. An ambiguity between structures is an error.

use std::cmp::Reverse;

use super::Checker;
use super::TypedValue;
use super::adaptive::ANY;
use super::argument::CallArgument;
use super::conversion::{conversion_rank, near};
use super::error::CheckError;
use super::frame::{ANY_TYPE, Formal};
use super::prelude;
use super::scope::ScopeIndex;
use super::warning::Warning;
use crate::builtins::{self, Builtin, Signature};
use crate::hir::{Op, Operand, RayKind};
use crate::ty::{Base, Length, Type};
use shading_syntax::source::Span;

/// Target of a call.
#[derive(Clone, Copy, Debug)]
enum Callee {
    Function(usize),
    Builtin(&'static Signature),
}

/// A candidate of overload resolution with its signature.
struct Candidate {
    callee: Callee,
    formals: Vec<Formal>,
    variadic: bool,
    result: Type,
}

impl<'a> Checker<'a> {
    /// Calls the best matching function of a name.
    pub(super) fn call_named(
        &mut self,
        name: &str,
        given: Vec<CallArgument<'a>>,
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        let candidates = self.candidates(name);
        let ranks: Vec<Option<u32>> = candidates.iter().map(|c| self.rank(c, &given)).collect();
        let Some(best) = ranks.iter().flatten().max() else {
            self.no_candidate(name, &candidates, &given, span);
            return None;
        };
        // Of candidates with equal signatures, the first hides the others.
        let mut left: Vec<&Candidate> = vec![];
        for (candidate, rank) in candidates.iter().zip(&ranks) {
            if rank.as_ref() != Some(best) {
                continue;
            }
            let is_same = |other: &&mut &Candidate| {
                same_formals(&other.formals, &candidate.formals) && other.result == candidate.result
            };
            match left.iter_mut().find(is_same) {
                Some(other) if self.replaces(candidate, other, span) => *other = candidate,
                Some(_) => {}
                None => left.push(candidate),
            }
        }
        let callee = self.choose(name, &mut left, &given, expected, span)?.callee;
        match callee {
            Callee::Function(index) => self.invoke(index, &given, span),
            Callee::Builtin(signature) => self.call_builtin(signature, &given, span),
        }
    }

    /// Returns whether a function declared in the file accepts the arguments.
    pub(super) fn is_user_function_call(&mut self, name: &str, given: &[CallArgument<'a>]) -> bool {
        let candidates = self.candidates(name);
        let is_users = |candidate: &Candidate| match candidate.callee {
            Callee::Function(index) => !self.functions[index].is_prelude,
            Callee::Builtin(_) => false,
        };
        candidates
            .iter()
            .any(|candidate| is_users(candidate) && self.rank(candidate, given).is_some())
    }

    /// Order of declaration among the functions of a file, of which OSL prefers later ones; 0 for library functions.
    fn recency(&self, candidate: &Candidate) -> usize {
        match candidate.callee {
            Callee::Function(index) if !self.functions[index].is_prelude => index + 1,
            Callee::Function(_) | Callee::Builtin(_) => 0,
        }
    }

    /// Returns whether one candidate redefines another before the call.
    fn replaces(&self, candidate: &Candidate, other: &Candidate, call: Span) -> bool {
        let (Callee::Function(new), Callee::Function(old)) = (candidate.callee, other.callee) else {
            return false;
        };
        let (new, old) = (&self.functions[new], &self.functions[old]);
        let place = new.ast.name.span;
        new.scope == old.scope && !new.is_prelude && place.source == call.source && place.start < call.start
    }

    /// Chooses among candidates with equal argument ranks.
    fn choose<'c>(
        &mut self,
        name: &str,
        left: &mut [&'c Candidate],
        given: &[CallArgument<'a>],
        expected: Option<Type>,
        span: Span,
    ) -> Option<&'c Candidate> {
        let fit = |candidate: &Candidate| expected.and_then(|ty| conversion_rank(candidate.result, ty));
        let best = left.iter().map(|candidate| fit(candidate)).max()?;
        let mut fitting = left.iter().filter(|candidate| fit(candidate) == best);
        if let (Some(only), None) = (fitting.next(), fitting.next()) {
            return Some(only);
        }
        left.sort_by_key(|candidate| (result_order(candidate.result), Reverse(self.recency(candidate))));
        let first = *left.first()?;
        let structures = left.iter().filter(|c| matches!(c.result.base, Base::Struct(_)));
        let braces = given.iter().enumerate().filter(|(_, given)| given.ty().is_none());
        let is_guess = structures.count() > 1
            || braces.into_iter().any(|(i, _)| {
                let formal = |candidate: &Candidate| candidate.formals.get(i).map(|formal| formal.ty);
                left.iter().any(|other| formal(other) != formal(first))
            });
        if !is_guess {
            return Some(first);
        }
        let error = CheckError::Ambiguous {
            name: name.to_owned(),
            found: given.iter().map(|g| self.show_given(g)).collect(),
            candidates: left.iter().map(|c| self.show_candidate(name, c)).collect(),
        };
        self.report(span, error);
        None
    }

    fn candidates(&mut self, name: &str) -> Vec<Candidate> {
        let mut list = vec![];
        for index in self.functions_named(self.scope, name) {
            let info = &self.functions[index];
            // A prototype refers to a definition elsewhere.
            if info.ast.body.is_some() {
                list.push(Candidate {
                    callee: Callee::Function(index),
                    formals: info.formals.clone(),
                    variadic: false,
                    result: info.result,
                });
            }
        }
        let declared = !list.is_empty() || self.functions_named(self.scope, name).is_empty();
        let name = if declared { name } else { c_function(name) };
        if !declared {
            for index in self.functions_named(ScopeIndex::ROOT, name) {
                let info = &self.functions[index];
                list.push(Candidate {
                    callee: Callee::Function(index),
                    formals: info.formals.clone(),
                    variadic: false,
                    result: info.result,
                });
            }
        }
        for signature in builtins::overloads(name) {
            list.push(Candidate {
                callee: Callee::Builtin(signature),
                formals: signature.params.iter().map(|ty| Formal { ty: *ty, output: false }).collect(),
                variadic: signature.variadic,
                result: signature.result,
            });
        }
        list
    }

    /// Returns whether a function, structure or closure of that name exists.
    pub(super) fn is_callable(&mut self, name: &str) -> bool {
        !self.candidates(name).is_empty() || self.closures.find(name).is_some()
    }

    pub(super) fn fits_function(&mut self, name: &str, given: &[CallArgument<'a>]) -> bool {
        let candidates = self.candidates(name);
        candidates.iter().any(|candidate| self.rank(candidate, given).is_some())
    }

    fn rank(&self, candidate: &Candidate, given: &[CallArgument<'a>]) -> Option<u32> {
        let count = candidate.formals.len();
        if given.len() < count || (given.len() > count && !candidate.variadic) {
            return None;
        }
        let pairs = candidate.formals.iter().zip(given);
        pairs
            .map(|(formal, given)| self.argument_rank(given, formal.ty, formal.output))
            .sum()
    }

    fn call_builtin(
        &mut self,
        signature: &'static Signature,
        given: &[CallArgument<'a>],
        span: Span,
    ) -> Option<TypedValue> {
        if signature.builtin == Builtin::Concat {
            return self.concat(given, span);
        }
        let mut args = vec![];
        for (i, given) in given.iter().enumerate() {
            let value = match signature.params.get(i) {
                Some(ty) => self.given_as(given, *ty),
                None => self.given_value(given),
            }?;
            if !builtins::is_printable(value.ty) {
                let found = self.show(value.ty);
                self.report(given.span, CheckError::NotPrintable(found));
                return None;
            }
            args.extend(value.leaves);
        }
        if signature.variadic {
            let format = signature.params.len() - 1;
            self.check_format(signature.name, &args[format..], &given[format..]);
        }
        if let ("warning" | "error", Some(unit)) = (signature.name, &self.unit_name) {
            let kind = if signature.builtin == Builtin::Error { "error" } else { "warning" };
            let prefix = format!("Shader {kind} [{unit}]: ");
            args[0] = self.prefixed(&prefix, args[0], span);
        }
        if signature.name == "raytype" {
            self.check_ray_kind(&given[0]);
        }
        let result = match (signature.result.length, given.first().and_then(CallArgument::ty)) {
            (Length::Unsized, Some(first)) => signature.result.with_length(first.length),
            _ => signature.result,
        };
        Some(self.emit_builtin(signature.builtin, args, result, span))
    }

    /// Warns of a constant ray kind that does not exist.
    fn check_ray_kind(&mut self, given: &CallArgument<'a>) {
        let Some(name) = self.given_string(given) else {
            return;
        };
        let known = RayKind::NAMES.map(|(name, _)| name);
        if !known.contains(&&*name) {
            let near = near(&name, &known);
            let name = name.to_string();
            self.warn(given.span, Warning::UnknownRayKind(name, near));
        }
    }

    /// `concat` of any number of strings.
    fn concat(&mut self, given: &[CallArgument<'a>], span: Span) -> Option<TypedValue> {
        let mut whole: Option<Operand> = None;
        for given in given {
            let text = self.given_as(given, Type::STRING)?.leaf();
            whole = Some(match whole {
                None => text,
                Some(before) => self
                    .emit_builtin(Builtin::Concat, vec![before, text], Type::STRING, span)
                    .leaf(),
            });
        }
        whole.map(|text| TypedValue::new(Type::STRING, text))
    }

    /// Prepends a constant text to a string.
    fn prefixed(&mut self, prefix: &str, text: Operand, span: Span) -> Operand {
        if let Some(known) = self.body.known_string(text) {
            return self.string(&format!("{prefix}{known}"));
        }
        let prefix = self.string(prefix);
        self.emit_builtin(Builtin::Concat, vec![prefix, text], Type::STRING, span)
            .leaf()
    }

    pub(super) fn emit_builtin(
        &mut self,
        builtin: Builtin,
        args: Vec<Operand>,
        result: Type,
        span: Span,
    ) -> TypedValue {
        if result == Type::VOID {
            self.assign(None, Op::Builtin(builtin), args, span);
            return TypedValue::void();
        }
        self.emit_value(Op::Builtin(builtin), args, result, span)
    }

    fn no_candidate(&mut self, name: &str, candidates: &[Candidate], given: &[CallArgument<'a>], span: Span) {
        if candidates.is_empty() {
            let mut known = self.scopes.function_names(self.scope);
            prelude::names().for_each(|name| known.push(name));
            known.extend(builtins::signatures().iter().map(|s| s.name));
            known.extend(super::call::SPECIAL_NAMES);
            known.extend(self.closures.iter().map(|(_, s)| s.name));
            known.extend(self.scopes.struct_names(self.scope));
            let near = near(name, &known);
            self.report(span, CheckError::UnknownFunction(name.to_owned(), near));
            return;
        }
        let found: Vec<String> = given.iter().map(|g| self.show_given(g)).collect();
        let shown = candidates.iter().map(|c| self.show_candidate(name, c)).collect();
        if let [only] = candidates {
            if only.formals.len() != given.len() {
                let (expected, found) = (only.formals.len(), given.len());
                let name = name.to_owned();
                self.report(span, CheckError::ArgumentCount { name, expected, found, candidates: shown });
                return;
            }
            for (i, (formal, given)) in only.formals.iter().zip(given).enumerate() {
                if self.argument_rank(given, formal.ty, formal.output).is_none() {
                    let error = CheckError::BadArgument {
                        name: name.to_owned(),
                        number: i + 1,
                        expected: self.show(formal.ty),
                        found: found[i].clone(),
                        output: formal.output,
                        candidates: shown,
                    };
                    self.report(given.span, error);
                    return;
                }
            }
        }
        self.report(span, CheckError::NoOverload { name: name.to_owned(), found, candidates: shown });
    }

    pub(super) fn show_given(&self, given: &CallArgument<'a>) -> String {
        given.ty().map_or_else(|| "{…}".to_owned(), |ty| self.show(ty))
    }

    fn show_candidate(&self, name: &str, candidate: &Candidate) -> String {
        let mut params: Vec<String> = vec![];
        for formal in &candidate.formals {
            let output = if formal.output { "output " } else { "" };
            let ty = if formal.ty == ANY_TYPE {
                ANY.to_owned()
            } else {
                self.show(formal.ty)
            };
            params.push(format!("{output}{ty}"));
        }
        if candidate.variadic {
            params.push("…".to_owned());
        }
        let is_generic = |index: usize| self.functions[index].is_generic;
        let result = match candidate.callee {
            Callee::Function(index) if is_generic(index) && candidate.result == Type::VOID => ANY.to_owned(),
            Callee::Function(_) | Callee::Builtin(_) => self.show(candidate.result),
        };
        format!("{result} {name}({})", params.join(", "))
    }
}

/// Returns the language's name of a C library function, for prototypes that declare it.
pub(super) fn c_function(name: &str) -> &str {
    let plain = name.strip_suffix('f').unwrap_or(name);
    match plain {
        "fmin" => "min",
        "fmax" => "max",
        "abs" | "labs" | "fabs" => "abs",
        "rint" | "nearbyint" => "round",
        _ if builtins::overloads(name).next().is_some() => name,
        _ => plain,
    }
}

/// OSL's order of result types, which breaks the remaining ties; the lowest is preferred.
fn result_order(ty: Type) -> u32 {
    match ty.base {
        Base::Float => 0,
        Base::Int => 1,
        Base::Color => 2,
        Base::Vector => 3,
        Base::Point => 4,
        Base::Normal => 5,
        Base::Matrix => 6,
        Base::String => 7,
        Base::Closure => 8,
        Base::Struct(_) => 9,
        Base::Void => 10,
    }
}

/// Returns whether two parameter lists have equal types.
pub(super) fn same_formals(a: &[Formal], b: &[Formal]) -> bool {
    let same_length =
        |a: Type, b: Type| a.length == b.length || matches!((a.length, b.length), (Length::Unsized, _));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.ty.base == b.ty.base && same_length(a.ty, b.ty))
}
