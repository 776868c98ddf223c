//! WGSL of a function of HIR: declarations of variables, and statements.

mod builtin;
mod closure;
mod control;
mod frame;
mod literal;
mod noise;
mod op;
mod single;
mod spectrum;
mod spline;
mod string_table;
mod texture;
mod writer;

use shading_syntax::diagnostic::Diagnostics;

use crate::inputs::Inputs;
use string_table::StringTable;
use writer::FunctionWriter;

pub(crate) use writer::Program;

#[derive(Debug, Default)]
pub(crate) struct FunctionBody {
    /// Declarations and statements of the body.
    pub(crate) text: String,
    /// True if the body has a loop.
    pub(crate) uses_fuel: bool,
    /// Constructs without an equivalent.
    pub(crate) diagnostics: Diagnostics,
}

/// Writes the body of a unit. Its outputs are the variables that [`variable`] names.
pub(crate) fn body(program: &Program<'_>, inputs: &mut Inputs) -> FunctionBody {
    let mut writer = FunctionWriter {
        program,
        code: &program.unit.code,
        inputs,
        strings: StringTable::default(),
        text: String::new(),
        depth: 1,
        frames: vec![],
        marked: vec![],
        single: single::single_assignments(program.unit),
        uses_fuel: false,
        temporaries: 0,
        diagnostics: Diagnostics::default(),
    };
    for param in &program.unit.params {
        writer.whole(&param.init);
    }
    writer.whole(&program.unit.code.body);
    let declarations = writer.declarations();
    FunctionBody {
        text: declarations + &writer.text,
        uses_fuel: writer.uses_fuel,
        diagnostics: writer.diagnostics,
    }
}
