//! Warnings of media that are not what they seem, as far as it is known without rendering.

use std::sync::Arc;

use glam::Vec3;
use shading::diagnostic::Diagnostic;
use shading::hir::walk::statements;
use shading::hir::{Op, Stmt};
use shading::{Diagnostics, Global, ShadingSystem, Template};

use crate::interior::{Body, BodyId};
use crate::material::{Instances, MaterialId, Medium};
use crate::scene::Scene;
use crate::scene::called::{called, fills};
use renderer_geometry::ShapeId;
use renderer_scene::{LightKind, MaterialDesc, SceneDesc};

/// What only surfaces have.
const OF_SURFACES: [Global; 6] = [
    Global::U,
    Global::V,
    Global::N,
    Global::Ng,
    Global::DPdu,
    Global::DPdv,
];

/// Share of a boundary's area that does not close, from which on it is a sheet: the surface of a sea.
const SHEET: f32 = 0.5;

/// Share of a medium's volume with an extinction above its bound, from which on a warning is given.
const MANY: f32 = 0.0008;

/// Warns of a volume shader that depends on what only surfaces have.
pub(crate) fn surface_values(
    desc: &SceneDesc,
    material: &MaterialDesc,
    instances: &Instances,
    system: &ShadingSystem,
) -> Option<Diagnostic> {
    let known = instances.inside.as_ref()?.statistics();
    // What is left of a surface's shader may ask for its normal, and do nothing with it.
    let is_volume =
        material.interior.is_some() || called(&material.surface).is_some_and(|name| fills(system, name));
    if known.is_uniform || !is_volume {
        return None;
    }
    let read = OF_SURFACES.into_iter();
    let read: Vec<Global> = read
        .filter(|&global| known.reads_globals.contains(global))
        .collect();
    let (first, others) = read.split_first()?;
    let names = others
        .iter()
        .fold(format!("`{}`", first.name()), |names, global| {
            format!("{names}, `{}`", global.name())
        });
    let message = format!(
        "the medium of material `{}` depends on {names}, which only surfaces have",
        material.name
    );
    let call = material.interior.as_ref().unwrap_or(&material.surface);
    let mut warning = Diagnostic::warning(message).at(&desc.sources, call.span, "");
    if let Some(Template::Unit(unit)) = called(call).and_then(|name| system.template(name)) {
        let mut place = None;
        statements(&unit.hir.code.body, &mut |stmt| {
            if let Stmt::Op {
                op: Op::Global(global),
                span,
                ..
            } = stmt
                && global == first
            {
                place.get_or_insert(*span);
            }
        });
        if let Some(span) = place {
            warning = warning.at(&unit.sources, span, format!("`{}` is read here", first.name()));
        }
    }
    Some(warning.hint("`P` and `transform(\"object\", P)` tell where in a medium a point is"))
}

/// Warns of media of a built scene: coefficients that are none, boundaries with gaps, light that cannot arrive.
pub(crate) fn warn_about_media(desc: &SceneDesc, scene: &Scene, warnings: &mut Diagnostics) {
    let mut told: Vec<MaterialId> = vec![];
    for (id, body) in scene.bodies().all() {
        if told.contains(&body.material) || matches!(body.medium, Medium::Clear) && !body.is_open {
            continue;
        }
        let material = desc.material(body.material);
        let found = [
            faulty(scene, id, body, material),
            open(desc, scene, id, body, material),
            empty(scene, id, material),
            missed(scene, id, material),
        ];
        for warning in found.into_iter().flatten() {
            let call = material.interior.as_ref().unwrap_or(&material.surface);
            warnings.push(warning.at(&desc.sources, call.span, ""));
            told.push(body.material);
        }
    }
    warnings.list.extend(swallowed(desc, scene));
}

/// A medium with coefficients below zero, or that are none.
fn faulty(scene: &Scene, id: BodyId, body: &Body, material: &MaterialDesc) -> Option<Diagnostic> {
    let is_faulty = match &body.medium {
        Medium::Clear => false,
        Medium::Homogeneous(of) => of.is_faulty(),
        Medium::Varying(_) => scene.medium_faults(id).is_some_and(|faults| faults.is_faulty),
    };
    is_faulty.then(|| {
        let message = format!(
            "the medium of material `{}` has coefficients below zero or that are no numbers, which count as zero",
            material.name
        );
        Diagnostic::warning(message)
            .hint("`max(0, …)` keeps a density from that, and albedos are between 0 and 1")
    })
}

/// A boundary that nearly closes.
fn open(
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
    if share.is_nan() || share >= SHEET {
        return None;
    }
    names.dedup();
    let list = names.iter().take(3).map(|name| format!("`{name}`"));
    let list = list.collect::<Vec<_>>().join(", ");
    let more = if names.len() > 3 { ", …" } else { "" };
    let message = format!(
        "what bounds the inside of material `{}` is not closed: {list}{more}",
        material.name
    );
    Some(Diagnostic::warning(message).hint(
        "fill the holes of the mesh: light that gets in beside the boundary does not know that it is inside",
    ))
}

/// A medium in which no probe found density.
fn empty(scene: &Scene, id: BodyId, material: &MaterialDesc) -> Option<Diagnostic> {
    let probes = scene.medium_faults(id)?.empty?;
    let message = format!(
        "the medium of material `{}` counts as empty: its density is zero at all of {probes} points",
        material.name
    );
    Some(Diagnostic::warning(message).hint(
        "if it has density somewhere, fill a smaller shape around that with it: `shape air : cube { size = 2; material = …; }`",
    ))
}

/// A medium with details that the bounds on its extinction miss.
fn missed(scene: &Scene, id: BodyId, material: &MaterialDesc) -> Option<Diagnostic> {
    let faults = scene.medium_faults(id)?;
    (faults.missed > MANY).then(|| {
        let message = format!(
            "the medium of material `{}` has details that are finer than {:.3} m, which makes noise",
            material.name, faults.detail
        );
        Diagnostic::warning(message)
            .hint("fill several smaller shapes with it, or soften what is thin and dense in it")
    })
}

/// Lights without distance, whose light does not come through a medium without end.
fn swallowed(desc: &SceneDesc, scene: &Scene) -> Option<Diagnostic> {
    let material = desc.material(desc.medium?);
    let mut endless = scene.bodies().all().filter(|(_, body)| body.shape.is_none());
    let (_, body) = endless.next()?;
    let Medium::Homogeneous(of) = &body.medium else {
        return None;
    };
    let [r, g, b] = of.extinction().to_array();
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
        "the medium of the scene has no end, so that no light of {} comes through it",
        names.join(", ")
    );
    let warning = Diagnostic::warning(message)
        .at(&desc.sources, material.surface.span, "")
        .at(&desc.sources, first.span, "this light is infinitely far away");
    Some(warning.hint(
        "put what is seen in a cube of the medium: `shape air : cube { size = 100; material = fog(); }`",
    ))
}
