//! Table of source locations in reports. Compiled code refers to them by index.

use rustc_hash::FxHashMap;

use shading_compiler::hir::{Op, Stmt, Unit, walk};
use shading_syntax::source::Span;

/// Source locations in the reports of the code, in the order of the code.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaceTable {
    spans: Vec<Span>,
    indices: FxHashMap<Span, u32>,
}

impl PlaceTable {
    /// Collects the locations that a unit may report; the first is that of its functions' memory.
    pub(super) fn of(unit: &Unit) -> PlaceTable {
        let mut table = PlaceTable::default();
        table.add(Span::default());
        each_reporting(unit, |span| table.add(span));
        table
    }

    fn add(&mut self, span: Span) {
        let PlaceTable { spans, indices } = self;
        indices.entry(span).or_insert_with(|| {
            spans.push(span);
            spans.len() as u32 - 1
        });
    }

    /// Returns the index of a location, if the unit may report it.
    pub(super) fn known(&self, span: Span) -> Option<u32> {
        self.indices.get(&span).copied()
    }

    /// The locations by index.
    pub(super) fn into_spans(self) -> Vec<Span> {
        self.spans
    }
}

/// Calls `f` with the location of each statement that may report something, in the order of the code.
pub(super) fn each_reporting(unit: &Unit, mut f: impl FnMut(Span)) {
    let inits = unit.params.iter().map(|param| &param.init);
    let functions = unit.functions.values().map(|function| &function.code.body);
    for block in inits.chain([&unit.code.body]).chain(functions) {
        walk::statements(block, &mut |stmt| match stmt {
            Stmt::Op { op, span, .. } if !is_silent(*op) => f(*span),
            Stmt::Call { span, .. } | Stmt::Loop { span, .. } => f(*span),
            _ => {}
        });
    }
}

/// Returns whether an operation never reports anything.
fn is_silent(op: Op) -> bool {
    matches!(
        op,
        Op::Copy
            | Op::IntToFloat
            | Op::FloatToInt
            | Op::Splat
            | Op::Truth
            | Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Neg
            | Op::Not
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::MakeTriple
            | Op::Global(_)
            | Op::GlobalDerivative(..)
            | Op::MakeClosure(_)
            | Op::ClosureAdd
            | Op::ClosureMul
    )
}
