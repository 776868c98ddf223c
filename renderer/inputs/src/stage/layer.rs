//! Outputs of the layers inside of a group, any of which can be shown.

use shading::graph::inspect::{InspectedNode, inspected};
use shading::ty::{Base, Type};
use shading::{Diagnostic, Diagnostics, ShaderGroupTemplate, ShadingSystem, Template};

/// Name of the group whose outputs are those of all layers.
pub(super) const GROUP: &str = "stage_layers";

/// An output of a layer.
pub(super) struct Layer {
    /// Names of instances and of the output, with dots.
    pub(super) path: String,
    pub(super) ty: Type,
    /// The output of [`GROUP`] that has its value.
    pub(super) output: String,
}

/// The group with an output for each value in it, and those that can be shown; `None` of a unit.
///
/// # Errors
/// If a group in it has errors.
pub(super) fn layers(
    template: &Template,
    system: &ShadingSystem,
) -> Result<Option<(ShaderGroupTemplate, Vec<Layer>)>, Diagnostics> {
    let (copy, node) = inspected(template, system)?;
    let Template::Group(copy) = copy else {
        return Ok(None);
    };
    let mut group = ShaderGroupTemplate::clone(&copy);
    GROUP.clone_into(&mut group.name);
    let mut list = vec![];
    node.nodes.iter().for_each(|inner| add(inner, "", &mut list));
    Ok(Some((group, list)))
}

fn add(node: &InspectedNode, prefix: &str, list: &mut Vec<Layer>) {
    let path = format!("{prefix}{}", node.name);
    let shown = node.outputs.iter().filter(|(_, ty, _)| *ty == Type::CLOSURE || is_visible(*ty));
    list.extend(shown.map(|(name, ty, output)| Layer {
        path: format!("{path}.{name}"),
        ty: *ty,
        output: output.clone(),
    }));
    let inside = format!("{path}.");
    node.nodes.iter().for_each(|inner| add(inner, &inside, list));
}

/// The layer at the path of an output, or of an instance: its surface, or else its first output.
pub(super) fn find<'l>(layers: &'l [Layer], asked: &str) -> Result<&'l Layer, Diagnostic> {
    if let Some(layer) = layers.iter().find(|layer| layer.path == asked) {
        return Ok(layer);
    }
    let own = |layer: &&Layer| layer.path.rsplit_once('.').is_some_and(|(node, _)| node == asked);
    let surface = layers.iter().filter(own).find(|layer| layer.ty.base == Base::Closure);
    surface.or_else(|| layers.iter().find(own)).ok_or_else(|| {
        let error = Diagnostic::error(format!("no layer has an output `{asked}`"));
        error.nearest(asked, layers.iter().map(|layer| layer.path.as_str()))
    })
}

/// Returns whether values of a type can be shown as colours.
pub fn is_visible(ty: Type) -> bool {
    let is_number = matches!(
        ty.base,
        Base::Int | Base::Float | Base::Color | Base::Point | Base::Vector | Base::Normal
    );
    is_number && !ty.is_array()
}
