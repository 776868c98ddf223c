//! The displayed part of a shader: the surface that it makes, or a value as colour.

use shading::syntax::ast::{Expr, UnitKind};
use shading::ty::{Base, Type};
use shading::{Diagnostic, Diagnostics, ShaderGroupTemplate, ShadingSystem, Template};

use super::example::Example;
use super::layer::{self, is_visible};
use crate::named_color::named_color;
use crate::stage_args::StageArgs;

/// A shader with its displayed part.
pub(super) struct Subject {
    /// Name of the unit or group.
    pub(super) name: String,
    pub(super) shows: Shows,
    /// Inputs with their values, as texts of scenes.
    pub(super) inputs: Vec<(String, String)>,
    /// The example that replaces the unit on the stage.
    pub(super) example: Option<Example>,
    /// The group in whose place one with outputs of all layers is shown.
    pub(super) layers: Option<ShaderGroupTemplate>,
}

/// Displayed part of a shader.
pub(super) enum Shows {
    /// The surface, in light: the output that has it, unless it is `Ci`.
    Surface(Option<String>),
    /// An output, as it is.
    Output(String),
    /// The light of an environment, reflected by a mirror.
    Background,
}

impl Subject {
    pub(super) fn new(
        template: &Template,
        args: &StageArgs,
        system: &ShadingSystem,
    ) -> Result<Subject, Diagnostics> {
        let example = match args.example {
            true => Example::of(template)?,
            false => None,
        };
        let Some(example) = example else {
            return Subject::alone(template, args, system);
        };
        let Some(last) = system.template(&example.unit) else {
            let message = format!(
                "the example of `{}` uses `{}`, which is not known",
                template.name(),
                example.unit
            );
            return Err(Diagnostic::error(message).into());
        };
        Ok(Subject {
            name: template.name().to_owned(),
            example: Some(example),
            ..Subject::alone(&last, args, system)?
        })
    }

    fn alone(template: &Template, args: &StageArgs, system: &ShadingSystem) -> Result<Subject, Diagnostics> {
        let params = template.params().unwrap_or_default();
        let asked = args.show.as_deref();
        let is_own = |asked: &&str| params.iter().any(|param| param.output && param.name == *asked);
        let inside = match asked.filter(|asked| !is_own(asked)) {
            Some(asked) => layer(template, system, asked)?,
            None => None,
        };
        let (shows, layers) = match inside {
            Some((shows, group)) => (shows, Some(group)),
            None => (shown_of(template, asked)?, None),
        };
        let mut inputs = vec![];
        for (name, value) in args.inputs() {
            let known = params.iter().filter(|param| !param.output);
            let input = template.input_path(name).map_err(Diagnostic::from)?;
            let Some(param) = known.clone().find(|param| param.name == input) else {
                let error = Diagnostic::error(format!("`{}` has no parameter `{name}`", template.name()));
                let names: Vec<&str> = known.map(|param| param.name.as_str()).collect();
                let error = error.nearest(name, names.iter().copied());
                return Err(error.hint(format!("its parameters are {}", names.join(", "))).into());
            };
            inputs.push((name.to_owned(), value_text(name, value, param.ty)?));
        }
        Ok(Subject {
            name: layers.as_ref().map_or(template.name(), |group| &group.name).to_owned(),
            shows,
            inputs,
            example: None,
            layers,
        })
    }
}

/// The displayed part of a layer in a group, and the group that has it as output; `None` if there are no layers, or
/// none is requested.
fn layer(
    template: &Template,
    system: &ShadingSystem,
    asked: &str,
) -> Result<Option<(Shows, ShaderGroupTemplate)>, Diagnostics> {
    let Some((group, layers)) = layer::layers(template, system)? else {
        return Ok(None);
    };
    match layer::find(&layers, asked) {
        Ok(layer) => {
            let output = layer.output.clone();
            let shows = match layer.ty.base {
                Base::Closure => Shows::Surface(Some(output)),
                _ => Shows::Output(output),
            };
            Ok(Some((shows, group)))
        }
        Err(error) if asked.contains('.') => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// The displayed part of a template: the requested output, or the most informative one.
pub(super) fn shown_of(template: &Template, asked: Option<&str>) -> Result<Shows, Diagnostic> {
    let params = template.params().unwrap_or_default();
    let outputs: Vec<(&str, Type)> = (params.iter())
        .filter(|param| param.output)
        .map(|param| (param.name.as_str(), param.ty))
        .collect();
    shows(template, &outputs, asked)
}

fn shows(template: &Template, outputs: &[(&str, Type)], asked: Option<&str>) -> Result<Shows, Diagnostic> {
    let kind = match template {
        Template::Unit(unit) => unit.hir.kind,
        Template::Group(_) => UnitKind::Shader,
    };
    let refuse = |what: &str| {
        let message = format!("`{}` is {what}, which is not shown yet", template.name());
        Err(Diagnostic::error(message)
            .hint("surfaces and patterns are; `kiln shade` prints the outputs of any unit"))
    };
    match kind {
        UnitKind::Displacement => return refuse("a displacement"),
        UnitKind::Shader | UnitKind::Surface | UnitKind::Background | UnitKind::Volume => {}
    }
    if let Some(asked) = asked {
        return match outputs.iter().find(|(name, _)| *name == asked) {
            Some((name, ty)) if ty.base == Base::Closure => Ok(Shows::Surface(Some((*name).to_owned()))),
            Some((name, ty)) if is_visible(*ty) => Ok(Shows::Output((*name).to_owned())),
            Some((name, ty)) => {
                Err(Diagnostic::error(format!("the output `{name}` is {ty}, which is no colour")))
            }
            None => {
                let names = outputs.iter().map(|(name, _)| *name);
                let message = format!("`{}` has no output `{asked}`", template.name());
                Err(Diagnostic::error(message).nearest(asked, names))
            }
        };
    }
    if kind == UnitKind::Background {
        return Ok(Shows::Background);
    }
    let closure = outputs.iter().find(|(_, ty)| ty.base == Base::Closure);
    if closure.is_some() || matches!(kind, UnitKind::Surface | UnitKind::Volume) {
        return Ok(Shows::Surface(closure.map(|(name, _)| (*name).to_owned())));
    }
    // Colours say more than numbers.
    let is_color = |(_, ty): &&(&str, Type)| ty.base == Base::Color && is_visible(*ty);
    let found = outputs
        .iter()
        .find(is_color)
        .or_else(|| outputs.iter().find(|(_, ty)| is_visible(*ty)));
    match found {
        Some((name, _)) => Ok(Shows::Output((*name).to_owned())),
        None => Err(
            Diagnostic::error(format!("`{}` has no output that can be shown", template.name()))
                .hint("a surface has a closure, a pattern a colour, a vector or a number"),
        ),
    }
}

/// A value of the command line as scenes have it: colours by their names, texts without quotes.
pub(super) fn value_text(name: &str, value: &str, ty: Type) -> Result<String, Diagnostic> {
    let value = value.trim();
    if ty.base == Base::String && !ty.is_array() && !value.starts_with('"') {
        return Ok(Expr::string(value).to_string());
    }
    if let Some([r, g, b]) = named_color(value) {
        return Ok(format!("({r}, {g}, {b})"));
    }
    let is_text = value.starts_with('"');
    if value.is_empty() || !is_text && value.contains([';', '{', '}', '\n']) {
        return Err(Diagnostic::error(format!("--param {name}: `{value}` is no value"))
            .hint("values are numbers, (r, g, b), colours such as `red` or `#c04020`, and texts"));
    }
    Ok(value.to_owned())
}
