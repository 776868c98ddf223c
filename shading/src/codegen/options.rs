//! Options of code generation.

use shading_syntax::source::SourceMap;

/// How much work goes into the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptLevel {
    /// Least: one pass of register allocation, except where a loop calls nothing. Compiles in 0.8 of the time and runs
    /// 1 to 1.5 times as long.
    Fast,
    /// No optimisation of instructions, but good register allocation.
    #[default]
    Plain,
    /// All that Cranelift can do. HIR is optimised already: compiles in 1.2 to 1.4 of the time and runs 0 to 3 % faster.
    Full,
}

/// How to compile.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions<'a> {
    /// Names of the output parameters to store; all of them when `None`.
    pub outputs: Option<&'a [&'a str]>,
    /// How much work goes into the code.
    pub level: OptLevel,
    /// The sources that spans of the unit are of, so that reports can name lines.
    pub sources: Option<&'a SourceMap>,
    /// Whether there is to be code for packets of points too, where the unit can run in packets.
    pub packets: bool,
}
