//! Units and groups that run over arrays of points, for programs that embed Kiln.

use std::fmt;
use std::sync::{Arc, Mutex};

use shading::hir::Const;
use shading::runtime::closure_text::closure_text;
use shading::ty::{Base, Type};
use shading::{
    Diagnostic, Diagnostics, InstanceOptions, ShaderInstance, ShadingContext, ShadingSystem, Template, Value,
};

use super::engine::{Compiled, Engine as _};
use super::grid::PointSet as _;
use super::host::GridHost;
use super::output::{Image, channels};
use super::params::{self, Given};
use super::pass::{PassOptions, pass};
use super::points::Points;
use super::subject::SubjectError;
use super::{PACKET_GRID, builder, system};
use renderer_base::files::{LoggedFiles, SharedFiles};
use renderer_inputs::shade_request::ShadeRequest;
use renderer_support::{Failure, lock};

/// A unit or group.
pub struct Unit {
    system: Arc<ShadingSystem>,
    host: Arc<GridHost>,
    template: Template,
    /// Values of inputs by the request.
    inputs: Vec<(String, Value)>,
    warnings: Diagnostics,
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unit")
            .field("name", &self.template.name())
            .finish_non_exhaustive()
    }
}

impl Unit {
    /// Compiles the unit or group of a request. Textures are looked for in its folders of included files, too.
    ///
    /// # Errors
    /// All mistakes in it; or that there is none of that name.
    pub fn new(request: &ShadeRequest) -> Result<Unit, Failure> {
        let mut request = request.clone();
        let own = request.files().filter_map(|file| Some(file.parent()?.to_owned()));
        request.source.folders.splice(0..0, own.collect::<Vec<_>>());
        let files = SharedFiles::new(LoggedFiles::default());
        let folders = request.source.folders.clone();
        let host = system::host(&request, [1, 1], folders, &files).map_err(Failure::Mistakes)?;
        let system = system::of_request(&request, host.clone(), files).map_err(Failure::Mistakes)?;
        let subject = builder::find(&request, &[], false, &system).map_err(|error| match error {
            SubjectError::Diagnostics(diagnostics) => Failure::Mistakes(diagnostics),
            SubjectError::Engine(_) => Failure::User(error.to_string()),
        })?;
        Ok(Unit {
            system: Arc::new(system),
            host,
            template: subject.template,
            inputs: subject.inputs,
            warnings: subject.warnings,
        })
    }

    /// Name, kind, metadata and parameters, as `kiln info --json` shows them.
    pub fn description(&self) -> String {
        renderer_info::description(&self.template).to_string()
    }

    /// Warnings about the source.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Compiles it to machine code with values of its inputs, each number by number or text by text, for these outputs;
    /// for all if there are none.
    ///
    /// # Errors
    /// Unknown names, values of another type, textures that cannot be read.
    pub fn instantiate(
        &self,
        inputs: &[(String, Vec<String>)],
        outputs: &[String],
        packets: bool,
    ) -> Result<Instance, Failure> {
        let Some(params) = self.template.params() else {
            self.system.check(&self.template).map_err(Failure::Mistakes)?;
            let message = format!("{} holds no unit and no group", self.template.name());
            return Err(Failure::of(Diagnostic::error(message)));
        };
        let mut errors = Diagnostics::default();
        let mut values = self.inputs.clone();
        for (name, numbers) in inputs {
            let Some(param) = params.iter().find(|param| param.name == *name && !param.output) else {
                let known = params.iter().filter(|param| !param.output);
                let error = Diagnostic::error(format!("`{}` has no input `{name}`", self.template.name()));
                errors.push(error.nearest(name, known.map(|param| param.name.as_str())));
                continue;
            };
            // One number fills a triple.
            let given = match &numbers[..] {
                [one] if param.ty.base != Base::String => Given::Text(one.clone()),
                _ => Given::List(numbers.clone()),
            };
            match params::parse(name, param.ty, &given) {
                Ok(value) => values.push((name.clone(), value)),
                Err(error) => errors.push(error),
            }
        }
        errors.into_result(()).map_err(Failure::Mistakes)?;
        let options = InstanceOptions {
            inputs: values,
            outputs: outputs.to_vec(),
            packets,
            ..InstanceOptions::default()
        };
        let instance = self
            .system
            .instantiate(self.template.clone(), &options)
            .map_err(Failure::Mistakes)?;
        let engine = Compiled { instance: instance.clone(), system: &self.system };
        system::load_textures(&self.host, engine.textures()).map_err(Failure::Mistakes)?;
        Ok(Instance {
            warnings: Diagnostics { list: system::missing_textures(&instance) },
            instance,
            system: self.system.clone(),
            name: self.template.name().to_owned(),
            contexts: Mutex::default(),
        })
    }
}

/// Name and type of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputInfo {
    /// Name.
    pub name: String,
    /// Type, such as `color` or `float[4]`.
    pub ty: String,
    /// Shape of a point's value; `None` if it is not made of numbers.
    pub shape: Option<Vec<usize>>,
}

impl OutputInfo {
    fn of(name: &str, ty: Type) -> OutputInfo {
        let element: &[usize] = match ty.base {
            Base::Matrix => &[4, 4],
            base if base.is_triple() => &[3],
            _ => &[],
        };
        let array = ty.is_array().then_some(ty.count() as usize);
        let shape = array.into_iter().chain(element.iter().copied());
        OutputInfo {
            name: name.to_owned(),
            ty: ty.to_string(),
            shape: channels(ty).map(|_| shape.collect()),
        }
    }
}

/// A unit or group as machine code, with values of its inputs.
#[derive(Debug)]
pub struct Instance {
    instance: Arc<ShaderInstance>,
    system: Arc<ShadingSystem>,
    name: String,
    warnings: Diagnostics,
    /// Contexts of earlier runs.
    contexts: Mutex<Vec<ShadingContext>>,
}

/// Values of outputs at all points.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// Index of each numeric output with the numbers of all points, those of a point adjacent.
    pub values: Vec<(usize, Vec<f32>)>,
    /// PrintOutput text, in the order of the points.
    pub text: String,
    /// Reports at run time, each place once.
    pub reports: Vec<String>,
}

impl Instance {
    /// The outputs.
    pub fn outputs(&self) -> Vec<OutputInfo> {
        let outputs = self.instance.outputs().iter();
        outputs.map(|output| OutputInfo::of(&output.name, output.ty)).collect()
    }

    /// Warnings about textures.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Runs at all points, by that many threads (0 for one per core), which change nothing of the result.
    ///
    /// # Errors
    /// If a run does not end.
    pub fn evaluate(&self, points: &Points<'_>, threads: usize) -> Result<Evaluated, Failure> {
        let outputs = self.instance.outputs().iter().enumerate();
        let images =
            outputs.filter_map(|(index, output)| Image::in_memory(index, output.ty, points.points()));
        let mut images: Vec<Image> = images.collect();
        let engine = self.engine();
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        // Starting a thread costs as much as some thousand points.
        let threads = threads.min(points.points().div_ceil(PACKET_GRID)).max(1);
        let mut states = self.contexts(threads);
        let options = PassOptions {
            keeps_text: true,
            group: &self.name,
            ..PassOptions::default()
        };
        let result = pass(&engine, &mut states, points, &mut images, &options);
        self.keep(states);
        let reports = result.reports.iter().filter(|report| !report.is_shown);
        let reports: Vec<String> = reports.map(ToString::to_string).collect();
        if result.stopped {
            let reason = reports.first().map_or(String::new(), |report| format!("\n{report}"));
            let message = format!("error: `{}` did not come to its end{reason}", self.name);
            return Err(Failure::User(message));
        }
        Ok(Evaluated {
            values: images.into_iter().map(|image| (image.output, image.pixels.data)).collect(),
            text: result.text,
            reports,
        })
    }

    /// Outputs at the first point that are no numbers: closures as `kiln shade` shows them, and strings.
    pub fn texts(&self, points: &Points<'_>) -> Vec<(String, String)> {
        let engine = self.engine();
        let mut states = self.contexts(1);
        let mut texts = vec![];
        for state in &mut states {
            let mut globals = points.globals();
            points.place(&mut globals, 0, 0);
            engine.run(state, &globals);
            for (index, output) in self.instance.outputs().iter().enumerate() {
                let text = match output.ty {
                    Type::CLOSURE => closure_text(&engine.closure(state, index), engine.closures()),
                    _ => match engine.value(state, index) {
                        Const::String(text) => text.to_string(),
                        _ => continue,
                    },
                };
                texts.push((output.name.clone(), text));
            }
        }
        self.keep(states);
        texts
    }

    fn engine(&self) -> Compiled<'_> {
        Compiled { instance: self.instance.clone(), system: &self.system }
    }

    fn contexts(&self, count: usize) -> Vec<ShadingContext> {
        let mut kept = lock(&self.contexts);
        let mut contexts = std::mem::take(&mut *kept);
        drop(kept);
        contexts.truncate(count);
        let engine = self.engine();
        while contexts.len() < count {
            contexts.push(engine.state());
        }
        contexts
    }

    fn keep(&self, contexts: Vec<ShadingContext>) {
        *lock(&self.contexts) = contexts;
    }
}
