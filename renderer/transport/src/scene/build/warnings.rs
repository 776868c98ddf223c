//! Diagnostics of scene construction: missing files, energy gain, scenes without light.

use std::collections::BTreeSet;
use std::sync::Arc;

use shading::diagnostic::Label;
use shading::syntax::ast;
use shading::{Diagnostic, Diagnostics, ShaderInstance, Span, UnreadableTexture};

use crate::light::Light;
use crate::material::{Host, Instances, TextureLoadError};
use crate::scene::Scene;
use crate::scene::media::validate::warn_about_media;
use renderer_geometry::{CurveStyle, ShapeId};
use renderer_scene::{MaterialDesc, SceneDesc};

/// Surface, volume and displacement shaders of each material.
pub(super) fn shaders_of(instances: &[Instances]) -> Vec<Vec<Arc<ShaderInstance>>> {
    let of = |instances: &Instances| {
        let others = instances.inside.iter().chain(&instances.displacement).cloned();
        [instances.full.clone()].into_iter().chain(others).collect()
    };
    instances.iter().map(of).collect()
}

/// Diagnostic of an unreadable texture, at the first lookup of a material that names it.
pub(in crate::scene) fn texture_diagnostic(
    desc: &SceneDesc,
    shaders: &[Vec<Arc<ShaderInstance>>],
    fault: &TextureLoadError,
) -> Diagnostic {
    for (material, shaders) in desc.materials.iter().zip(shaders) {
        let mut named = shaders.iter().flat_map(|shader| &shader.statistics().textures);
        if let Some(texture) = named.find(|texture| fault.is_of(&texture.request)) {
            let error = Diagnostic::error(format!("material `{}`: {fault}", material.name));
            let error = fault.hinted(error);
            let name = &texture.request.file;
            return at_texture(error, desc, material, name, texture.label.as_ref());
        }
    }
    fault.hinted(Diagnostic::error(fault.to_string()))
}

/// Diagnostic of a texture, at the argument that has its name, else at the lookup in the shader.
fn at_texture(
    mut diagnostic: Diagnostic,
    desc: &SceneDesc,
    material: &MaterialDesc,
    name: &str,
    label: Option<&Label>,
) -> Diagnostic {
    let mut calls = material.displacement.iter().chain([&material.surface]);
    match (calls.find_map(|call| argument(call, name)), label) {
        (Some(span), _) => diagnostic.at(&desc.sources, span, ""),
        (None, Some(label)) => {
            diagnostic.labels.push(label.clone());
            diagnostic.at(&desc.sources, material.surface.span, "in this material")
        }
        (None, None) => diagnostic.at(&desc.sources, material.surface.span, ""),
    }
}

/// Diagnostics of missing texture files and files of the wrong kind. They are warnings if the shader handles the absence, the
/// name is empty, or `is_shown` (a view shows missing inputs); else errors. They point to the argument with the name, else to
/// the lookup in the shader.
pub(super) fn missing_textures(
    desc: &SceneDesc,
    instances: &[Instances],
    is_shown: bool,
    mut diagnostics: Diagnostics,
) -> Result<Diagnostics, Diagnostics> {
    for (material, instances) in desc.materials.iter().zip(instances) {
        for texture in instances.known().flat_map(|known| &known.missing_textures) {
            let name = &texture.name;
            let message = match texture.problem {
                UnreadableTexture::NotFound => format!("there is no texture file `{name}`"),
                problem @ (UnreadableTexture::NoPicture
                | UnreadableTexture::NoVolume
                | UnreadableTexture::NoEnvironment) => {
                    format!("the texture file `{name}` {}", problem.predicate())
                }
            };
            let message = format!("material `{}`: {message}", material.name);
            let diagnostic = if texture.optional || name.is_empty() || is_shown {
                Diagnostic::warning(message + "; it shows black")
            } else {
                Diagnostic::error(message)
            };
            let diagnostic = at_texture(diagnostic, desc, material, name, texture.label.as_ref());
            diagnostics.add_new(vec![diagnostic]);
        }
    }
    if diagnostics.has_errors() {
        Err(diagnostics)
    } else {
        Ok(diagnostics)
    }
}

/// Warnings of missing point clouds, for callers that do not run the shaders; running shaders report them.
pub(super) fn missing_clouds(desc: &SceneDesc, instances: &[Instances], host: &Host) -> Vec<Diagnostic> {
    let mut list = vec![];
    for (material, instances) in desc.materials.iter().zip(instances) {
        let names: BTreeSet<&String> = instances.known().flat_map(|known| &known.clouds).collect();
        for name in names.into_iter().filter(|name| !host.finds_cloud(name)) {
            let message = format!(
                "material `{}`: there is no point cloud file `{name}`; searches find nothing",
                material.name
            );
            let place = argument(&material.surface, name).unwrap_or(material.surface.span);
            list.push(Diagnostic::warning(message).at(&desc.sources, place, ""));
        }
    }
    list
}

/// Position of the text of an expression.
fn argument(expr: &ast::Expr, text: &str) -> Option<Span> {
    let mut found = None;
    expr.for_each_operand(&mut |operand| found = found.or_else(|| argument(operand, text)));
    match &expr.kind {
        ast::ExprKind::String(own) if own == text => Some(expr.span),
        _ => found,
    }
}

/// Warnings that depend on the values of materials.
pub(in crate::scene) fn warn_about_values(desc: &SceneDesc, scene: &Scene, warnings: &mut Diagnostics) {
    warn_about_albedo(desc, scene, warnings);
    warn_about_media(desc, scene, warnings);
    warn_about_light(desc, scene, warnings);
}

/// Warns of scenes without light, as far as that is known without rendering.
pub(super) fn warn_about_light(desc: &SceneDesc, scene: &Scene, warnings: &mut Diagnostics) {
    // The scene's bounds may be a single point.
    let radius = scene.bounds().radius().max(1.0);
    // The power of a shape's light is an estimate: 0 does not imply that there is none.
    let shines = |light: &Light| matches!(light, Light::Area(_)) || light.power(radius) > 0.0;
    let mut has_emission = scene.lights().iter().any(shines);
    for ((id, shape), described) in (0..).map(ShapeId).zip(scene.shapes()).zip(&desc.shapes) {
        let faces_rays = shape.curves().is_some_and(|curves| curves.set().style == CurveStyle::Ribbon);
        if !faces_rays || !scene.material(id).may_emit() {
            continue;
        }
        has_emission = true;
        let message = format!("`{}` emits light that is found by scattered rays only", described.name);
        let hint = "ribbons that face rays are no area lights, and photons do not carry their light, which `photon` may lack: use \
                    the style `round` or `flat`, or render many samples by `path`";
        let warning = Diagnostic::warning(message).at(&desc.sources, described.span, "");
        warnings.push(warning.hint(hint));
    }
    if !scene.shapes().is_empty() && !has_emission {
        let message = format!("nothing emits light in {}: all will be black", desc.file.display());
        let hint = "add a light (`light sky : environment { color = 1; }`) or a shape whose material emits";
        warnings.push(Diagnostic::warning(message).hint(hint));
    }
}

/// Warns of materials that gain energy, as far as that is known without rendering.
pub(super) fn warn_about_albedo(desc: &SceneDesc, scene: &Scene, warnings: &mut Diagnostics) {
    for (material, built) in desc.materials.iter().zip(scene.materials()) {
        let Some(albedo) = built.known_albedo() else {
            continue;
        };
        let [r, g, b] = albedo.to_array();
        let (min, max) = (r.min(g).min(b), albedo.max_component());
        // The tables of rough lobes have errors of a few thousandths.
        if min < 0.0 || max > 1.01 {
            let message = format!(
                "material `{}` scatters ({r:.3}, {g:.3}, {b:.3}) times the light that arrives",
                material.name
            );
            let hint = "keep its colours and weights between 0 and 1: beyond that it makes energy";
            let diagnostic = Diagnostic::warning(message).at(&desc.sources, material.surface.span, "");
            warnings.push(diagnostic.hint(hint));
        }
    }
}
