//! Iterations of a shader with equal inputs: compiled or interpreted.

use std::time::Instant;

use shading::InstanceOptions;
use shading::opt::OptLevel;

use super::builder;
use super::engine::{Compiled, Interpreted};
use super::grid::PointSet as _;
use super::job::{Compilation, Job, Stage};
use super::statistics::CodeStatistics;
use super::subject::Subject;
use super::{PACKET_GRID, system};
use renderer_support::{Failure, print, print_result};

impl Stage<'_> {
    /// Compiles and runs the shader of the command line; `again` is true if inputs have the values of later iterations.
    pub(super) fn run(&self, again: bool) -> Result<(), Failure> {
        let Stage { args, system, .. } = *self;
        let request = &args.request;
        let start = Instant::now();
        let names: Vec<&str> = self.requests.list.iter().map(|(name, _)| *name).collect();
        let subject = builder::find(request, &names, again, system)
            .map_err(|error| Failure::User(error.to_string()))?;
        let load = start.elapsed();
        self.host.trace_for(&subject.template);
        if !again {
            self.describe(&subject);
        }
        let options = self.options(&subject);
        let job = Job { stage: self, subject: &subject, load };
        let is_interpreted = request.interpret || request.debug_nan;
        if is_interpreted || args.print_code {
            let (unit, sources, stats) =
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
                    reports_not_finite: request.debug_nan,
                };
                return job.run(&engine, Compilation { stats, code: None, missing_textures: vec![] });
            }
        }
        let instance = system.instantiate(subject.template.clone(), &options).map_err(Failure::plain)?;
        let compilation = Compilation {
            stats: *instance.compile_stats(),
            code: Some(CodeStatistics::of(&instance)),
            missing_textures: system::missing_textures(&instance),
        };
        job.run(&Compiled { instance, system }, compilation)
    }

    /// Prints what `-v` and `--entry` show of the shader.
    fn describe(&self, subject: &Subject) {
        let args = self.args;
        if args.verbose {
            print(&subject.warnings);
            print_result(&subject.description(args.query));
        }
        if !args.request.entries.is_empty() {
            print_result(&subject.entries(&args.request.entries));
        }
    }

    fn options(&self, subject: &Subject) -> InstanceOptions {
        let request = &self.args.request;
        InstanceOptions {
            inputs: subject.inputs.clone(),
            outputs: subject.outputs.iter().map(|(_, output)| output.clone()).collect(),
            optimize: if request.unoptimized { OptLevel::None } else { OptLevel::Full },
            codegen: request.codegen.level(),
            packets: !self.args.print && self.grid.points() >= PACKET_GRID,
            ..InstanceOptions::default()
        }
    }
}
