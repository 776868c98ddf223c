//! Passes of a render, requested by the scene and on the command line.

use std::collections::{HashMap, HashSet};
use std::iter::once;
use std::sync::Arc;

use shading::Diagnostic;

use renderer_cli::{LightGroups, RenderRequest};
use renderer_load::pass_error;
use renderer_passes::{PassDesc, PassSet, REST};
use renderer_pictures::denoising::missing_features;
use renderer_pictures::pictures::Pictures;
use renderer_scene::SceneDesc;
use renderer_support::Failure;
use renderer_transport::passes::{FrameMotion, PassPlan, PlanError};
use renderer_transport::render::RenderSettings;
use renderer_transport::scene::SceneNames;
use renderer_transport::scene::build::Built;

/// Passes of the scene and of the request, with the features for denoising, without `--light-groups`.
pub(super) fn requested(
    request: &RenderRequest,
    pictures: &mut Pictures,
    desc: &SceneDesc,
) -> Result<PassSet, Failure> {
    pictures.hide_features(missing_features(desc, &request.aov));
    let features = (pictures.denoising.as_ref()).map_or(&[][..], |denoising| &denoising.hidden);
    let mut passes: Vec<PassDesc> = desc.film.passes.iter().map(|pass| pass.value.clone()).collect();
    for text in request.aov.iter().chain(features) {
        passes.extend(asked(text)?);
    }
    let has_catcher = desc.shapes.iter().any(|shape| shape.catcher.is_some());
    if request.transparent || desc.film.transparent || has_catcher {
        passes.extend(asked("alpha")?);
    }
    set(passes)
}

/// The plan of all passes; `None` if there are none.
pub(super) fn plan(
    request: &RenderRequest,
    requested: PassSet,
    (desc, built): (&SceneDesc, &Built),
    settings: &RenderSettings,
) -> Result<Option<Arc<PassPlan>>, Failure> {
    let mut all = requested;
    let mut names = built.names.clone();
    if request.light_groups == Some(LightGroups::Each) {
        each_light(&mut names);
        all = set([all.passes(), &groups(&names)?].concat())?;
    }
    if all.is_empty() {
        return Ok(None);
    }
    let view = settings.camera.view();
    let shaders = built.pass_shaders.clone();
    let plan = PassPlan::new(all, &built.scene, &names, shaders, &view).map_err(plan_failure)?;
    let frames = match plan.shows_motion() {
        true => {
            let camera = desc.camera(request.camera.as_deref()).map_err(Failure::of)?;
            FrameMotion::new(desc, camera, &settings.camera, built)
        }
        false => None,
    };
    Ok(Some(Arc::new(plan.with_frames(frames))))
}

fn set(passes: Vec<PassDesc>) -> Result<PassSet, Failure> {
    PassSet::new(passes).map_err(|error| {
        Failure::User(format!("error: {error}\n  hint: give one another name: --aov NAME=WHAT"))
    })
}

/// Passes that the command line names.
fn asked(text: &str) -> Result<Vec<PassDesc>, Failure> {
    PassDesc::parse(text).map_err(|error| {
        let diagnostic = Diagnostic::error(format!("--aov {text}: {error}"));
        Failure::of(pass_error(&error, diagnostic))
    })
}

/// Maximum length of the name of a light's group [characters]; longer names are cut.
const MAX_GROUP_NAME_LENGTH: usize = 100;

/// Assigns each light to its own group, with the light's name as far as it is valid for a layer.
fn each_light(names: &mut SceneNames) {
    let valid = |c: char| match c.is_ascii_alphanumeric() || c == '-' {
        true => c,
        false => '_',
    };
    let mut groups: HashMap<Arc<str>, Arc<str>> = HashMap::new();
    let mut taken = HashSet::from([REST.to_owned()]);
    for light in &mut names.lights {
        let group = groups.entry(light.name.clone()).or_insert_with(|| {
            let name: String = light.name.chars().map(valid).take(MAX_GROUP_NAME_LENGTH).collect();
            let numbered = (2..).map(|number| format!("{name}_{number}"));
            let mut free = once(name.clone()).chain(numbered);
            let group = free.find(|group| taken.insert(group.clone()));
            group.expect("there are numbers enough").into()
        });
        light.group = Some(group.clone());
    }
}

/// A pass for each group of lights.
fn groups(names: &SceneNames) -> Result<Vec<PassDesc>, Failure> {
    let mut groups: Vec<&str> = names.lights.iter().filter_map(|light| light.group.as_deref()).collect();
    groups.sort_unstable();
    groups.dedup();
    let passes = groups.into_iter().map(|group| asked(&format!("light_{group}")));
    Ok(passes.collect::<Result<Vec<_>, _>>()?.concat())
}

fn plan_failure(error: PlanError) -> Failure {
    let diagnostic = Diagnostic::error(error.to_string());
    Failure::of(match &error {
        PlanError::NoGroup { group, known, .. } => {
            let list = known.join(", ");
            let diagnostic = diagnostic.nearest(group, known.iter().map(String::as_str));
            match known.is_empty() {
                true => diagnostic
                    .hint("a light is put into a group by `group = NAME;`, or each by --light-groups each"),
                false => diagnostic.hint(format!("its groups are: {list}")),
            }
        }
        PlanError::Expression { .. } | PlanError::TooManyStates(_) => diagnostic,
    })
}
