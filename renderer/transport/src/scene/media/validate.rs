//! Warnings about media of a scene: invalid coefficients, open boundaries, missed density, unreachable lights.

use std::sync::Arc;

use glam::Vec3;
use shading::diagnostic::Diagnostic;
use shading::hir::walk::statements;
use shading::hir::{Op, Stmt};
use shading::{Diagnostics, Global, ShadingSystem, Template};

use crate::interior::{Body, BodyId};
use crate::material::{Instances, MaterialId, Medium};
use crate::scene::Scene;
use crate::scene::callee::{callee, is_volume_shader};
use renderer_geometry::ShapeId;
use renderer_scene::{LightKind, MaterialDesc, SceneDesc};

/// Globals that only surfaces have.
const SURFACE_GLOBALS: [Global; 6] =
    [Global::U, Global::V, Global::N, Global::Ng, Global::DPdu, Global::DPdv];

/// Share of a boundary's area that may be missing for a warning; a boundary with larger gaps is meant to be open, as
/// the surface of a sea.
const MAX_OPEN_SHARE: f32 = 0.5;

/// Fraction of a medium's volume with an extinction above the majorant that causes a warning.
const MAX_MISSED: f32 = 0.0008;

/// Warns about a volume shader that depends on values that only surfaces have.
pub(crate) fn surface_values(
    desc: &SceneDesc,
    material: &MaterialDesc,
    instances: &Instances,
    system: &ShadingSystem,
) -> Option<Diagnostic> {
    let known = instances.inside.as_ref()?.statistics();
    // The medium part of a surface shader may still read the normal without effect, so only volume shaders are checked.
    let is_volume = material.interior.is_some()
        || callee(&material.surface).is_some_and(|name| is_volume_shader(system, name));
    if known.is_uniform || !is_volume {
        return None;
    }
    let read = SURFACE_GLOBALS.into_iter();
    let read: Vec<Global> = read.filter(|&global| known.reads_globals.contains(global)).collect();
    let first = read.first()?;
    let names: Vec<String> = read.iter().map(|global| format!("`{}`", global.name())).collect();
    let message = format!(
        "the medium of material `{}` depends on {}, which only surfaces have",
        material.name,
        names.join(", ")
    );
    let call = material.interior.as_ref().unwrap_or(&material.surface);
    let mut warning = Diagnostic::warning(message).at(&desc.sources, call.span, "");
    if let Some(Template::Unit(unit)) = callee(call).and_then(|name| system.template(name)) {
        let mut place = None;
        statements(&unit.hir.code.body, &mut |stmt| {
            if let Stmt::Op { op: Op::Global(global), span, .. } = stmt
                && global == first
            {
                place.get_or_insert(*span);
            }
        });
        if let Some(span) = place {
            warning = warning.at(&unit.sources, span, format!("`{}` is read here", first.name()));
        }
    }
    Some(warning.hint("use `P` or `transform(\"object\", P)` for positions in a medium"))
}

/// Warns about the media of a built scene.
pub(crate) fn warn_about_media(desc: &SceneDesc, scene: &Scene, warnings: &mut Diagnostics) {
    let mut reported: Vec<MaterialId> = vec![];
    for (id, body) in scene.bodies().all() {
        if reported.contains(&body.material) || matches!(body.medium, Medium::Clear) && !body.is_open {
            continue;
        }
        let material = desc.material(body.material);
        let found = [
            faulty_medium(scene, id, body, material),
            open_boundary(desc, scene, id, body, material),
            empty_medium(scene, id, material),
            missed_detail(scene, id, material),
        ];
        for warning in found.into_iter().flatten() {
            let call = material.interior.as_ref().unwrap_or(&material.surface);
            warnings.push(warning.at(&desc.sources, call.span, ""));
            reported.push(body.material);
        }
    }
    warnings.list.extend(unreachable_lights(desc, scene));
}

/// Warns about coefficients that are negative or not numbers.
fn faulty_medium(scene: &Scene, id: BodyId, body: &Body, material: &MaterialDesc) -> Option<Diagnostic> {
    let is_faulty = match &body.medium {
        Medium::Clear => false,
        Medium::Homogeneous(medium) => medium.is_faulty(),
        Medium::Varying(_) => scene.medium_faults(id).is_some_and(|faults| faults.is_faulty),
    };
    is_faulty.then(|| {
        let message = format!(
            "the medium of material `{}` has coefficients below zero or NaN, which count as zero",
            material.name
        );
        Diagnostic::warning(message)
            .hint("limit a density with `max(0, …)`, and an albedo to the range from 0 to 1")
    })
}

/// Warns about a boundary that is nearly closed.
fn open_boundary(
    desc: &SceneDesc,
    scene: &Scene,
    id: BodyId,
    body: &Body,
    material: &MaterialDesc,
) -> Option<Diagnostic> {
    if !body.is_open || body.shape.is_none() {
        return None;
    }
    let (mut sum, mut area) = (Vec3::ZERO, 0.0);
    let mut names: Vec<&Arc<str>> = vec![];
    for (index, shape) in (0..).zip(scene.shapes()) {
        if scene.bodies().of_shape(ShapeId(index)) == Some(id) {
            sum += shape.vector_area();
            area += shape.area();
            names.push(&desc.shapes[index as usize].name);
        }
    }
    let share = sum.length() / area;
    if share.is_nan() || share >= MAX_OPEN_SHARE {
        return None;
    }
    names.dedup();
    let list = names.iter().take(3).map(|name| format!("`{name}`"));
    let list = list.collect::<Vec<_>>().join(", ");
    let more = if names.len() > 3 { ", …" } else { "" };
    let message = format!("the boundary of material `{}` is not closed: {list}{more}", material.name);
    Some(
        Diagnostic::warning(message)
            .hint("close the holes of the mesh: rays that enter through a gap count as outside"),
    )
}

/// A medium in which no probe found density.
fn empty_medium(scene: &Scene, id: BodyId, material: &MaterialDesc) -> Option<Diagnostic> {
    let probes = scene.medium_faults(id)?.empty?;
    let message = format!(
        "the medium of material `{}` counts as empty: its density is zero at all of {probes} points",
        material.name
    );
    Some(Diagnostic::warning(message).hint(
        "if it has density somewhere, fill a smaller shape around it: `shape air : cube { size = 2; material = …; }`",
    ))
}

/// Warns about a medium with details that the majorants miss.
fn missed_detail(scene: &Scene, id: BodyId, material: &MaterialDesc) -> Option<Diagnostic> {
    let faults = scene.medium_faults(id)?;
    (faults.missed > MAX_MISSED).then(|| {
        let message = format!(
            "the medium of material `{}` has details that are finer than {:.3} m, which causes noise",
            material.name, faults.detail
        );
        Diagnostic::warning(message)
            .hint("fill several smaller shapes with it, or smooth its thin dense parts")
    })
}

/// Warns about infinitely distant lights, whose light does not pass an infinite medium.
fn unreachable_lights(desc: &SceneDesc, scene: &Scene) -> Option<Diagnostic> {
    let material = desc.material(desc.medium?);
    let mut endless = scene.bodies().all().filter(|(_, body)| body.shape.is_none());
    let (_, body) = endless.next()?;
    let Medium::Homogeneous(medium) = &body.medium else {
        return None;
    };
    let [r, g, b] = medium.extinction().to_array();
    if r.min(g).min(b) <= 0.0 {
        return None;
    }
    let is_far = |kind: &LightKind| {
        matches!(
            kind,
            LightKind::Environment { .. }
                | LightKind::Background { .. }
                | LightKind::Sky { .. }
                | LightKind::Directional { .. }
        )
    };
    let far: Vec<_> = desc.lights.iter().filter(|light| is_far(&light.kind)).collect();
    let names: Vec<String> = far.iter().map(|light| format!("`{}`", light.name)).collect();
    let first = far.first()?;
    let message = format!(
        "the medium of the scene is infinite, so no light of {} comes through it",
        names.join(", ")
    );
    let warning = Diagnostic::warning(message).at(&desc.sources, material.surface.span, "").at(
        &desc.sources,
        first.span,
        "this light is infinitely far away",
    );
    Some(warning.hint(
        "enclose the visible scene in a cube of the medium: `shape air : cube { size = 100; material = fog(); }`",
    ))
}
