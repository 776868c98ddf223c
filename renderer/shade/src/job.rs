//! Run of a shader over a grid: textures, iterations, outputs and statistics.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use shading::ty::Type;
use shading::{CompileStats, Diagnostic, ShadingSystem, WrittenClouds};

use super::engine::{Engine, MAX_WRITTEN, Report};
use super::grid::{Grid, PointSet as _};
use super::host::GridHost;
use super::output::{self, Image, Requests};
use super::pass::{PassOptions, pass};
use super::statistics::{CodeStatistics, Statistics};
use super::subject::Subject;
use super::{clouds, system};
use renderer_cli::ShadeArgs;
use renderer_image::{ImageError, SampleType, Staged};
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::{Outputs, WriteMode, check_written};
use renderer_support::{Failure, print_result, remark};

/// Time for which caches and clocks are warmed up before the measurement.
const WARM_UP: Duration = Duration::from_millis(50);

/// Iterations with equal inputs.
#[derive(Clone, Copy)]
pub(super) struct Stage<'a> {
    pub(super) args: &'a ShadeArgs,
    pub(super) requests: &'a Requests<'a>,
    pub(super) grid: &'a Grid,
    pub(super) host: &'a GridHost,
    pub(super) files: &'a Outputs,
    pub(super) system: &'a ShadingSystem,
    /// Tells that the work is out of date.
    pub(super) interrupt: &'a Interrupt,
    pub(super) iterations: u32,
    /// True if images are written after it.
    pub(super) is_last: bool,
}

/// Run of a shader over a grid.
pub(super) struct Job<'a> {
    pub(super) stage: &'a Stage<'a>,
    pub(super) subject: &'a Subject,
    /// Time to parse and check.
    pub(super) load: Duration,
}

/// Statistics of compiling a shader.
pub(super) struct Compilation {
    pub(super) stats: CompileStats,
    /// The machine code; `None` for the interpreter.
    pub(super) code: Option<CodeStatistics>,
    /// Warnings about textures.
    pub(super) missing_textures: Vec<Diagnostic>,
}

/// Results of all iterations other than images.
#[derive(Default)]
struct Iterated {
    reports: BTreeSet<Report>,
    /// True if a run was aborted.
    stopped: bool,
    printed: bool,
    /// True if the shader wrote too many points.
    is_overfull: bool,
    written: WrittenClouds,
    time: Duration,
}

impl Job<'_> {
    pub(super) fn run<E: Engine>(&self, engine: &E, compilation: Compilation) -> Result<(), Failure> {
        let Stage { args, requests, grid, host, files, .. } = *self.stage;
        system::load_textures(host, engine.textures()).map_err(Failure::plain)?;
        files.check_inputs(host.files_read())?;
        compilation.missing_textures.iter().for_each(|warning| remark(warning));
        let outputs = engine.outputs();
        let mut images = match args.print {
            true => vec![],
            false => requests
                .images(grid, |name| self.output(name, &outputs))
                .map_err(Failure::plain)?,
        };
        let mut ran = self.iterate(engine, &self.printed(&outputs), &mut images)?;
        self.report(&ran.reports, ran.stopped)?;
        if !self.stage.is_last {
            return Ok(());
        }
        files.check_inputs(host.files_read())?;
        let clouds = self.clouds(std::mem::take(&mut ran.written), ran.is_overfull)?;
        let mut errors = output::write(images, self.samples(), self.subject.template.name())?;
        errors.extend(clouds.into_iter().filter_map(|cloud| cloud.commit_or_keep().err()));
        let is_alone = args.request.entries.is_empty() && self.subject.layers.len() <= 1;
        if requests.list.is_empty() && is_alone && !ran.printed {
            self.show_first(engine, &outputs);
        }
        errors.extend(self.write_statistics(compilation, &ran));
        check_written(&errors)
    }

    /// Runs all iterations.
    fn iterate<E: Engine>(
        &self,
        engine: &E,
        print: &[(usize, String)],
        images: &mut [Image],
    ) -> Result<Iterated, Failure> {
        let Stage { args, grid, interrupt, iterations, is_last, .. } = *self.stage;
        let mut states: Vec<E::State> = (0..self.threads()).map(|_| engine.state()).collect();
        let mut ran = Iterated::default();
        if args.stats.is_some() {
            let options = PassOptions { silent: true, limit: Some(WARM_UP), ..PassOptions::default() };
            // A context reports each place once, so the reports of each pass are collected.
            ran.reports.extend(pass(engine, &mut states, grid, images, &options).reports);
        }
        let layers: Vec<String> = self.subject.layers.iter().map(|layer| layer.layer.clone()).collect();
        let options = PassOptions {
            repeats: args.request.engine_option("error_repeats").is_some_and(|value| value != "0"),
            group: &self.subject.group,
            layers: &layers,
            stop: Some(interrupt.flag()),
            ..PassOptions::default()
        };
        let start = Instant::now();
        for iteration in 0..iterations {
            let keeps_points = is_last && iteration + 1 == iterations;
            let print = if keeps_points { print } else { &[] };
            let options = PassOptions { print, keeps_points, ..options };
            let result = pass(engine, &mut states, grid, images, &options);
            ran.reports.extend(result.reports);
            ran.printed |= result.printed;
            if interrupt.is_set() {
                return Err(interrupt.failure());
            }
            ran.is_overfull |= result.is_overfull;
            ran.written.append(result.written);
            ran.stopped = result.stopped;
            if ran.stopped {
                break;
            }
        }
        ran.time = start.elapsed();
        Ok(ran)
    }

    /// Prints or writes what `--stats` requests.
    fn write_statistics(&self, compilation: Compilation, ran: &Iterated) -> Option<ImageError> {
        let path = self.stage.args.stats.as_deref()?;
        let missing = compilation.missing_textures.into_iter().map(|warning| warning.message);
        let statistics = Statistics {
            shader: self.subject.template.name().to_owned(),
            points: self.stage.grid.points(),
            iterations: self.stage.iterations,
            threads: self.threads(),
            load: self.load,
            compile_stats: compilation.stats,
            code: compilation.code,
            run: ran.time,
            warnings: missing.chain(ran.reports.iter().map(ToString::to_string)).collect(),
        };
        if path.as_os_str() == "-" {
            remark(&statistics);
            return None;
        }
        WriteMode::Final(&[]).write_bytes(path, statistics.json().as_bytes()).err()
    }

    /// The files of the point clouds that the shader wrote, which are put in their places last.
    fn clouds(&self, written: WrittenClouds, is_overfull: bool) -> Result<Vec<Staged>, Failure> {
        let Stage { args, host, files, .. } = *self.stage;
        if is_overfull {
            return Err(Failure::User(format!(
                "error: the points that `{}` writes take more than {} GiB; nothing was written",
                self.subject.template.name(),
                MAX_WRITTEN >> 30
            )));
        }
        if written.is_empty() {
            return Ok(vec![]);
        }
        let outputs = clouds::outputs(&written, files.clone())?;
        outputs.check_inputs(args.request.files())?;
        outputs.check_inputs(host.files_read())?;
        clouds::spare_others(&written)?;
        clouds::stage(written)
    }

    /// Number of useful threads.
    fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = self
            .stage
            .args
            .request
            .threads
            .filter(|&n| n > 0)
            .map_or_else(all, |n| n as usize);
        wanted.min(self.stage.grid.points())
    }

    fn samples(&self) -> Option<SampleType> {
        Some(match self.stage.args.output_type.as_deref() {
            Some("uint8") => SampleType::U8,
            Some("uint16") => SampleType::U16,
            Some("half") => SampleType::F16,
            Some(_) => SampleType::F32,
            None => return None,
        })
    }

    /// Index and type of an output by its requested name.
    fn output(&self, name: &str, outputs: &[(String, Type)]) -> Option<(usize, Type)> {
        let (_, own) = self.subject.outputs.iter().find(|(asked, _)| asked == name)?;
        let index = outputs.iter().position(|(output, _)| output == own)?;
        Some((index, outputs[index].1))
    }

    /// The outputs that `--print` shows: those that `-o` names, else all.
    fn printed(&self, outputs: &[(String, Type)]) -> Vec<(usize, String)> {
        if !self.stage.args.print {
            return vec![];
        }
        if self.stage.requests.list.is_empty() {
            return outputs.iter().enumerate().map(|(i, (name, _))| (i, name.clone())).collect();
        }
        let named = self.stage.requests.list.iter();
        named
            .filter_map(|(name, _)| Some((self.output(name, outputs)?.0, (*name).to_owned())))
            .collect()
    }

    /// Prints the reports, each place once; fails if a run was stopped, or points cannot be written.
    fn report(&self, reports: &BTreeSet<Report>, stopped: bool) -> Result<(), Failure> {
        // The first pass for statistics shows nothing.
        let is_silent = self.stage.args.stats.is_some();
        for report in reports.iter().filter(|report| is_silent || !report.is_shown) {
            remark(&report);
        }
        let name = self.subject.template.name();
        if stopped {
            let message = format!("error: `{name}` did not come to its end; nothing was written");
            return Err(Failure::User(message));
        }
        if reports.iter().any(|report| report.fatal) {
            let message = format!("error: not all points of `{name}` can be written; nothing was written");
            return Err(Failure::User(message));
        }
        Ok(())
    }

    /// Shows the outputs at the first point, for a single shader that prints nothing.
    fn show_first<E: Engine>(&self, engine: &E, outputs: &[(String, Type)]) {
        let mut state = engine.state();
        let mut globals = self.stage.grid.globals();
        self.stage.grid.place(&mut globals, 0, 0);
        engine.run(&mut state, &globals);
        let mut text = String::new();
        for (i, (name, _)) in outputs.iter().enumerate() {
            text.push_str(&format!("{name} = {}\n", output::output_text(engine, &state, i)));
        }
        print_result(&text);
    }
}
