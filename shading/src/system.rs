//! The shading system: loads sources, holds units and groups by name, and compiles instances.

use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::codegen::{self, CodegenError, CodegenUnit, CompileOptions, CompiledShader};
use crate::instance::{CompileStats, ShaderInstance, compile_deep};
use crate::live::{LiveInput, LiveInputs, open_live_inputs};
use crate::runtime::{HostFunctions, KnownAttributes, RayKind, ShaderHost, ShadingContext};
use shading_compiler::check::{self, Environment, HostGlobal};
use shading_compiler::derivative::{self, DerivativeStats};
use shading_compiler::eval::color_system::ColorSystem;
use shading_compiler::graph::{
    self, GraphError, ShaderGroupTemplate, ShaderUnitTemplate, Template, Templates, Value,
};
use shading_compiler::hir::live::bind_live_inputs;
use shading_compiler::hir::{self, fuel};
use shading_compiler::hir::{ClosureRegistry, Const};
use shading_compiler::opt::{self, OptOptions};
use shading_syntax::diagnostic::{Diagnostic, Diagnostics};
use shading_syntax::preprocess::Preprocessor;
use shading_syntax::source::{Source, SourceMap, Span};
use shading_syntax::{self as syntax, ast};

/// A shader library that provides units and groups not declared by any loaded source.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// Returns the source of a unit or group by name.
    pub find: fn(&str) -> Option<Arc<Source>>,
    /// Returns all names of the library.
    pub names: fn() -> Vec<&'static str>,
}

/// Entry point of the crate: units and groups by name, and all compilation steps. Threads can share it.
pub struct ShadingSystem {
    closures: ClosureRegistry,
    host: HostFunctions,
    make_context: Box<dyn Fn() -> ShadingContext + Send + Sync>,
    templates: RwLock<FxHashMap<String, Template>>,
    library: Option<Library>,
    preprocessor: Preprocessor,
    color_system: ColorSystem,
    globals: Vec<HostGlobal>,
    codes: Mutex<FxHashMap<CodeKey, Weak<CompiledShader>>>,
}

/// Key of the compiled code of an instance. Instances with equal keys share their code.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CodeKey {
    /// Hash of the optimised HIR without its numbers.
    structure: u128,
    codegen: codegen::OptLevel,
    packets: bool,
    counts_work: bool,
}

/// Number of instances that are linked to find the errors in groups of a file with other errors.
const MAX_CHECKED: u64 = 1 << 16;

/// Result of loading a source.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// Units and groups, in order.
    pub templates: Vec<Template>,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// Options of an instance.
#[derive(Clone, Debug, Default)]
pub struct InstanceOptions {
    /// Values of inputs; other inputs have their defaults.
    pub inputs: Vec<(String, Value)>,
    /// Live inputs, whose values can change without compilation: [`ShaderInstance::with_inputs`].
    pub live: LiveInputs,
    /// Names of the required outputs; all if empty.
    pub outputs: Vec<String>,
    /// Kind of the rays that hit the shading points, if it is always the same.
    pub ray_kind: Option<RayKind>,
    /// Attributes of the geometry that uses the instance, if known.
    pub attributes: Option<Arc<KnownAttributes>>,
    /// The closures that the caller uses; others may be removed. `None` for all.
    pub closures: Option<opt::UsedClosures>,
    /// True if all derivatives are zero, so that their code is removed.
    pub without_derivatives: bool,
    /// Level of Kiln's optimiser.
    pub optimize: opt::OptLevel,
    /// Optimisation level of code generation.
    pub codegen: codegen::OptLevel,
    /// True if [`ShaderInstance::run_batch`] should run four points at a time, if the template supports it.
    pub packets: bool,
    /// True if runs count their work, for [`ShadingContext::work`].
    pub counts_work: bool,
    /// True if the instance keeps its HIR, for [`bounds`](crate::bounds): [`ShaderInstance::hir`].
    pub keeps_hir: bool,
}

impl ShadingSystem {
    /// Creates a system with the given closures, and `host` as provider of textures, spaces and attributes.
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
            globals: vec![],
            codes: Mutex::default(),
        }
    }

    /// Sets the library that is searched for names not declared by any loaded source.
    #[must_use]
    pub fn with_library(mut self, library: Library) -> ShadingSystem {
        self.library = Some(library);
        self
    }

    /// Sets the preprocessor, which finds included files.
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

    /// Declares globals of the embedder: names that all shaders can read, as they read `P` and `u`.
    ///
    /// Host globals are attributes: the host implements [`ShaderHost::attribute_handle`] and
    /// [`ShaderHost::attribute_by_handle`], and may provide derivatives. A parameter or variable of the same name hides a
    /// global.
    #[must_use]
    pub fn with_globals(mut self, globals: impl IntoIterator<Item = HostGlobal>) -> ShadingSystem {
        self.globals.extend(globals);
        self
    }

    /// Closures that shaders may use.
    pub fn closures(&self) -> &ClosureRegistry {
        &self.closures
    }

    /// Creates a context to run instances in one thread.
    pub fn context(&self) -> ShadingContext {
        (self.make_context)()
    }

    /// Compiles a source that contains one unit.
    ///
    /// # Errors
    /// All errors in the source; or that it contains no unit.
    pub fn unit(&self, source: Arc<Source>) -> Result<Arc<ShaderUnitTemplate>, Diagnostics> {
        let name = source.name.clone();
        let units = self.load(source)?.templates.into_iter().filter_map(|template| match template {
            Template::Unit(unit) => Some(unit),
            Template::Group(_) => None,
        });
        units
            .last()
            .ok_or_else(|| Diagnostic::error(format!("{name} holds no unit")).into())
    }

    /// Compiles all units and groups of a source and registers them by name, replacing earlier ones.
    ///
    /// # Errors
    /// All errors in the source; nothing is registered in that case.
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
        self.compile_and_register(&Arc::new(file), diagnostics)
    }

    /// Compiles and registers the units and groups of a parsed file; scene declarations are ignored.
    ///
    /// # Errors
    /// As for [`ShadingSystem::load`].
    pub fn load_file(&self, file: &Arc<ast::File>) -> Result<Loaded, Diagnostics> {
        self.compile_and_register(file, Diagnostics::default())
    }

    /// Compiles the units and groups of a file that may already have errors.
    fn compile_and_register(
        &self,
        file: &Arc<ast::File>,
        mut diagnostics: Diagnostics,
    ) -> Result<Loaded, Diagnostics> {
        let sources = Arc::new(file.sources.clone());
        let checked = check::check(file, &self.environment());
        diagnostics.list.extend(checked.diagnostics.list);
        let mut templates = vec![];
        let declared = file.items.iter().filter_map(|item| match item {
            ast::Item::Unit(unit) => Some(unit.name.span),
            _ => None,
        });
        let mut declared = declared.enumerate();
        for unit in checked.units {
            // Units with errors are left out.
            let Some((index, _)) = declared.find(|(_, name)| *name == unit.span) else {
                break;
            };
            let unit = ShaderUnitTemplate::new(unit, sources.clone(), file, index);
            diagnostics.list.extend(unit.alias_errors());
            templates.push(Template::Unit(Arc::new(unit)));
        }
        for item in &file.items {
            let ast::Item::Group(item) = item else { continue };
            let (group, errors) = graph::source::group(item, file);
            diagnostics.list.extend(errors.list);
            templates.push(Template::Group(Arc::new(group)));
        }
        diagnostics.list.extend(redeclared(file));
        if diagnostics.has_errors() {
            self.check_groups(&templates, file, &mut diagnostics);
            return Err(diagnostics);
        }
        let mut known = self.templates.write().unwrap_or_else(PoisonError::into_inner);
        for template in &templates {
            known.insert(template.name().to_owned(), template.clone());
        }
        drop(known);
        Ok(Loaded { templates, warnings: diagnostics })
    }

    /// Adds the errors in the groups of a file with other errors, so that all errors are reported together.
    fn check_groups(&self, templates: &[Template], file: &ast::File, diagnostics: &mut Diagnostics) {
        let mut by_name = FxHashMap::default();
        for template in templates {
            by_name.entry(template.name()).or_insert(template);
        }
        let known = FileWithErrors { system: self, templates: by_name, file };
        let mut linked = 0;
        for template in templates {
            // Nested groups would be linked repeatedly.
            if matches!(template, Template::Unit(_)) || linked > MAX_CHECKED {
                continue;
            }
            linked += graph::instances(template, &known).unwrap_or(1);
            if let Err(errors) = graph::check_all(template, &known, &self.environment()) {
                diagnostics.add_new(errors.list);
            }
        }
    }

    /// Registers a group by its name, replacing an earlier group. All groups that refer to the name use the new group from
    /// then on.
    pub fn add_group(&self, group: ShaderGroupTemplate) -> Arc<ShaderGroupTemplate> {
        let group = Arc::new(group);
        let mut known = self.templates.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(group.name.clone(), Template::Group(group.clone()));
        group
    }

    /// Returns a unit or group by name, loaded or from the library; `None` if there is none, or if the library's source does
    /// not compile.
    pub fn template(&self, name: &str) -> Option<Template> {
        self.find(name).ok().flatten()
    }

    /// Returns a unit or group by name, loaded or from the library.
    ///
    /// # Errors
    /// If the name is unknown, or the library's source does not compile.
    pub fn named(&self, name: &str) -> Result<Template, Diagnostics> {
        let unknown = || GraphError::UnknownTemplate { name: name.to_owned(), known: self.names() };
        Ok(self.find(name)?.ok_or_else(unknown).map_err(Diagnostic::from)?)
    }

    /// Checks names, types and cycles of a template, as if it were instantiated with all outputs. Instances of a group that
    /// no output depends on are checked too.
    ///
    /// # Errors
    /// All errors in it.
    pub fn check(&self, template: &Template) -> Result<(), Diagnostics> {
        graph::check_all(template, self, &self.environment())
    }

    /// Links, optimises and compiles a template. If the optimised code of another instance differs only in numbers, both
    /// share their machine code.
    ///
    /// # Errors
    /// Unknown names, type mismatches, cycles, missing inputs.
    pub fn instantiate(
        &self,
        template: impl Into<Template>,
        options: &InstanceOptions,
    ) -> Result<Arc<ShaderInstance>, Diagnostics> {
        let template = template.into();
        let mut live = options.live.of(&template, &options.inputs).map_err(Diagnostic::from)?;
        let (mut unit, sources, compile_stats) = self.optimized(&template, options)?;
        let hir = options.keeps_hir.then(|| Arc::new(unit.clone()));
        let numbers: Vec<(String, Const)> = live.iter().filter_map(LiveInput::number).collect();
        let uses = bind_live_inputs(&mut unit, &numbers);
        let prepared = CodegenUnit::new(unit);
        LiveInput::place(&mut live, &uses, prepared.numbers_before());
        let code = self
            .code(&prepared, options)
            .map_err(|error| Diagnostic::error(format!("{}: {error}", template.name())))?;
        let data = code.instance_data(prepared, Some(&Arc::new(sources)));
        let instance = ShaderInstance::new(code, data, &self.host);
        Ok(Arc::new(instance.with(compile_stats, live, hir)))
    }

    /// Returns the machine code of a unit; compiles it unless an instance in use has it.
    fn code(
        &self,
        prepared: &CodegenUnit,
        options: &InstanceOptions,
    ) -> Result<Arc<CompiledShader>, CodegenError> {
        let key = CodeKey {
            structure: prepared.structure(),
            codegen: options.codegen,
            packets: options.packets,
            counts_work: options.counts_work,
        };
        let codes = || self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = codes().get(&key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        let compile = CompileOptions {
            level: options.codegen,
            packets: options.packets,
            counts_work: options.counts_work,
            ..CompileOptions::default()
        };
        let code = compile_deep(prepared, &self.closures, &self.host, &compile)?;
        // No lock was held, so another thread may have compiled the same code in the meantime.
        let mut codes = codes();
        if let Some(known) = codes.get(&key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        let code = Arc::new(code);
        // Keys of dropped code are removed, so that the table does not grow during long sessions.
        if codes.len() == codes.capacity() {
            codes.retain(|_, code| code.strong_count() > 0);
        }
        codes.insert(key, Arc::downgrade(&code));
        Ok(code)
    }

    /// Returns the optimised HIR of an instance before code generation, for printing and for the interpreter. Live inputs
    /// are attributes of the object [`hir::UNIFORM_OBJECT`].
    ///
    /// # Errors
    /// As for [`ShadingSystem::instantiate`].
    pub fn optimized(
        &self,
        template: &Template,
        options: &InstanceOptions,
    ) -> Result<(hir::Unit, SourceMap, CompileStats), Diagnostics> {
        check::deep_stack(|| self.optimized_here(template, options))
    }

    fn optimized_here(
        &self,
        template: &Template,
        options: &InstanceOptions,
    ) -> Result<(hir::Unit, SourceMap, CompileStats), Diagnostics> {
        let start = Instant::now();
        let mut inputs = options.inputs.clone();
        let live = options.live.of(template, &inputs).map_err(Diagnostic::from)?;
        open_live_inputs(&mut inputs, template, live);
        let linked = graph::link(template, &inputs, &options.outputs, self, &self.environment())?;
        let (mut unit, link) = (linked.unit, start.elapsed());
        let start = Instant::now();
        let derivatives = if options.without_derivatives {
            DerivativeStats::default()
        } else {
            derivative::expand(&mut unit)
        };
        fuel::assign(&mut unit);
        let optimizer = opt::optimize(
            &mut unit,
            &OptOptions {
                level: options.optimize,
                facts: &opt::Facts {
                    ray_kind: options.ray_kind,
                    attributes: options.attributes.clone(),
                },
                closures: options.closures.as_ref(),
                ..OptOptions::default()
            },
        );
        Ok((
            unit,
            linked.sources,
            CompileStats { link, derivatives, optimize: start.elapsed(), optimizer },
        ))
    }

    fn environment(&self) -> Environment<'_> {
        Environment {
            closures: &self.closures,
            color_system: self.color_system,
            globals: &self.globals,
        }
    }

    fn known(&self, name: &str) -> Option<Template> {
        self.templates.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
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
        known.keys().cloned().chain(shipped.into_iter().map(str::to_owned)).collect()
    }
}

/// Returns warnings about units and groups of equal names, of which the last is used.
fn redeclared(file: &ast::File) -> Vec<Diagnostic> {
    let mut known: FxHashMap<&str, Span> = FxHashMap::default();
    let mut warnings = vec![];
    for item in &file.items {
        let name = match item {
            ast::Item::Unit(unit) => &unit.name,
            ast::Item::Group(group) => &group.name,
            _ => continue,
        };
        if let Some(first) = known.insert(&name.text, name.span) {
            let warning = Diagnostic::warning(format!(
                "`{}` is declared again; the last declaration is used",
                name.text
            ))
            .at(&file.sources, name.span, "")
            .at(&file.sources, first, "it is declared here, too");
            warnings.push(warning);
        }
    }
    warnings
}

/// The templates of a file with errors, followed by those of the system.
struct FileWithErrors<'a> {
    system: &'a ShadingSystem,
    templates: FxHashMap<&'a str, &'a Template>,
    file: &'a ast::File,
}

impl Templates for FileWithErrors<'_> {
    fn find(&self, name: &str) -> Result<Option<Template>, Diagnostics> {
        match self.templates.get(name) {
            Some(&template) => Ok(Some(template.clone())),
            // Its errors have been reported.
            None if self.is_wrong(name) => Err(Diagnostics::default()),
            None => self.system.find(name),
        }
    }

    fn names(&self) -> Vec<String> {
        let own = self.templates.keys().map(|&name| name.to_owned());
        own.chain(self.system.names()).collect()
    }

    fn is_wrong(&self, name: &str) -> bool {
        let is_unit = |item: &ast::Item| matches!(item, ast::Item::Unit(unit) if unit.name.text == name);
        let has_template = || self.templates.contains_key(name);
        name == graph::source::UNCERTAIN
            || self.file.unparsed.contains(name)
            || self.file.items.iter().any(is_unit) && !has_template()
    }
}

impl std::fmt::Debug for ShadingSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShadingSystem")
            .field("templates", &self.names())
            .finish_non_exhaustive()
    }
}
