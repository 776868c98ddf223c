//! Live inputs: inputs whose values the host can change without compilation.
//!
//! Live inputs are linked as reads of an attribute, so that the optimiser does not fold their values. Before code
//! generation, each read becomes a number ([`super::Numbers`]) that compiled code loads from the memory of the instance.

use super::{Block, Code, Const, ConstId, Kind, Op, Operand, Stmt, Unit, walk};

/// Name of the object whose attributes are the values of [`crate::graph::Value::Uniform`].
pub const UNIFORM_OBJECT: &str = "uniform parameter";

/// A use of a live input in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveUse {
    /// Index of the input.
    pub input: usize,
    /// The constant that holds its value; no other statement uses it.
    pub constant: ConstId,
}

/// Returns whether inputs of a kind can be live.
pub fn can_be_live(kind: Kind) -> bool {
    matches!(kind, Kind::INT | Kind::FLOAT | Kind::TRIPLE)
}

/// Converts the value of a live input to a float or triple. An int becomes a float, which represents ints up to 2²⁴. `None`
/// if the value has another kind or is a larger int.
pub fn live_number(value: &Const) -> Option<Const> {
    match *value {
        Const::Int(v) => ((v as f32) as i64 == i64::from(v) && v.unsigned_abs() <= 1 << 24)
            .then_some(Const::Float(v as f32)),
        Const::Float(v) => Some(Const::Float(v)),
        Const::Triple(v) => Some(Const::Triple(v)),
        Const::Matrix(_) | Const::String(_) | Const::NullClosure | Const::Array(_) => None,
    }
}

/// Replaces the reads of live inputs in an optimised unit by constants. `inputs` are their names and values, as
/// [`live_number`] returns them.
pub fn bind_live_inputs(unit: &mut Unit, inputs: &[(String, Const)]) -> Vec<LiveUse> {
    let mut uses = vec![];
    let inits = unit.params.iter_mut().map(|param| &mut param.init);
    let mut blocks: Vec<Block> = inits.map(std::mem::take).collect();
    let mut body = std::mem::take(&mut unit.code.body);
    for block in blocks.iter_mut().chain([&mut body]) {
        bind(block, &mut unit.code, inputs, &mut uses);
    }
    unit.code.body = body;
    for (param, init) in unit.params.iter_mut().zip(blocks) {
        param.init = init;
    }
    uses
}

fn bind(block: &mut Block, code: &mut Code, inputs: &[(String, Const)], uses: &mut Vec<LiveUse>) {
    for stmt in block {
        if let Stmt::Op { dst: Some(dst), op: op @ Op::AttributeValue, args, .. } = stmt
            && let Some(input) = live_input(code, args, inputs)
        {
            let constant = code.consts.push(inputs[input].1.clone());
            uses.push(LiveUse { input, constant });
            *op = match Kind::of(code.locals[*dst].ty) {
                Some(Kind::INT) => Op::FloatToInt,
                _ => Op::Copy,
            };
            *args = vec![Operand::Const(constant)];
        }
        for inner in walk::blocks_mut(stmt) {
            bind(inner, code, inputs, uses);
        }
    }
}

/// Returns the index of the live input that an attribute query reads.
fn live_input(code: &Code, args: &[Operand], inputs: &[(String, Const)]) -> Option<usize> {
    if !reads_live_input(code, args) {
        return None;
    }
    let name = text(code, args.get(1)?)?;
    inputs.iter().position(|(input, _)| input == name)
}

/// Returns whether the operands of an attribute query name a live input, whose value is the same at all points.
pub(crate) fn reads_live_input(code: &Code, args: &[Operand]) -> bool {
    args.first().and_then(|object| text(code, object)) == Some(UNIFORM_OBJECT)
}

fn text<'c>(code: &'c Code, operand: &Operand) -> Option<&'c str> {
    match operand {
        Operand::Const(id) => match &code.consts[*id] {
            Const::String(text) => Some(text),
            _ => None,
        },
        Operand::Local(_) => None,
    }
}
