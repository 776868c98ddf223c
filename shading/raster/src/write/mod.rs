//! The WGSL of one function of HIR: declarations of its variables, and its statements.

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
mod texts;
mod texture;
mod writer;

use shading_syntax::diagnostic::Diagnostics;

use crate::inputs::Inputs;
use texts::Texts;
use writer::FunctionWriter;

pub(crate) use writer::Program;

/// Results of writing a function, beside its text.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Declarations and statements of the body.
    pub(crate) text: String,
    /// True if it has a loop.
    pub(crate) uses_fuel: bool,
    /// Constructs that have no equivalent.
    pub(crate) diagnostics: Diagnostics,
}

/// Writes the body of a unit; its outputs are in the variables that [`variable`] names.
pub(crate) fn body(program: &Program<'_>, inputs: &mut Inputs) -> Written {
    let mut writer = FunctionWriter {
        program,
        code: &program.unit.code,
        inputs,
        texts: Texts::default(),
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
    Written {
        text: declarations + &writer.text,
        uses_fuel: writer.uses_fuel,
        diagnostics: writer.diagnostics,
    }
}
