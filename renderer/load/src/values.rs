//! Values of materials of a scene that has been read, set as `--set material.NAME.PARAM=VALUE` sets them.

use std::sync::Arc;

use shading::Source;
use shading::syntax::ast::{Expr, ExprKind, Item, Name};

use super::material::MATERIAL;
use super::overrides::set_argument;
use renderer_scene::{MaterialId, SceneDesc};

/// A value of a parameter of a material's unit or group, for which no file has to be read.
#[derive(Clone, Debug)]
pub struct MaterialValue {
    material: String,
    param: String,
    value: Expr,
}

impl MaterialValue {
    /// The value at a path `material.NAME.PARAM`; `None` if it is none, or if the scene has to be read with it: texts may
    /// name files.
    pub fn parse(path: &str, value: &str) -> Option<MaterialValue> {
        let (material, param) = path.strip_prefix("material.")?.rsplit_once('.')?;
        if MATERIAL.iter().any(|key| key.name == param) {
            return None;
        }
        Some(MaterialValue {
            material: material.to_owned(),
            param: param.to_owned(),
            value: number(value)?,
        })
    }

    /// Sets it; `None` if there is no such material.
    pub fn set(&self, desc: &mut SceneDesc) -> Option<MaterialId> {
        let named = |material: &renderer_scene::MaterialDesc| material.name == self.material;
        let index = desc.materials.iter().position(named)?;
        let surface = &mut desc.materials[index].surface;
        let mut changed = Expr::clone(surface);
        set_value(&mut changed, &self.param, &self.value);
        *surface = Arc::new(changed);
        Some(MaterialId(index as u32))
    }
}

/// Sets an argument of a call.
pub fn set_value(call: &mut Expr, param: &str, value: &Expr) {
    let (mut value, span) = (value.clone(), call.span);
    value.set_span(span);
    let name = Name { text: param.to_owned(), span };
    set_argument(call, name, &value);
}

/// The expression of a text, if it is one without texts in it.
pub fn number(text: &str) -> Option<Expr> {
    let (file, mistakes) = shading::syntax::parse(Source::new("--set", format!("set a.a={text};")));
    let [Item::Declaration(declaration)] = &file.items[..] else {
        return None;
    };
    let value = declaration.value.clone()?;
    let is_whole = declaration.kind.is_none() && declaration.body.is_none() && mistakes.list.is_empty();
    (is_whole && !has_text(&value)).then_some(value)
}

fn has_text(value: &Expr) -> bool {
    let mut has = matches!(value.kind, ExprKind::String(_));
    value.for_each_operand(&mut |operand| has |= has_text(operand));
    has
}
