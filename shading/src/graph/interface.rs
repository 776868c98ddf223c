//! What a template shows to the outside: its parameters and their types.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Accessor, Binding, Path, ShaderGroupTemplate, Template, TemplateRef, Value};
use crate::hir::{self, Const, Metadata, Operand, Stmt};
use crate::ty::{Base, Length, Type, component_index};

/// A parameter of a unit or group.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    /// Its name, with the path of fields.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it is an output.
    pub output: bool,
    /// Its default, where that is a constant.
    pub default: Option<Const>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
}

/// The parameters of a template; `None` where that depends on a template given by name.
pub(crate) fn params(template: &Template) -> Option<Arc<[ParamInfo]>> {
    match template {
        Template::Unit(unit) => Some(unit.params.clone()),
        Template::Group(group) => group_params(group).map(Arc::from),
    }
}

/// The parameters of a unit.
pub(super) fn unit_params(unit: &hir::Unit) -> Arc<[ParamInfo]> {
    unit.params.iter().map(|param| unit_param(unit, param)).collect()
}

fn unit_param(unit: &hir::Unit, param: &hir::Param) -> ParamInfo {
    let default = match &param.init[..] {
        [
            Stmt::Op {
                dst: Some(dst),
                op: hir::Op::Copy,
                args,
                ..
            },
        ] if *dst == param.local => match args[..] {
            [Operand::Const(id)] => Some(unit.code.consts[id].clone()),
            _ => None,
        },
        _ => None,
    };
    ParamInfo {
        name: param.name.clone(),
        ty: declared_type(param),
        output: param.output,
        default,
        metadata: param.metadata.clone(),
    }
}

/// The type that a parameter was declared with; void for `any`.
fn declared_type(param: &hir::Param) -> Type {
    match (param.is_any, param.is_unsized) {
        (true, _) => Type::VOID,
        (false, true) => Type {
            length: Length::Unsized,
            ..param.ty
        },
        (false, false) => param.ty,
    }
}

fn group_params(group: &ShaderGroupTemplate) -> Option<Vec<ParamInfo>> {
    let mut list = vec![];
    for input in &group.inputs {
        let (ty, default) = match input.ty {
            Some(ty) => (ty, constant(input.default.as_ref())),
            None => exposed_input(group, &input.name)?,
        };
        let (name, metadata) = (input.name.clone(), input.metadata.clone());
        list.push(ParamInfo {
            name,
            ty,
            output: false,
            default,
            metadata,
        });
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

/// Type and default of an exposed input: those of the first target it feeds.
fn exposed_input(group: &ShaderGroupTemplate, name: &str) -> Option<(Type, Option<Const>)> {
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
            return Some((ty, param.and_then(|p| p.default.clone())));
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
    resolve(
        &outputs,
        &Path {
            head: head.clone(),
            rest: rest.to_vec(),
        },
    )
}

/// The type of `param` (`name`, `name.field`, `name[1]`, `name.r`) among parameters; a whole structure has type void.
pub(crate) fn resolve(params: &[&ParamInfo], path: &Path) -> Option<Type> {
    let (name, rest) = longest_name(path, |name| params.iter().any(|p| p.name == name));
    if let Some(param) = params.iter().find(|p| p.name == name) {
        return rest.iter().try_fold(param.ty, part);
    }
    let prefix = format!("{path}.");
    params
        .iter()
        .any(|p| p.name.starts_with(&prefix))
        .then_some(Type::VOID)
}

/// Splits a path into the longest dotted name that `exists` and what follows.
pub(crate) fn longest_name(path: &Path, exists: impl Fn(&str) -> bool) -> (Cow<'_, str>, &[Accessor]) {
    let mut best = (Cow::Borrowed(path.head.as_str()), 0);
    let mut name = String::new();
    for (i, accessor) in path.rest.iter().enumerate() {
        let Accessor::Field(field) = accessor else { break };
        if i == 0 {
            name.clone_from(&path.head);
        }
        name.push('.');
        name.push_str(field);
        if exists(&name) {
            best = (Cow::Owned(name.clone()), i + 1);
        }
    }
    (best.0, &path.rest[best.1..])
}

/// The type of a part of a value.
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

/// Whether a value of type `from` can feed an input of type `to`: the language's implicit conversions, and triples of
/// all kinds for each other.
pub(crate) fn assignable(from: Type, to: Type) -> bool {
    // A whole structure, or what is declared `any`: found out when it is linked.
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
