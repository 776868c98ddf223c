//! Parameter information of units and groups.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::eval::operation::eval_op;
use crate::hir;
use crate::hir::{Const, Kind, LocalId, Metadata, Operand, Stmt};
use crate::ty::{Length, Type};
use shading_syntax::source::{SourceMap, Span};

/// A parameter of a unit or group.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    /// Name, with the path of fields.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// True for an output.
    pub output: bool,
    /// Default value, if it is constant.
    pub default: Option<Const>,
    /// Default as written, if it is computed: `u`, `angle * 2`.
    pub computed: Option<String>,
    /// Metadata.
    pub metadata: Vec<Metadata>,
}

pub(super) fn unit_params(unit: &hir::Unit, sources: &SourceMap) -> Arc<[ParamInfo]> {
    let params = unit.params.iter();
    params.map(|param| unit_param(unit, param, sources)).collect()
}

fn unit_param(unit: &hir::Unit, param: &hir::Param, sources: &SourceMap) -> ParamInfo {
    let default = constant_default(unit, param);
    let computed = param.default.filter(|_| default.is_none());
    ParamInfo {
        name: param.name.clone(),
        ty: declared_type(param),
        output: param.output,
        default,
        computed: computed.map(|span| text_at(sources, span)),
        metadata: param.metadata.clone(),
    }
}

/// Returns the text at a location, on one line.
pub(super) fn text_at(sources: &SourceMap, span: Span) -> String {
    let text = &sources.get(span.source).text;
    let written = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    written.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the default of a parameter, if it is computed from constants only.
fn constant_default(unit: &hir::Unit, param: &hir::Param) -> Option<Const> {
    let mut known: FxHashMap<LocalId, Const> = FxHashMap::default();
    for stmt in &param.init {
        let Stmt::Op { dst: Some(dst), op, args, .. } = stmt else {
            return None;
        };
        let value_of = |arg: &Operand| match *arg {
            Operand::Const(id) => Some(&unit.code.consts[id]),
            Operand::Local(local) => known.get(&local),
        };
        let args: Option<Vec<&Const>> = args.iter().map(value_of).collect();
        let value = args
            .zip(Kind::of(unit.code.locals[*dst].ty))
            .and_then(|(args, kind)| eval_op(*op, kind, &args));
        match value {
            Some(value) => known.insert(*dst, value),
            None => known.remove(dst),
        };
    }
    known.remove(&param.local)
}

/// Returns the declared type of a parameter; void for `any`.
fn declared_type(param: &hir::Param) -> Type {
    match (param.is_any, param.is_unsized) {
        (true, _) => Type::VOID,
        (false, true) => param.ty.with_length(Length::Unsized),
        (false, false) => param.ty,
    }
}
