//! Options of code generation.

use shading_syntax::source::SourceMap;

/// Optimisation level of code generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OptLevel {
    /// Fastest compilation: single-pass register allocation, except for loops without calls. Compilation needs 0.8 times as
    /// long as with [`OptLevel::Plain`], and code runs 1 to 1.5 times as long.
    Fast,
    /// No optimisation of instructions, but full register allocation.
    #[default]
    Plain,
    /// Full optimisation by Cranelift. Since HIR is already optimised, compilation needs 1.2 to 1.4 times as long, and code
    /// runs 0 to 3 % faster.
    Full,
}

/// Options of compilation.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions<'a> {
    /// Names of the output parameters to store; all if `None`.
    pub outputs: Option<&'a [&'a str]>,
    /// Optimisation level.
    pub level: OptLevel,
    /// Sources of the unit's spans, so that reports can name lines.
    pub sources: Option<&'a SourceMap>,
    /// True to generate code for packets of points, too, if the unit supports it.
    pub packets: bool,
    /// True to generate code that counts its work: see [`crate::ShadingContext::work`]. There is no packet code then.
    pub counts_work: bool,
}
