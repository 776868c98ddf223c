//! Values of a shader's parameters on a stage that has been read.

use std::collections::BTreeMap;
use std::sync::Arc;

use shading::Template;
use shading::syntax::ast::{Argument, Expr, ExprKind, File, GroupStmt, Item};

use super::SUBJECT;
use super::scene::{GROUP, INSTANCE, SKY};
use super::subject::value_text;
use renderer_load::number;
use renderer_scene::{MaterialId, SceneDesc};

/// Sets parameters of the shader on a stage to values without texts; returns the material that has them. `None` if there is
/// a mistake in them, or if the stage has to be read again for them.
pub fn set_values(
    desc: &mut SceneDesc,
    template: &Template,
    values: &BTreeMap<String, String>,
) -> Option<MaterialId> {
    let known = template.params()?;
    let mut args = vec![];
    for (name, value) in values {
        let param = known.iter().find(|param| !param.output && param.name == *name)?;
        let value = value_text(name, value, param.ty).ok()?;
        args.push(Argument::named(name, number(&value)?));
    }
    let named = |name: &str| desc.materials.iter().position(|material| material.name == name);
    let index = named(SKY).or_else(|| named(SUBJECT))?;
    let mut surface = Expr::clone(&desc.materials[index].surface);
    let span = surface.span;
    args.iter_mut().for_each(|arg| arg.value.set_span(span));
    match &mut surface.kind {
        ExprKind::Call { name, args: own, .. } if name.text != GROUP => add(own, args),
        _ => {
            let holds_group = |file: &File| file.items.iter().any(is_group);
            let shader = desc.shaders.iter_mut().find(|shader| holds_group(&shader.file))?;
            let mut file = File::clone(&shader.file);
            add(instance(&mut file)?, args);
            shader.file = Arc::new(file);
        }
    }
    desc.materials[index].surface = Arc::new(surface);
    Some(MaterialId(index as u32))
}

fn is_group(item: &Item) -> bool {
    matches!(item, Item::Group(group) if group.name.text == GROUP)
}

/// The arguments of the instance that is shown.
fn instance(file: &mut File) -> Option<&mut Vec<Argument>> {
    let groups = file.items.iter_mut().filter(|item| is_group(item));
    let statements = groups.filter_map(|item| match item {
        Item::Group(group) => Some(group.body.iter_mut()),
        _ => None,
    });
    statements.flatten().find_map(|statement| match statement {
        GroupStmt::Instance(instance) if instance.name.text == INSTANCE => Some(&mut instance.args),
        GroupStmt::Instance(_) | GroupStmt::Assign(_) => None,
    })
}

/// Adds arguments, in the order of a stage's text.
fn add(own: &mut Vec<Argument>, args: Vec<Argument>) {
    let name = |arg: &Argument| arg.name.as_ref().map(|name| name.text.clone());
    own.extend(args);
    own.sort_by_key(name);
}
