//! `kiln shade`: runs a unit or group over a grid of points and writes outputs as text or images.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod clouds;
mod engine;
mod grid;
mod host;
mod layer;
mod output;
mod params;
mod pass;
mod points;
mod raster;
mod serialised;
mod statistics;
mod subject;
mod tree;
mod unit;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shading::CompileStats;
use shading::codegen::{MissingTexture, NamedTexture};
use shading::opt::OptLevel;
use shading::ty::Type;
use shading::{
    ColorSystem, Diagnostic, Diagnostics, InstanceOptions, RayKind, ShadingSystem, UnreadableTexture, Value,
    WrittenClouds,
};

use engine::{Compiled, Engine, Interpreted, MAX_WRITTEN, Report};
use grid::{Grid, Placement, PointSet as _, Vary};
use host::{GridHost, Userdata};
use output::Requests;
use pass::{PassOptions, pass};
pub use points::{PointInput, Points};
use renderer_base::files::{LoggedFiles, SharedFiles};
use renderer_base::memory;
use renderer_cli::{ShadeArgs, Step};
use renderer_image::{SampleType, Staged};
use renderer_inputs::shader_file;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::{Outputs, WriteMode, check_written};
use renderer_support::watch::{self, Read};
use renderer_support::{Failure, print, print_result, remark};
use renderer_transport::material::{TextureLoadError, closure_registry, library};
use statistics::{CodeStatistics, Statistics};
use subject::Subject;
pub use tree::{point_text, run as debug};
pub use unit::{Evaluated, Instance, OutputInfo, ShaderText, Unit};

/// Time for which caches and clocks are warmed up before the measurement.
const WARM_UP: Duration = Duration::from_millis(50);

/// Points from which on a grid is worth the time to compile code for packets.
const PACKET_GRID: usize = 4096;

/// Runs `kiln shade`.
pub fn run(args: &ShadeArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch()?;
    if !args.watch {
        return run_once(args, &interrupt, &|_| ());
    }
    let files = named_files(args);
    watch::again(shader_file::files_of(files), &interrupt, |read| {
        run_once(args, &interrupt, read)?;
        let made = args.outputs.chunks_exact(2).map(|pair| pair[1].as_str());
        let made: BTreeSet<&str> = made.filter(|file| *file != output::NOWHERE).collect();
        Ok(Some(match made.is_empty() {
            true => "done".to_owned(),
            false => made.into_iter().collect::<Vec<_>>().join(", "),
        }))
    })
}

/// `read` receives the files that were read, even if the work fails.
fn run_once(args: &ShadeArgs, interrupt: &Interrupt, read: Read<'_>) -> Result<(), Failure> {
    let files = SharedFiles::new(LoggedFiles::default());
    let done = run_with(args, interrupt, &files);
    read(files.log());
    done
}

/// Runs the shader of the command line. `files` are the files that shaders can read.
fn run_with(args: &ShadeArgs, interrupt: &Interrupt, files: &SharedFiles) -> Result<(), Failure> {
    let requests = Requests::of(&args.outputs);
    let outputs = match args.emit {
        None => outputs(args, &requests)?,
        Some(_) => raster::files(args)?,
    };
    let size = args.grid.last_chunk::<2>().copied().unwrap_or([1, 1]);
    let grid = Grid::new(size, &placement(args).map_err(Failure::plain)?);
    let limit = (args.texture_memory).map_or_else(memory::for_textures, |limit| limit as usize);
    let userdata = userdata(args).map_err(Failure::plain)?;
    let host = GridHost::new(size, subject::directories(&args.setup), limit, userdata, files.clone());
    let host = Arc::new(host);
    let system = ShadingSystem::new(closure_registry(), host.clone())
        .with_library(library::LIBRARY)
        .with_color_system(color_system(args).map_err(Failure::plain)?)
        .with_preprocessor(args.source.preprocessor(&args.define, files.clone()));
    if let Some(emit) = args.emit {
        spare_shaders(args, &outputs)?;
        return raster::run(args, emit, &system);
    }
    let mut stage = Stage {
        args,
        requests: &requests,
        grid: &grid,
        host: &host,
        files: &outputs,
        system: &system,
        interrupt,
        iterations: args.iterations,
        is_last: true,
    };
    let is_changed = args.setup.steps.iter().any(|step| matches!(step, Step::Reparam { .. }));
    if is_changed && args.iterations > 1 {
        stage.iterations = 1;
        stage.is_last = false;
        stage.run(false)?;
        stage.iterations = args.iterations - 1;
        stage.is_last = true;
    }
    stage.run(is_changed && args.iterations > 1)
}

/// Iterations with equal inputs.
struct Stage<'a> {
    args: &'a ShadeArgs,
    requests: &'a Requests<'a>,
    grid: &'a Grid,
    host: &'a GridHost,
    files: &'a Outputs,
    system: &'a ShadingSystem,
    /// Tells that the work is out of date.
    interrupt: &'a Interrupt,
    iterations: u32,
    /// True if images are written after it.
    is_last: bool,
}

impl Stage<'_> {
    /// Compiles and runs the shader of the command line; `again` is true if inputs have the values of later iterations.
    fn run(&self, again: bool) -> Result<(), Failure> {
        let Stage { args, system, .. } = *self;
        let start = Instant::now();
        let names: Vec<&str> = self.requests.list.iter().map(|(name, _)| *name).collect();
        let subject =
            subject::find(args, &names, again, system).map_err(|error| Failure::User(error.to_string()))?;
        let load = start.elapsed();
        self.host.trace_for(&subject.template);
        if args.verbose && !again {
            print(&subject.warnings);
            print_result(&subject.description(args.query));
        }
        if !args.entries.is_empty() && !again {
            print_result(&subject.entries(&args.entries));
        }
        let options = InstanceOptions {
            inputs: subject.inputs.clone(),
            outputs: subject.outputs.iter().map(|(_, output)| output.clone()).collect(),
            optimize: if args.unoptimized { OptLevel::None } else { OptLevel::Full },
            codegen: args.codegen.level(),
            packets: !args.print && self.grid.points() >= PACKET_GRID,
            ..InstanceOptions::default()
        };
        let job = Job { stage: self, subject: &subject, load };
        let is_interpreted = args.interpret || args.debug_nan;
        if is_interpreted || args.print_code {
            let (unit, sources, compile_stats) =
                system.optimized(&subject.template, &options).map_err(Failure::plain)?;
            if args.print_code {
                print_result(&shading::hir::print::print(&unit));
            }
            if is_interpreted {
                let engine = Interpreted {
                    unit: &unit,
                    sources: &sources,
                    host: self.host,
                    closures: system.closures(),
                    reports_not_finite: args.debug_nan,
                };
                return job.run(&engine, compile_stats, None, &[]);
            }
        }
        let instance = system.instantiate(subject.template.clone(), &options).map_err(Failure::plain)?;
        let (compile_stats, code) = (*instance.compile_stats(), CodeStatistics::of(&instance));
        let missing = instance.statistics().missing_textures.iter();
        let missing = missing.filter(|texture| !texture.optional);
        let missing: Vec<Diagnostic> = missing.map(missing_texture).collect();
        job.run(&Compiled { instance, system }, compile_stats, Some(code), &missing)
    }
}

/// The warning of a texture that lookups cannot read.
fn missing_texture(texture: &MissingTexture) -> Diagnostic {
    let name = &texture.name;
    let mut warning = Diagnostic::warning(match texture.problem {
        UnreadableTexture::NotFound => format!("no texture file `{name}`; it shows black"),
        problem @ (UnreadableTexture::NoPicture
        | UnreadableTexture::NoVolume
        | UnreadableTexture::NoEnvironment) => {
            format!("the texture file `{name}` {}; it shows black", problem.predicate())
        }
    });
    warning.labels.extend(texture.label.clone());
    warning
}

/// The attributes of the geometry that the command line gives.
fn userdata(args: &ShadeArgs) -> Result<Vec<(String, Userdata)>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut list = vec![];
    for step in &args.setup.steps {
        let Step::Userdata(assignment) = step else {
            continue;
        };
        let ty = match assignment.option("type") {
            None => Some(params::type_of(&assignment.value)),
            Some(name) => params::type_named(name),
        };
        let Some(ty) = ty else {
            let name = assignment.option("type").unwrap_or_default();
            diagnostics.push(Diagnostic::error(format!("unknown type `{name}`")));
            continue;
        };
        let given = params::Given::Text(assignment.value.clone());
        match params::parse(&assignment.name, ty, &given) {
            Ok(Value::Const(value, _)) => list.push((assignment.name.clone(), Userdata::new(value))),
            Ok(Value::Global(_) | Value::Uniform(..)) => {}
            Err(error) => diagnostics.push(error),
        }
    }
    diagnostics.into_result(list)
}

/// The output files.
fn outputs(args: &ShadeArgs, requests: &Requests<'_>) -> Result<Outputs, Failure> {
    let mut outputs = Outputs::default();
    if !args.print {
        requests.add_to(&mut outputs)?;
    }
    if let Some(path) = args.stats.as_ref().filter(|path| path.as_os_str() != "-") {
        outputs.file("--stats", path)?;
    }
    spare_shaders(args, &outputs)?;
    Ok(outputs)
}

/// Fails if an output is a file of the shaders.
fn spare_shaders(args: &ShadeArgs, outputs: &Outputs) -> Result<(), Failure> {
    outputs.check_inputs(named_files(args))
}

/// The files of shaders and serialised groups that the command line names.
fn named_files(args: &ShadeArgs) -> Vec<PathBuf> {
    let file = |step: &Step| match step {
        Step::Shader(word) => shader_file::file_of(word),
        Step::Group(spec) => Some(PathBuf::from(spec)).filter(|path| path.is_file()),
        Step::Layer(_)
        | Step::Param(_)
        | Step::Expr(_)
        | Step::Connect(_)
        | Step::Reparam { .. }
        | Step::Userdata(_) => None,
    };
    args.setup.steps.iter().filter_map(file).collect()
}

fn color_system(args: &ShadeArgs) -> Result<ColorSystem, Diagnostics> {
    let Some(name) = args.color_space.as_deref() else {
        return Ok(ColorSystem::default());
    };
    ColorSystem::from_name(name).ok_or_else(|| {
        let known = ColorSystem::ALL.iter().map(|(known, _)| *known);
        Diagnostic::error(format!("unknown colour space `{name}`"))
            .nearest(name, known)
            .into()
    })
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
        vary: Vary { p: args.vary_p, u: args.vary_u, v: args.vary_v },
        ray_kind,
    })
}

/// Run of a shader over a grid.
struct Job<'a> {
    stage: &'a Stage<'a>,
    subject: &'a Subject,
    load: Duration,
}

impl Job<'_> {
    fn run<E: Engine>(
        &self,
        engine: &E,
        compile_stats: CompileStats,
        code: Option<CodeStatistics>,
        missing_textures: &[Diagnostic],
    ) -> Result<(), Failure> {
        let Stage {
            args,
            requests,
            grid,
            host,
            files,
            interrupt,
            iterations,
            is_last,
            ..
        } = *self.stage;
        self.load_textures(engine.textures())?;
        files.check_inputs(host.files_read())?;
        missing_textures.iter().for_each(|warning| remark(warning));
        let warnings = missing_textures.iter().map(|warning| warning.message.clone());
        let mut warnings: Vec<String> = warnings.collect();

        let outputs = engine.outputs();
        let images = if args.print {
            Ok(vec![])
        } else {
            requests.images(grid, |name| self.output(name, &outputs))
        };
        let mut images = images.map_err(Failure::plain)?;
        let print = self.printed(&outputs);
        let threads = self.threads();
        let mut states: Vec<E::State> = (0..threads).map(|_| engine.state()).collect();
        let mut reports = BTreeSet::new();
        let mut stopped = false;
        if args.stats.is_some() {
            let options = PassOptions { silent: true, limit: Some(WARM_UP), ..PassOptions::default() };
            // A context reports each place once, so the reports of each pass are collected.
            reports.extend(pass(engine, &mut states, grid, &mut images, &options).reports);
        }
        let mut printed = false;
        let (mut written, mut is_overfull) = (WrittenClouds::default(), false);
        let repeats = args.engine_option("error_repeats").is_some_and(|value| value != "0");
        let layers: Vec<String> = self.subject.layers.iter().map(|layer| layer.layer.clone()).collect();
        let start = Instant::now();
        for iteration in 0..iterations {
            let is_last = is_last && iteration + 1 == iterations;
            let print = if is_last { &print[..] } else { &[] };
            let result = pass(
                engine,
                &mut states,
                grid,
                &mut images,
                &PassOptions {
                    print,
                    keeps_points: is_last,
                    repeats,
                    group: &self.subject.group,
                    layers: &layers,
                    stop: Some(interrupt.flag()),
                    ..PassOptions::default()
                },
            );
            reports.extend(result.reports);
            printed |= result.printed;
            if interrupt.is_set() {
                return Err(interrupt.failure());
            }
            is_overfull |= result.is_overfull;
            written.append(result.written);
            if result.stopped {
                stopped = true;
                break;
            }
        }
        let run = start.elapsed();

        self.report(&reports, stopped)?;
        if !is_last {
            return Ok(());
        }
        files.check_inputs(host.files_read())?;
        let clouds = self.clouds(written, is_overfull)?;
        let mut errors = output::write(images, self.samples(), self.subject.template.name())?;
        errors.extend(clouds.into_iter().filter_map(|cloud| cloud.commit_or_keep().err()));
        let is_alone = args.entries.is_empty() && self.subject.layers.len() <= 1;
        if requests.list.is_empty() && is_alone && !printed {
            self.show_first(engine, &outputs);
        }
        warnings.extend(reports.iter().map(ToString::to_string));
        let shader = self.subject.template.name().to_owned();
        let (points, load) = (grid.points(), self.load);
        let statistics = Statistics {
            shader,
            points,
            iterations,
            threads,
            load,
            compile_stats,
            code,
            run,
            warnings,
        };
        match args.stats.as_deref() {
            None => {}
            Some(path) if path.as_os_str() == "-" => remark(&statistics),
            Some(path) => {
                let stats = WriteMode::Final(&[]).write_bytes(path, statistics.json().as_bytes());
                errors.extend(stats.err());
            }
        }
        check_written(&errors)
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
        spare_shaders(args, &outputs)?;
        outputs.check_inputs(host.files_read())?;
        clouds::spare_others(&written)?;
        clouds::stage(written)
    }

    fn load_textures(&self, named: &[NamedTexture]) -> Result<(), Failure> {
        self.stage.host.load_textures().map_err(|faults| {
            let placed = |fault: &TextureLoadError| {
                let mut error = fault.hinted(Diagnostic::error(fault.to_string()));
                let place = named.iter().find(|texture| fault.is_of(&texture.request));
                error.labels.extend(place.and_then(|texture| texture.label.clone()));
                error
            };
            Failure::plain(Diagnostics { list: faults.iter().map(placed).collect() })
        })
    }

    /// Number of useful threads.
    fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = self.stage.args.threads.filter(|&n| n > 0).map_or_else(all, |n| n as usize);
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
