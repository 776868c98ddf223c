//! Parameter information of units and groups.

use std::sync::Arc;

use crate::hir;
use crate::hir::{Const, Metadata, Operand, Stmt};
use crate::ty::{Length, Type};

/// A parameter of a unit or group.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    /// Its name, with the path of fields.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it is an output.
    pub output: bool,
    /// Its default, where that is a constant.
    pub default: Option<Const>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
}

/// The parameters of a unit.
pub(super) fn unit_params(unit: &hir::Unit) -> Arc<[ParamInfo]> {
    unit.params.iter().map(|param| unit_param(unit, param)).collect()
}

fn unit_param(unit: &hir::Unit, param: &hir::Param) -> ParamInfo {
    let default = match &param.init[..] {
        [
            Stmt::Op {
                dst: Some(dst),
                op: hir::Op::Copy,
                args,
                ..
            },
        ] if *dst == param.local => match args[..] {
            [Operand::Const(id)] => Some(unit.code.consts[id].clone()),
            _ => None,
        },
        _ => None,
    };
    ParamInfo {
        name: param.name.clone(),
        ty: declared_type(param),
        output: param.output,
        default,
        metadata: param.metadata.clone(),
    }
}

/// The type that a parameter was declared with; void for `any`.
fn declared_type(param: &hir::Param) -> Type {
    match (param.is_any, param.is_unsized) {
        (true, _) => Type::VOID,
        (false, true) => Type {
            length: Length::Unsized,
            ..param.ty
        },
        (false, false) => param.ty,
    }
}
