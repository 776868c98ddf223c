//! `kiln shade`: runs a unit or group over a grid of points, prints what it prints, and writes outputs as images.

mod engine;
mod grid;
mod host;
mod output;
mod params;
mod pass;
mod statistics;
mod subject;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shading::instance::Making;
use shading::opt::OptLevel;
use shading::ty::Type;
use shading::{Diagnostic, Diagnostics, InstanceOptions, RayKind, ShadingSystem};

use super::outputs::Outputs;
use super::{Failure, print, remark, shader_file, tell};
use crate::cli::{ShadeArgs, Step};
use crate::image::{SampleType, write_whole};
use crate::material::{closure_registry, library};
use crate::memory;
use engine::{Compiled, Engine, Interpreted, Report};
use grid::{Grid, Placement, Vary};
use host::GridHost;
use output::Requests;
use pass::{PassOptions, pass};
use statistics::{Statistics, code_of};
use subject::Subject;

/// How long caches and clocks are warmed up before time is taken.
const WARM_UP: Duration = Duration::from_millis(50);

pub(super) fn run(args: &ShadeArgs) -> Result<(), Failure> {
    let requests = Requests::of(&args.outputs);
    let outputs = outputs(args, &requests)?;
    let size = args.grid.last_chunk::<2>().copied().unwrap_or([1, 1]);
    let grid = Grid::new(size, &placement(args).map_err(told)?);
    let limit = (args.texture_memory).map_or_else(memory::for_textures, |limit| limit as usize);
    let host = GridHost::new(size, subject::directories(&args.setup), limit);
    let host = Arc::new(host);
    let system = ShadingSystem::new(closure_registry(), host.clone())
        .with_library(library::LIBRARY)
        .with_preprocessor(args.source.preprocessor_with(&args.define));

    let start = Instant::now();
    let names: Vec<&str> = requests.list.iter().map(|(name, _)| *name).collect();
    let subject = subject::find(&args.setup, &names, &system).map_err(told)?;
    let load = start.elapsed();
    if args.verbose {
        print(&subject.warnings);
    }

    let options = InstanceOptions {
        inputs: subject.inputs.clone(),
        outputs: subject.outputs.iter().map(|(_, output)| output.clone()).collect(),
        optimize: if args.unoptimized {
            OptLevel::None
        } else {
            OptLevel::Full
        },
        ..InstanceOptions::default()
    };
    let job = Job {
        args,
        requests: &requests,
        grid: &grid,
        host: &host,
        subject: &subject,
        files: &outputs,
        load,
    };
    if args.interpret || args.print_code {
        let (unit, sources, making) = system.optimized(&subject.template, &options).map_err(told)?;
        if args.print_code {
            tell(&shading::hir::print::print(&unit));
        }
        if args.interpret {
            let closures = system.closures();
            let engine = Interpreted {
                unit: &unit,
                sources: &sources,
                host: &host,
                closures,
            };
            return job.run(&engine, making, None, &[]);
        }
    }
    let instance = system
        .instantiate(subject.template.clone(), &options)
        .map_err(told)?;
    let (making, code) = (*instance.making(), code_of(&instance));
    let missing = instance.statistics().missing_textures.iter();
    let missing = missing.filter(|texture| !texture.optional);
    let missing: Vec<String> = missing.map(|texture| texture.name.clone()).collect();
    job.run(
        &Compiled {
            instance,
            system: &system,
        },
        making,
        Some(code),
        &missing,
    )
}

/// All files that will be written.
fn outputs(args: &ShadeArgs, requests: &Requests<'_>) -> Result<Outputs, Failure> {
    let mut outputs = Outputs::default();
    if !args.print {
        requests.add_to(&mut outputs)?;
    }
    if let Some(path) = args.stats.as_ref().filter(|path| path.as_os_str() != "-") {
        outputs.file("--stats", path)?;
    }
    let shaders = args.setup.steps.iter().filter_map(|step| match step {
        Step::Shader(word) => shader_file::file_of(word),
        Step::Layer(_) | Step::Param { .. } | Step::Expr(_) | Step::Connect(_) => None,
    });
    outputs.spare(shaders)?;
    Ok(outputs)
}

/// Mistakes that were found before anything ran.
fn told(diagnostics: Diagnostics) -> Failure {
    Failure::User(diagnostics.to_string())
}

fn placement(args: &ShadeArgs) -> Result<Placement, Diagnostics> {
    let name = args.ray_kind.as_deref().unwrap_or("camera");
    let Some(&(_, ray_kind)) = RayKind::NAMES.iter().find(|(known, _)| *known == name) else {
        let known = RayKind::NAMES.iter().map(|(known, _)| *known);
        return Err(Diagnostic::error(format!("unknown kind of ray `{name}`"))
            .nearest(name, known)
            .into());
    };
    Ok(Placement {
        center: args.center,
        scale: args.scale_uv.last_chunk::<2>().copied().unwrap_or([1.0; 2]),
        offset: args.offset_uv.last_chunk::<2>().copied().unwrap_or([0.0; 2]),
        vary: Vary {
            p: args.vary_p,
            u: args.vary_u,
            v: args.vary_v,
        },
        ray_kind,
    })
}

/// A shader on its way over a grid.
struct Job<'a> {
    args: &'a ShadeArgs,
    requests: &'a Requests<'a>,
    grid: &'a Grid,
    host: &'a GridHost,
    subject: &'a Subject,
    files: &'a Outputs,
    load: Duration,
}

impl Job<'_> {
    fn run<E: Engine>(
        &self,
        engine: &E,
        making: Making,
        code: Option<(Duration, usize)>,
        missing_textures: &[String],
    ) -> Result<(), Failure> {
        let args = self.args;
        self.load_textures()?;
        self.files.spare(self.host.texture_files())?;
        let mut warnings: Vec<String> = missing_textures
            .iter()
            .map(|name| format!("no texture file `{name}`; it shows black"))
            .collect();
        for warning in &warnings {
            remark(&format!("warning: {warning}"));
        }

        let outputs = engine.outputs();
        let images = if args.print {
            Ok(vec![])
        } else {
            self.requests
                .images(self.grid, |name| self.output(name, &outputs))
        };
        let mut images = images.map_err(told)?;
        let print = self.printed(&outputs);
        let threads = self.threads();
        let mut states: Vec<E::State> = (0..threads).map(|_| engine.state()).collect();
        let mut reports = BTreeSet::new();
        let mut stopped = false;
        if args.stats.is_some() {
            let options = PassOptions {
                silent: true,
                limit: Some(WARM_UP),
                ..PassOptions::default()
            };
            // A context tells each place once, so what is told now must not be lost.
            reports.extend(pass(engine, &mut states, self.grid, &mut images, &options).reports);
        }
        let mut printed = false;
        let start = Instant::now();
        for iteration in 0..args.iterations {
            let print = if iteration + 1 == args.iterations {
                &print[..]
            } else {
                &[]
            };
            let told = pass(
                engine,
                &mut states,
                self.grid,
                &mut images,
                &PassOptions {
                    print,
                    ..PassOptions::default()
                },
            );
            reports.extend(told.reports);
            printed |= told.printed;
            if told.stopped {
                stopped = true;
                break;
            }
        }
        let run = start.elapsed();

        self.tell(&reports, stopped)?;
        output::write(images, self.samples(), self.subject.template.name())?;
        if self.requests.list.is_empty() && !printed {
            self.show_first(engine, &outputs);
        }
        warnings.extend(reports.iter().map(ToString::to_string));
        let shader = self.subject.template.name().to_owned();
        let (points, iterations, load) = (self.grid.points(), args.iterations, self.load);
        let statistics = Statistics {
            shader,
            points,
            iterations,
            threads,
            load,
            making,
            code,
            run,
            warnings,
        };
        match args.stats.as_deref() {
            None => {}
            Some(path) if path.as_os_str() == "-" => remark(&statistics),
            Some(path) => write_whole(path, statistics.json().as_bytes())?,
        }
        Ok(())
    }

    fn load_textures(&self) -> Result<(), Failure> {
        self.host.load_textures().map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(|error| format!("error: {error}")).collect();
            Failure::User(errors.join("\n"))
        })
    }

    /// As many as there is work for.
    fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = self
            .args
            .threads
            .filter(|&n| n > 0)
            .map_or_else(all, |n| n as usize);
        wanted.min(self.grid.points())
    }

    fn samples(&self) -> SampleType {
        match self.args.output_type.as_deref() {
            Some("uint8") => SampleType::U8,
            Some("uint16") => SampleType::U16,
            Some("half") => SampleType::F16,
            _ => SampleType::F32,
        }
    }

    /// The place and type of an output, by the name that was asked for.
    fn output(&self, name: &str, outputs: &[(String, Type)]) -> Option<(usize, Type)> {
        let (_, own) = self.subject.outputs.iter().find(|(asked, _)| asked == name)?;
        let index = outputs.iter().position(|(output, _)| output == own)?;
        Some((index, outputs[index].1))
    }

    /// The outputs that `--print` shows: those that `-o` names, else all.
    fn printed(&self, outputs: &[(String, Type)]) -> Vec<(usize, String)> {
        if !self.args.print {
            return vec![];
        }
        if self.requests.list.is_empty() {
            return outputs
                .iter()
                .enumerate()
                .map(|(i, (name, _))| (i, name.clone()))
                .collect();
        }
        let named = self.requests.list.iter();
        named
            .filter_map(|(name, _)| Some((self.output(name, outputs)?.0, (*name).to_owned())))
            .collect()
    }

    /// Says what went wrong, each place once; fails when a run was ended.
    fn tell(&self, reports: &BTreeSet<Report>, stopped: bool) -> Result<(), Failure> {
        for report in reports {
            remark(&report);
        }
        if !stopped {
            return Ok(());
        }
        let message = format!(
            "error: `{}` did not come to its end; nothing was written",
            self.subject.template.name()
        );
        Err(Failure::User(message))
    }

    /// Shows the outputs at the first point, for a shader that says nothing itself.
    fn show_first<E: Engine>(&self, engine: &E, outputs: &[(String, Type)]) {
        let mut state = engine.state();
        let mut globals = self.grid.globals();
        self.grid.place(&mut globals, 0, 0);
        engine.run(&mut state, &globals);
        let mut text = String::new();
        for (i, (name, _)) in outputs.iter().enumerate() {
            text.push_str(&format!("{name} = {}\n", output::output_text(engine, &state, i)));
        }
        tell(&text);
    }
}
