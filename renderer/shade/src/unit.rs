//! Units and groups that run over arrays of points, for programs that embed Kiln.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use shading::hir::Const;
use shading::runtime::closure_text::closure_text;
use shading::ty::{Base, Type};
use shading::{
    Diagnostic, Diagnostics, InstanceOptions, ShaderInstance, ShadingContext, ShadingSystem, Source, Template,
};

use super::engine::{Compiled, Engine as _};
use super::grid::PointSet as _;
use super::host::GridHost;
use super::output::{Image, channels};
use super::params::{self, Given};
use super::pass::{PassOptions, pass};
use super::points::Points;
use super::{PACKET_GRID, missing_texture};
use renderer_base::files::{LoggedFiles, SharedFiles};
use renderer_base::memory;
use renderer_inputs::shader_file;
use renderer_support::{Failure, lock};
use renderer_transport::material::{closure_registry, library};

/// Location of a shader.
#[derive(Clone, Copy, Debug)]
pub enum ShaderText<'a> {
    /// A file, `FILE:NAME`, or the name of a shader that ships.
    Named(&'a str),
    /// Source text, and the name of a unit or group in it; the last without one.
    Source(&'a str, Option<&'a str>),
}

/// A unit or group.
pub struct Unit {
    system: Arc<ShadingSystem>,
    host: Arc<GridHost>,
    template: Template,
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
    /// Compiles a unit or group. Texture files are looked for in `folders`, included files too.
    ///
    /// # Errors
    /// All mistakes in it; or that there is none of that name.
    pub fn new(text: ShaderText<'_>, folders: &[PathBuf]) -> Result<Unit, Failure> {
        let files = SharedFiles::new(LoggedFiles::default());
        let own = match text {
            ShaderText::Named(word) => shader_file::file_of(word),
            ShaderText::Source(..) => None,
        };
        let own = own.as_deref().and_then(Path::parent).map(Path::to_owned);
        let directories: Vec<PathBuf> = own.into_iter().chain(folders.iter().cloned()).collect();
        let limit = memory::for_textures();
        let host = GridHost::new([1, 1], directories.clone(), limit, vec![], files.clone());
        let host = Arc::new(host);
        let source = renderer_inputs::common_args::SourceArgs { folders: directories, undefine: vec![] };
        let system = ShadingSystem::new(closure_registry(), host.clone())
            .with_library(library::LIBRARY)
            .with_preprocessor(source.preprocessor(&[], files));
        let (template, warnings) = find(&system, text).map_err(Failure::Mistakes)?;
        Ok(Unit { system: Arc::new(system), host, template, warnings })
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
            return Err(Failure::of(nothing(self.template.name())));
        };
        let mut errors = Diagnostics::default();
        let mut values = vec![];
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
        self.host.load_textures().map_err(|faults| {
            let list = faults.iter().map(|fault| Diagnostic::error(fault.to_string()));
            Failure::Mistakes(Diagnostics { list: list.collect() })
        })?;
        let missing = instance.statistics().missing_textures.iter();
        let missing = missing.filter(|texture| !texture.optional);
        Ok(Instance {
            warnings: Diagnostics { list: missing.map(missing_texture).collect() },
            instance,
            system: self.system.clone(),
            name: self.template.name().to_owned(),
            contexts: Mutex::default(),
        })
    }
}

fn find(system: &ShadingSystem, text: ShaderText<'_>) -> Result<(Template, Diagnostics), Diagnostics> {
    let (source, name) = match text {
        ShaderText::Named(word) => {
            let found = shader_file::find(system, word)?;
            let warnings = found.warnings.clone();
            let template = found.last().ok_or_else(|| nothing(word))?;
            return Ok((template, warnings));
        }
        ShaderText::Source(source, name) => (source, name),
    };
    let loaded = system.load(Source::new("<source>", source))?;
    let templates = shader_file::in_order(&loaded);
    let found = match name {
        None => templates.last().cloned().ok_or_else(|| nothing("the text"))?,
        Some(name) => {
            let found = templates.iter().find(|template| template.name() == name);
            found.cloned().ok_or_else(|| {
                let error = Diagnostic::error(format!("the text holds no unit or group `{name}`"));
                error.nearest(name, templates.iter().map(Template::name))
            })?
        }
    };
    Ok((found, loaded.warnings))
}

fn nothing(text: &str) -> Diagnostic {
    Diagnostic::error(format!("{text} holds no unit and no group"))
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
