//! Execution of shaders by JIT-compiled code or by the interpreter.

use std::sync::Arc;

use shading::codegen::NamedTexture;
use shading::hir::{Const, Unit};
use shading::interp::{self, Listing, Outcome, RunOptions};
use shading::runtime::ReportPlace;
use shading::ty::Type;
use shading::{
    BatchOutput, ClosureRegistry, PrintOutput, ShaderGlobals, ShaderInstance, ShadingContext, ShadingSystem,
    SourceMap, WrittenClouds,
};

use super::host::{GridHost, spread};

/// Fuel of a run, compiled or interpreted: far more than a picture can afford, and less than a tenth of a second of
/// compiled code.
pub(super) const FUEL: u32 = 1 << 22;

/// Memory that points which a shader writes may take [bytes].
pub(super) const MAX_WRITTEN: usize = 2 << 30;

/// Compiled or interpreted shader. Threads share it; each has its own state.
pub(super) trait Engine: Sync {
    type State: Send;

    fn state(&self) -> Self::State;

    /// Names and types of the outputs.
    fn outputs(&self) -> Vec<(String, Type)>;

    /// The textures that its code names, as far as it says where.
    fn textures(&self) -> &[NamedTexture] {
        &[]
    }

    /// Runs at a point; whether the run came to its end.
    fn run(&self, state: &mut Self::State, globals: &ShaderGlobals) -> bool;

    /// Runs at several points and stores the numbers of outputs. Returns the number of runs completed before one that
    /// was not.
    fn run_batch(
        &self,
        state: &mut Self::State,
        points: &[ShaderGlobals],
        outputs: &mut [BatchOutput<'_>],
    ) -> usize;

    /// An output of the last run that is no closure.
    fn value(&self, state: &Self::State, output: usize) -> Const;

    /// A closure output of the last run; empty where it is none.
    fn closure(&self, state: &Self::State, output: usize) -> Listing;

    /// The closures that [`Engine::closure`] returns.
    fn closures(&self) -> &ClosureRegistry;

    /// Returns the text printed since the last call.
    fn take_printed(&self, state: &mut Self::State) -> PrintOutput;

    /// The points that were written since this was last asked.
    fn take_written(&self, state: &mut Self::State) -> WrittenClouds;

    /// Returns the reports since the last call.
    fn take_reports(&self, state: &mut Self::State) -> Vec<Report>;
}

/// Run-time error of a shader. Ordered by source location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Report {
    /// File, line and column; empty where they are not known.
    place: Option<(String, u32, u32)>,
    message: String,
    /// True if it ended the run, or if a requested output is not written.
    pub(super) fatal: bool,
    /// True if it is part of the printed text.
    pub(super) is_shown: bool,
}

impl Report {
    fn is_fatal(kind: shading::ReportKind, finished: bool) -> bool {
        use shading::ReportKind as K;
        matches!(kind, K::OutOfFuel | K::TooDeep | K::CloudNotWritten) || kind == K::OutOfMemory && !finished
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.fatal { "error: " } else { "warning: " })?;
        if let Some((file, line, column)) = &self.place {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Why runs and reads of outputs are possible.
const OWN: &str = "states are of this instance, and threads have stacks of the usual size";

/// Machine code.
pub(super) struct Compiled<'a> {
    pub(super) instance: Arc<ShaderInstance>,
    pub(super) system: &'a ShadingSystem,
}

impl Engine for Compiled<'_> {
    type State = ShadingContext;

    fn textures(&self) -> &[NamedTexture] {
        &self.instance.statistics().textures
    }

    fn state(&self) -> ShadingContext {
        let mut context = self.system.context();
        context.set_fuel(FUEL);
        context.keep_files();
        context
    }

    fn outputs(&self) -> Vec<(String, Type)> {
        self.instance
            .outputs()
            .iter()
            .map(|output| (output.name.clone(), output.ty))
            .collect()
    }

    #[inline]
    fn run(&self, context: &mut ShadingContext, globals: &ShaderGlobals) -> bool {
        self.instance.run(globals, context).expect(OWN);
        context.finished()
    }

    fn run_batch(
        &self,
        context: &mut ShadingContext,
        points: &[ShaderGlobals],
        outputs: &mut [BatchOutput<'_>],
    ) -> usize {
        self.instance.run_batch(points, context, outputs).expect(OWN)
    }

    fn value(&self, context: &ShadingContext, output: usize) -> Const {
        self.instance.output(output, context).expect(OWN)
    }

    fn closure(&self, context: &ShadingContext, output: usize) -> Listing {
        let closure = self.instance.closure(output, context).expect(OWN);
        Listing::of(closure, self.system.closures())
    }

    fn closures(&self) -> &ClosureRegistry {
        self.system.closures()
    }

    fn take_printed(&self, context: &mut ShadingContext) -> PrintOutput {
        context.take_pieces()
    }

    fn take_written(&self, context: &mut ShadingContext) -> WrittenClouds {
        context.take_written()
    }

    fn take_reports(&self, context: &mut ShadingContext) -> Vec<Report> {
        let finished = context.finished();
        let report = |report: shading::Report| Report {
            fatal: Report::is_fatal(report.kind, finished),
            message: format!("{}: {}", report.shader, report.message),
            place: report.place.map(|ReportPlace { file, line, column, .. }| (file, line, column)),
            is_shown: report.kind == shading::ReportKind::IndexOutOfRange,
        };
        context.take_reports().into_iter().map(report).collect()
    }
}

/// The interpreter.
pub(super) struct Interpreted<'a> {
    pub(super) unit: &'a Unit,
    pub(super) sources: &'a SourceMap,
    pub(super) host: &'a GridHost,
    pub(super) closures: &'a ClosureRegistry,
    /// True if variables that are not finite numbers are reported.
    pub(super) reports_not_finite: bool,
}

/// State of the interpreter: the outcome of its last run, and all that was printed, written and reported.
#[derive(Default)]
pub(super) struct Interpretation {
    last: Option<Outcome>,
    printed: PrintOutput,
    written: WrittenClouds,
    reports: Vec<Report>,
}

impl Engine for Interpreted<'_> {
    type State = Interpretation;

    fn state(&self) -> Interpretation {
        Interpretation::default()
    }

    fn outputs(&self) -> Vec<(String, Type)> {
        let outputs = self.unit.params.iter().filter(|param| param.output);
        outputs.map(|param| (param.name.clone(), param.ty)).collect()
    }

    fn run(&self, state: &mut Interpretation, globals: &ShaderGlobals) -> bool {
        let options = RunOptions {
            host: self.host,
            fuel: FUEL,
            reports_not_finite: self.reports_not_finite,
            closures: Some(self.closures),
            ..RunOptions::new(globals)
        };
        let mut outcome = interp::run(self.unit, &options);
        state.printed.append(std::mem::take(&mut outcome.printed));
        if state.written.bytes() <= MAX_WRITTEN {
            state.written.append(std::mem::take(&mut outcome.written));
        }
        for report in outcome.reports.drain(..) {
            use interp::ReportKind as K;
            let source = self.sources.get(report.span.source);
            let (file, line, column) = source.locate(report.span.start);
            let report = Report {
                place: Some((file.to_owned(), line, column)),
                message: format!("{}: {}", self.unit.name, report.message),
                fatal: matches!(report.kind, K::OutOfFuel | K::TooDeep | K::CloudNotWritten),
                is_shown: false,
            };
            if !state.reports.contains(&report) {
                state.reports.push(report);
            }
        }
        let finished = outcome.finished;
        state.last = Some(outcome);
        finished
    }

    fn run_batch(
        &self,
        state: &mut Interpretation,
        points: &[ShaderGlobals],
        outputs: &mut [BatchOutput<'_>],
    ) -> usize {
        for (i, globals) in points.iter().enumerate() {
            if !self.run(state, globals) {
                return i;
            }
            for BatchOutput { index, numbers } in &mut *outputs {
                let count = numbers.len() / points.len();
                let mut numbers = numbers[i * count..][..count].iter_mut();
                spread(&self.value(state, *index), &mut |number| {
                    if let Some(value) = numbers.next() {
                        *value = number;
                    }
                });
            }
        }
        points.len()
    }

    fn value(&self, state: &Interpretation, output: usize) -> Const {
        match state.last.as_ref().and_then(|outcome| outcome.outputs.get(output)) {
            Some((_, interp::Value::Plain(value))) => value.clone(),
            _ => Const::NullClosure,
        }
    }

    fn closure(&self, state: &Interpretation, output: usize) -> Listing {
        match state
            .last
            .as_ref()
            .and_then(|outcome| Some((outcome, outcome.outputs.get(output)?)))
        {
            Some((outcome, (_, interp::Value::Closure(root)))) => outcome.closures.list(*root),
            _ => Listing::default(),
        }
    }

    fn closures(&self) -> &ClosureRegistry {
        self.closures
    }

    fn take_printed(&self, state: &mut Interpretation) -> PrintOutput {
        std::mem::take(&mut state.printed)
    }

    fn take_written(&self, state: &mut Interpretation) -> WrittenClouds {
        std::mem::take(&mut state.written)
    }

    fn take_reports(&self, state: &mut Interpretation) -> Vec<Report> {
        std::mem::take(&mut state.reports)
    }
}
