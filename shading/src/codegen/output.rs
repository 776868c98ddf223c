//! Stores of an entry function's outputs.

use super::error::CodegenError;
use super::layout::RecordLayout;
use shading_compiler::hir::{Block, LocalId, Unit};
use shading_compiler::ty::Type;

/// An output of compiled code.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Name of the parameter.
    pub name: String,
    /// Type.
    pub ty: Type,
    pub(crate) offset: usize,
}

/// Outputs of an entry function: variables with their offsets.
pub(super) struct Outputs {
    pub(super) list: Vec<(LocalId, Output)>,
    pub(super) size: usize,
}

pub(super) fn choose_outputs(unit: &Unit, names: Option<&[&str]>) -> Result<Outputs, CodegenError> {
    let all = || unit.params.iter().filter(|p| p.output);
    let chosen = match names {
        None => all().collect(),
        Some(names) => names
            .iter()
            .map(|&name| {
                all().find(|p| p.name == name).ok_or_else(|| CodegenError::NoSuchOutput {
                    unit: unit.name.clone(),
                    output: name.to_owned(),
                })
            })
            .collect::<Result<Vec<_>, _>>()?,
    };
    let mut record = RecordLayout::default();
    let list = chosen
        .into_iter()
        .map(|p| {
            let ty = unit.code.locals[p.local].ty;
            let offset = record.add(ty) as usize;
            let output = Output { name: p.name.clone(), ty, offset };
            (p.local, output)
        })
        .collect();
    Ok(Outputs { list, size: record.size.next_multiple_of(16) as usize })
}

pub(super) fn inits(unit: &Unit) -> Vec<&Block> {
    unit.params.iter().map(|p| &p.init).collect()
}
