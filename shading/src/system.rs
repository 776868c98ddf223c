//! The shading system: loads sources, holds units and groups by name, and compiles instances.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::codegen::{self, CompileOptions};
use crate::instance::{Making, ShaderInstance};
use crate::runtime::{HostFunctions, KnownAttributes, RayKind, ShaderHost, ShadingContext};
use shading_compiler::check::{self, Environment};
use shading_compiler::derivative::{self, DerivativeStats};
use shading_compiler::eval::color_system::ColorSystem;
use shading_compiler::graph::{self, ShaderGroupTemplate, ShaderUnitTemplate, Template, Templates, Value};
use shading_compiler::hir;
use shading_compiler::hir::ClosureRegistry;
use shading_compiler::opt::{self, OptOptions};
use shading_syntax::diagnostic::{Diagnostic, Diagnostics};
use shading_syntax::preprocess::Preprocessor;
use shading_syntax::source::{Source, SourceMap};
use shading_syntax::{self as syntax, ast};

/// A shader library, searched for units and groups that no loaded source declares.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// The source of the unit or group of a name.
    pub find: fn(&str) -> Option<Arc<Source>>,
    /// All names that it has.
    pub names: fn() -> Vec<&'static str>,
}

/// The entry point: units and groups by name, and all compilation steps. Can be used from many threads at once.
pub struct ShadingSystem {
    closures: ClosureRegistry,
    host: HostFunctions,
    make_context: Box<dyn Fn() -> ShadingContext + Send + Sync>,
    templates: RwLock<FxHashMap<String, Template>>,
    library: Option<Library>,
    preprocessor: Preprocessor,
    color_system: ColorSystem,
}

/// Result of loading a source.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// Its units and groups, in order.
    pub templates: Vec<Template>,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// Options of an instance.
#[derive(Clone, Debug, Default)]
pub struct InstanceOptions {
    /// Inputs that are set; the others keep their defaults.
    pub inputs: Vec<(String, Value)>,
    /// Outputs wanted, by name; all where it is empty.
    pub outputs: Vec<String>,
    /// Kind of ray that finds the shading points, if it is always the same.
    pub ray_kind: Option<RayKind>,
    /// The attributes of the geometry that it is for, where they are known.
    pub attributes: Option<Arc<KnownAttributes>>,
    /// The closures that the caller uses; others may be removed. `None` for all.
    pub closures: Option<Vec<hir::ClosureId>>,
    /// Whether all derivatives are zero, so that their code is removed.
    pub without_derivatives: bool,
    /// Level of Kiln's optimiser.
    pub optimize: opt::OptLevel,
    /// Optimisation level of code generation.
    pub codegen: codegen::OptLevel,
    /// Whether [`ShaderInstance::run_batch`] is to run four points at a time, where the template can.
    pub packets: bool,
}

impl ShadingSystem {
    /// A system that knows the given closures and asks `host` for textures, spaces and attributes.
    pub fn new<H: ShaderHost>(closures: ClosureRegistry, host: Arc<H>) -> ShadingSystem {
        codegen::prepare();
        ShadingSystem {
            closures,
            host: HostFunctions::of(host.clone()),
            make_context: Box::new(move || ShadingContext::new(host.clone())),
            templates: RwLock::default(),
            library: None,
            preprocessor: Preprocessor::default(),
            color_system: ColorSystem::default(),
        }
    }

    /// Sets the library to search for names that no loaded source declares.
    #[must_use]
    pub fn with_library(mut self, library: Library) -> ShadingSystem {
        self.library = Some(library);
        self
    }

    /// Preprocesses sources by `preprocessor`: it knows where included files are.
    #[must_use]
    pub fn with_preprocessor(mut self, preprocessor: Preprocessor) -> ShadingSystem {
        self.preprocessor = preprocessor;
        self
    }

    /// Sets the colour system; the default is linear Rec.709.
    #[must_use]
    pub fn with_color_system(mut self, color_system: ColorSystem) -> ShadingSystem {
        self.color_system = color_system;
        self
    }

    /// The closures that shaders may use.
    pub fn closures(&self) -> &ClosureRegistry {
        &self.closures
    }

    /// A context to run instances with, for one thread.
    pub fn context(&self) -> ShadingContext {
        (self.make_context)()
    }

    /// Compiles a source that holds one unit.
    ///
    /// # Errors
    /// All mistakes in it; or that it holds no unit.
    pub fn unit(&self, source: Arc<Source>) -> Result<Arc<ShaderUnitTemplate>, Diagnostics> {
        let name = source.name.clone();
        let units = self
            .load(source)?
            .templates
            .into_iter()
            .filter_map(|template| match template {
                Template::Unit(unit) => Some(unit),
                Template::Group(_) => None,
            });
        units
            .last()
            .ok_or_else(|| Diagnostic::error(format!("{name} holds no unit")).into())
    }

    /// Compiles all units and groups of a source and makes them known by their names, in place of earlier ones.
    ///
    /// # Errors
    /// All mistakes in it; then nothing of it is made known.
    pub fn load(&self, source: Arc<Source>) -> Result<Loaded, Diagnostics> {
        let (source, mut diagnostics) = self.preprocessor.run(source);
        // A missing include file would cause many further errors, which are not reported.
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let (file, mistakes) = syntax::parse(source);
        diagnostics.list.extend(mistakes.list);
        for item in &file.items {
            if let ast::Item::Declaration(declaration) = item
                && declaration.keyword.text == "import"
            {
                let error = Diagnostic::error("shader source cannot import this")
                    .at(&file.sources, declaration.span, "")
                    .hint("it imports shader source: `import \"file.ksl\";`");
                diagnostics.push(error);
            }
        }
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let mut loaded = self.load_file(&Arc::new(file))?;
        loaded.warnings.list.splice(0..0, diagnostics.list);
        Ok(loaded)
    }

    /// The same for a parsed file; scene declarations are ignored.
    ///
    /// # Errors
    /// As for [`ShadingSystem::load`].
    pub fn load_file(&self, file: &Arc<ast::File>) -> Result<Loaded, Diagnostics> {
        let sources = Arc::new(file.sources.clone());
        let checked = check::check(file, &self.environment());
        let mut diagnostics = checked.diagnostics;
        let mut templates = vec![];
        // Where a unit is left out there are errors, and nothing comes of the others.
        for (index, unit) in checked.units.into_iter().enumerate() {
            templates.push(Template::Unit(Arc::new(ShaderUnitTemplate::new(
                unit,
                sources.clone(),
                file,
                index,
            ))));
        }
        for item in &file.items {
            let ast::Item::Group(item) = item else { continue };
            match graph::source::group(item, file) {
                Ok(group) => templates.push(Template::Group(Arc::new(group))),
                Err(errors) => diagnostics.list.extend(errors.list),
            }
        }
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let mut known = self.templates.write().unwrap_or_else(PoisonError::into_inner);
        for template in &templates {
            known.insert(template.name().to_owned(), template.clone());
        }
        drop(known);
        Ok(Loaded {
            templates,
            warnings: diagnostics,
        })
    }

    /// Adds a group under its name, replacing an earlier one: all groups that refer to that name use it from now on.
    pub fn add_group(&self, group: ShaderGroupTemplate) -> Arc<ShaderGroupTemplate> {
        let group = Arc::new(group);
        let mut known = self.templates.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(group.name.clone(), Template::Group(group.clone()));
        group
    }

    /// The unit or group of a name, from what was loaded or from the library; `None` where there is none, or where what
    /// the library has of that name does not compile.
    pub fn template(&self, name: &str) -> Option<Template> {
        self.find(name).ok().flatten()
    }

    /// Checks names, types and cycles of a template, as if it were instantiated with all outputs.
    ///
    /// # Errors
    /// All mistakes in it.
    pub fn check(&self, template: &Template) -> Result<(), Diagnostics> {
        graph::link(template, &[], &[], self, &self.environment()).map(|_| ())
    }

    /// Links, optimises and compiles a template.
    ///
    /// # Errors
    /// Unknown names, types that do not fit, cycles, missing inputs.
    pub fn instantiate(
        &self,
        template: impl Into<Template>,
        options: &InstanceOptions,
    ) -> Result<Arc<ShaderInstance>, Diagnostics> {
        let template = template.into();
        let (unit, sources, making) = self.optimized(&template, options)?;
        let compile = CompileOptions {
            outputs: None,
            level: options.codegen,
            sources: Some(&sources),
            packets: options.packets,
        };
        let instance = ShaderInstance::compile(&unit, &self.closures, &self.host, &compile)
            .map_err(|error| Diagnostic::error(format!("{}: {error}", template.name())))?;
        Ok(Arc::new(instance.with_making(making)))
    }

    /// The code of an instance before it becomes machine code: for printing and for the interpreter.
    ///
    /// # Errors
    /// As for [`ShadingSystem::instantiate`].
    pub fn optimized(
        &self,
        template: &Template,
        options: &InstanceOptions,
    ) -> Result<(hir::Unit, SourceMap, Making), Diagnostics> {
        let start = Instant::now();
        let linked = graph::link(
            template,
            &options.inputs,
            &options.outputs,
            self,
            &self.environment(),
        )?;
        let (mut unit, link) = (linked.unit, start.elapsed());
        let start = Instant::now();
        let derivatives = if options.without_derivatives {
            DerivativeStats::default()
        } else {
            derivative::expand(&mut unit)
        };
        let optimizer = opt::optimize(
            &mut unit,
            &OptOptions {
                level: options.optimize,
                facts: &opt::Facts {
                    ray_kind: options.ray_kind,
                    attributes: options.attributes.clone(),
                },
                closures: options.closures.as_deref(),
                ..OptOptions::default()
            },
        );
        Ok((
            unit,
            linked.sources,
            Making {
                link,
                derivatives,
                optimize: start.elapsed(),
                optimizer,
            },
        ))
    }

    fn environment(&self) -> Environment<'_> {
        Environment {
            closures: &self.closures,
            color_system: self.color_system,
        }
    }

    fn known(&self, name: &str) -> Option<Template> {
        self.templates
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
            .cloned()
    }
}

impl Templates for ShadingSystem {
    fn find(&self, name: &str) -> Result<Option<Template>, Diagnostics> {
        if let Some(template) = self.known(name) {
            return Ok(Some(template));
        }
        match self.library.and_then(|library| (library.find)(name)) {
            Some(source) => self.load(source).map(|_| self.known(name)),
            None => Ok(None),
        }
    }

    fn names(&self) -> Vec<String> {
        let known = self.templates.read().unwrap_or_else(PoisonError::into_inner);
        let shipped = self.library.map(|library| (library.names)()).unwrap_or_default();
        known
            .keys()
            .cloned()
            .chain(shipped.into_iter().map(str::to_owned))
            .collect()
    }
}

impl std::fmt::Debug for ShadingSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShadingSystem")
            .field("templates", &self.names())
            .finish_non_exhaustive()
    }
}
