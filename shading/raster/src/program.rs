//! Programs: WGSL and GLSL of a linked unit, with the inputs that a host binds.

use std::fmt::Write as _;

use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{ClosureRegistry, Const, Kind, Param, Unit};
use shading_compiler::opt::OptLevel;
use shading_syntax::diagnostic::{Diagnostic, Diagnostics};
use shading_syntax::source::SourceMap;

use crate::error::RasterError;
use crate::inputs::{GlobalMember, Inputs, TextureBinding, Uniform};
use crate::names::{sanitized, type_name, variable};
use crate::part::{Parts, Pass};
use crate::prepare::{prepare, used_parts};
use crate::{glsl, library, lobes, write};

/// Options of [`raster`].
#[derive(Clone, Debug, Default)]
pub struct RasterOptions {
    /// Purpose of the function.
    pub pass: Pass,
    /// Parameters that are uniforms, with their values; the linked unit reads them as attributes of
    /// [`crate::UNIFORM_OBJECT`].
    pub live: Vec<(String, Const)>,
    /// Attributes of the geometry.
    pub attributes: Vec<String>,
    /// Level of the optimiser.
    pub optimize: OptLevel,
}

/// An output of `evaluate`.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputMember {
    /// Name of the output.
    pub name: String,
    /// Name of the member of the structure `Outputs`.
    pub member: String,
    /// Kind of its values.
    pub kind: Kind,
}

/// A program for rasterisers.
#[derive(Clone, Debug)]
pub struct Raster {
    /// The program in WGSL: a module without entry points.
    pub wgsl: String,
    /// The program in GLSL ES 3.00, without version and `main`.
    pub glsl: String,
    /// Members of the structure `Globals`.
    pub globals: Vec<GlobalMember>,
    /// Members of the structure `Uniforms`.
    pub uniforms: Vec<Uniform>,
    /// Textures to bind.
    pub textures: Vec<TextureBinding>,
    /// True if the module has `fn surface(g: Globals) -> Surface`, which evaluates the first closure output.
    pub has_surface: bool,
    /// Outputs of `fn evaluate(g: Globals) -> Outputs`; empty if the module has no such function.
    pub outputs: Vec<OutputMember>,
}

/// Translates a linked unit. `surface` returns the closure output, `evaluate` the other outputs.
///
/// # Errors
/// Each construct without an equivalent.
pub fn raster(
    unit: &Unit,
    sources: &SourceMap,
    closures: &ClosureRegistry,
    options: &RasterOptions,
) -> Result<Raster, Diagnostics> {
    let mut inputs = Inputs::new(&options.live, &options.attributes);
    let mut diagnostics = Diagnostics::default();
    let is_closure = |param: &Param| Kind::of(param.ty) == Some(Kind::CLOSURE);
    let surface = unit.params.iter().find(|param| is_closure(param));
    let mut part = |keep: &dyn Fn(&Param) -> bool| {
        let mut unit = unit.clone();
        unit.params.retain(|param| !param.output || keep(param));
        prepare(&mut unit, closures, options.pass, options.optimize, &options.attributes);
        let parts = used_parts(&unit, closures, options.pass);
        let program = write::Program { unit: &unit, sources, closures, parts };
        let written = write::body(&program, &mut inputs);
        diagnostics.add_new(written.diagnostics.list);
        FunctionText {
            unit,
            parts,
            body: written.text,
            uses_fuel: written.uses_fuel,
        }
    };
    let of_surface = surface.map(|surface| part(&|param: &Param| param.name == surface.name));
    let has_others = unit.params.iter().any(|param| param.output && !is_closure(param));
    let of_outputs = has_others.then(|| part(&|param: &Param| !is_closure(param)));
    let mut functions = String::new();
    if let Some(function) = &of_surface {
        function.add_surface(&mut functions, &mut inputs, options.pass);
    }
    let mut outputs = vec![];
    if let Some(function) = &of_outputs {
        match function.add_outputs(&mut functions) {
            Ok(list) => outputs = list,
            Err(errors) => drop(diagnostics.add_new(errors)),
        }
    }
    diagnostics.into_result(())?;
    let uses_fuel = [&of_surface, &of_outputs]
        .into_iter()
        .flatten()
        .any(|function| function.uses_fuel);
    let mut wgsl = format!("// `{}` by Kiln.\n\n", unit.name);
    wgsl += &inputs.declarations();
    if uses_fuel {
        wgsl += "// Loop iterations that are left.\nvar<private> kiln_fuel: i32;\n\n";
    }
    wgsl += &functions;
    for function in inputs.functions.values() {
        wgsl += function;
    }
    wgsl += &library::needed_by(&wgsl);
    let glsl = glsl::translate(&wgsl, of_surface.is_some(), !outputs.is_empty())
        .map_err(|message| Diagnostics::from(Diagnostic::from(RasterError::Invalid(message))))?;
    Ok(Raster {
        wgsl,
        glsl,
        globals: inputs.members,
        uniforms: inputs.uniforms,
        textures: inputs.textures,
        has_surface: of_surface.is_some(),
        outputs,
    })
}

/// A specialised unit and its text.
struct FunctionText {
    unit: Unit,
    parts: Parts,
    body: String,
    uses_fuel: bool,
}

impl FunctionText {
    fn start(&self) -> &'static str {
        if self.uses_fuel { "    kiln_fuel = 65536;\n" } else { "" }
    }

    fn add_surface(&self, text: &mut String, inputs: &mut Inputs, pass: Pass) {
        *text += &lobes::declarations(self.parts, pass);
        let n = inputs.global(crate::inputs::MemberSource::Global(shading_compiler::builtins::Global::N));
        let result = self.unit.params.first().map(|param| variable(&self.unit.code, param.local));
        let result = result.unwrap_or_else(|| "Lobes()".to_owned());
        _ = write!(
            text,
            "fn surface(g: Globals) -> Surface {{\n{}{}    return surface_of({result}, {n});\n}}\n\n",
            self.start(),
            self.body
        );
    }

    fn add_outputs(&self, text: &mut String) -> Result<Vec<OutputMember>, Vec<Diagnostic>> {
        let (mut outputs, mut errors) = (vec![], vec![]);
        for param in &self.unit.params {
            let kind = Kind::of(param.ty).unwrap_or(Kind::INT);
            let (Kind::One(element) | Kind::Array(element, _)) = kind;
            if matches!(element, Element::String | Element::Closure) {
                let (name, ty) = (param.name.clone(), param.ty.to_string());
                errors.push(RasterError::Output { name, ty }.into());
            }
            outputs.push(OutputMember {
                name: param.name.clone(),
                member: format!("o_{}", sanitized(&param.name)),
                kind,
            });
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        *text += "struct Outputs {\n";
        for output in &outputs {
            _ = writeln!(text, "    {}: {},", output.member, type_name(output.kind));
        }
        let values: Vec<_> = self
            .unit
            .params
            .iter()
            .map(|param| variable(&self.unit.code, param.local))
            .collect();
        _ = write!(
            text,
            "}}\n\nfn evaluate(g: Globals) -> Outputs {{\n{}{}    return Outputs({});\n}}\n\n",
            self.start(),
            self.body,
            values.join(", ")
        );
        Ok(outputs)
    }
}
