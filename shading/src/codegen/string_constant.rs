//! File names that a unit selects at run time. They are among its string constants unless the unit composes strings.

use shading_compiler::hir::{Block, Code, Const, Op, Stmt, Unit, walk};
use shading_compiler::ty::Base;

pub(super) fn string_constants(unit: &Unit) -> Vec<String> {
    let mut names = vec![];
    for code in codes(unit) {
        for value in code.consts.values() {
            add_strings(value, &mut names);
        }
    }
    names
}

fn add_strings(value: &Const, names: &mut Vec<String>) {
    match value {
        Const::String(text) => names.push(text.to_string()),
        Const::Array(elements) => elements.iter().for_each(|element| add_strings(element, names)),
        Const::Int(_) | Const::Float(_) | Const::Triple(_) | Const::Matrix(_) | Const::NullClosure => {}
    }
}

/// Returns whether a string of a unit may differ from its constants: the result of a built-in function, an attribute,
/// information about a texture.
pub(super) fn composes_strings(unit: &Unit) -> bool {
    let inits = unit.params.iter().map(|param| &param.init);
    let of_unit = inits.chain([&unit.code.body]).map(|block| (&unit.code, block));
    let of_functions = (unit.functions.values()).map(|function| (&function.code, &function.code.body));
    of_unit.chain(of_functions).any(|(code, block)| composes_in(code, block))
}

fn composes_in(code: &Code, block: &Block) -> bool {
    let mut composes = false;
    walk::statements(block, &mut |stmt| {
        if let Stmt::Op { dst: Some(dst), op, .. } = stmt
            && code.locals[*dst].ty.base == Base::String
        {
            composes |= !matches!(op, Op::Copy | Op::MakeArray | Op::ArrayGet | Op::ArraySet);
        }
    });
    composes
}

fn codes(unit: &Unit) -> impl Iterator<Item = &Code> {
    let functions = unit.functions.values().map(|function| &function.code);
    functions.chain([&unit.code])
}
