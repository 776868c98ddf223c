//! The interface of a template: its parameters and types.

use std::sync::Arc;

use super::param::text_at;
use super::path::{is_in, longest_name};
use super::{Accessor, Binding, ParamInfo, Path, ShaderGroupTemplate, Template, TemplateRef, Value};
use crate::hir::Const;
use crate::ty::{Base, Length, Type, component_index};

impl Template {
    /// Parameters of the group: inputs and outputs. `None` if the group exposes a parameter of a template given by
    /// name, whose type is known only when it is linked.
    pub fn params(&self) -> Option<Arc<[ParamInfo]>> {
        params(self)
    }
}

/// Returns the parameters of a template; `None` if they depend on a template given by name.
pub(crate) fn params(template: &Template) -> Option<Arc<[ParamInfo]>> {
    match template {
        Template::Unit(unit) => Some(unit.params.clone()),
        Template::Group(group) => group_params(group).map(Arc::from),
    }
}

fn group_params(group: &ShaderGroupTemplate) -> Option<Vec<ParamInfo>> {
    let mut list = vec![];
    for input in &group.inputs {
        let (ty, default, computed) = match input.ty {
            Some(ty) => {
                let default = constant(input.default.as_ref());
                (ty, default, computed(group, input.default.as_ref()))
            }
            None => exposed_input(group, &input.name)?,
        };
        let (name, metadata) = (input.name.clone(), input.metadata.clone());
        list.push(ParamInfo { name, ty, output: false, default, computed, metadata });
    }
    for output in &group.outputs {
        let ty = match (&output.ty, &output.binding) {
            (Some(ty), _) => *ty,
            (None, Binding::Path(path)) => exposed_output(group, path)?,
            (None, Binding::Value(_) | Binding::Expression(_)) => return None,
        };
        let (name, metadata) = (output.name.clone(), output.metadata.clone());
        list.push(ParamInfo {
            name,
            ty,
            output: true,
            default: None,
            computed: None,
            metadata,
        });
    }
    Some(list)
}

fn constant(binding: Option<&Binding>) -> Option<Const> {
    match binding {
        Some(Binding::Value(Value::Const(value, _))) => Some(value.clone()),
        _ => None,
    }
}

/// A computed default as written.
fn computed(group: &ShaderGroupTemplate, binding: Option<&Binding>) -> Option<String> {
    match binding? {
        Binding::Value(Value::Const(..) | Value::Uniform(..)) => None,
        Binding::Value(Value::Global(global)) => Some(global.name().to_owned()),
        Binding::Path(path) => Some(path.to_string()),
        Binding::Expression(expr) => Some(text_at(&group.file.as_ref()?.sources, expr.span)),
    }
}

/// Returns type and default of an exposed input, as a constant or as source text: those of the first target that the input
/// feeds.
fn exposed_input(group: &ShaderGroupTemplate, name: &str) -> Option<(Type, Option<Const>, Option<String>)> {
    for node in group.nodes() {
        for connection in &node.inputs {
            let Binding::Path(path) = &connection.binding else {
                continue;
            };
            if path.head != name || !path.rest.is_empty() {
                continue;
            }
            let TemplateRef::Template(template) = &node.template else {
                return None;
            };
            let params = params(template)?;
            let inputs: Vec<&ParamInfo> = params.iter().filter(|p| !p.output).collect();
            let ty = resolve(&inputs, &connection.target)?;
            let whole = connection.target.rest.is_empty();
            let param = inputs.iter().find(|p| whole && p.name == connection.target.head);
            let default = param.and_then(|p| p.default.clone());
            return Some((ty, default, param.and_then(|p| p.computed.clone())));
        }
    }
    None
}

fn exposed_output(group: &ShaderGroupTemplate, path: &Path) -> Option<Type> {
    let TemplateRef::Template(template) = &group.node(&path.head)?.template else {
        return None;
    };
    let params = params(template)?;
    let outputs: Vec<&ParamInfo> = params.iter().filter(|p| p.output).collect();
    let (Accessor::Field(head), rest) = path.rest.split_first()? else {
        return None;
    };
    resolve(&outputs, &Path::new(head.clone(), rest.to_vec()))
}

/// Returns the type of `param` (`name`, `name.field`, `name[1]`, `name.r`); void for a whole structure.
pub(crate) fn resolve(params: &[&ParamInfo], path: &Path) -> Option<Type> {
    let (name, rest) = longest_name(path, |name| params.iter().any(|p| p.name == name));
    if let Some(param) = params.iter().find(|p| p.name == name) {
        return rest.iter().try_fold(param.ty, part);
    }
    if let Some(ordered) = path.fields_first(|name| params.iter().any(|p| is_in(&p.name, name))) {
        return resolve(params, &ordered);
    }
    let prefix = format!("{path}.");
    params.iter().any(|p| p.name.starts_with(&prefix)).then_some(Type::VOID)
}

pub(crate) fn part(ty: Type, accessor: &Accessor) -> Option<Type> {
    match accessor {
        Accessor::Field(name) => (ty.is_triple() && component_index(name).is_some()).then_some(Type::FLOAT),
        Accessor::Index(i) => match ty.length {
            Length::Array(n) => (*i < n).then_some(ty.element()),
            Length::Unsized => Some(ty.element()),
            Length::Single => (ty.is_triple() && *i < 3).then_some(Type::FLOAT),
        },
    }
}

/// Returns whether a value of type `from` can be assigned to an input of type `to`: by an implicit conversion of the
/// language, or between any triples.
pub(crate) fn assignable(from: Type, to: Type) -> bool {
    // Whole structures and `any` parameters are checked when the group is linked.
    if to.base == Base::Void {
        return true;
    }
    if from.is_array() || to.is_array() {
        let length_fits = match (from.length, to.length) {
            (Length::Array(a), Length::Array(b)) => a == b,
            (Length::Array(_), Length::Unsized) => true,
            (Length::Single | Length::Unsized, _) | (_, Length::Single) => false,
        };
        return length_fits && (from.base == to.base || from.base.is_triple() && to.base.is_triple());
    }
    match (from.base, to.base) {
        (a, b) if a == b => true,
        (Base::Int, Base::Float) => true,
        (Base::Int | Base::Float, b) if b.is_triple() => true,
        (Base::Float | Base::Int, Base::Matrix) => true,
        (a, b) => a.is_triple() && b.is_triple(),
    }
}
