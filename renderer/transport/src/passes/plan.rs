//! Plan of a film's passes: automaton of the light path expressions, channels, labels and identifiers of a scene.

use std::sync::Arc;

use glam::Vec3;
use renderer_passes::{
    Automaton, CryptoKind, Event, EventKind, Expression, ExpressionError, Label, LabelTable, Pass, PassSet,
    Paths, Scattering, State, TooManyStates, ValuePass, crypto_id,
};

use super::frame_motion::FrameMotion;
use super::light_groups::{LightEnd, LightGroups, Rule};
use crate::light::{Light, LightId};
use crate::material::{MaterialId, OutputShader, RenderingSpace, label_hash};
use crate::radiance::{LightSource, MAX_LIGHT_TAGS};
use crate::scene::{LightName, Scene, SceneNames, ShapeName};
use renderer_geometry::ShapeId;
use renderer_geometry::camera::CameraView;
use renderer_image::film::FilmLayout;
use renderer_scene::Catcher;

/// A film's passes, compiled for a scene.
#[derive(Clone, Debug)]
pub struct PassPlan {
    set: PassSet,
    pub(super) automaton: Automaton,
    /// State of paths after the camera.
    pub(super) start: State,
    /// True if a pass shows occluded light.
    pub(super) has_blocked_light: bool,
    /// Channel and kind of light, by expression.
    pub(super) rules: Vec<Rule>,
    /// The light groups that passes show.
    pub(super) groups: LightGroups,
    pub(super) values: Vec<(ValuePass, usize)>,
    /// Channels of the picture's coverage, and of the weight of first-surface values.
    pub(super) alpha: Option<usize>,
    pub(super) weight: Option<usize>,
    /// First channel of shadow catchers.
    pub(super) shadow: Option<usize>,
    /// Labels and identifiers, by shape.
    objects: Vec<Object>,
    /// End events of paths, by light.
    lights: Vec<LightEnd>,
    /// Photon tags, by light; empty if passes do not distinguish lights.
    light_tags: Vec<u8>,
    /// End events of paths, by tag.
    tags: Vec<LightEnd>,
    /// Labels of closures by their hashes.
    closures: Vec<(u32, Label)>,
    /// Channels of shader outputs, with the shader of each material that has the output.
    shaders: Vec<(usize, Vec<Option<OutputShader>>)>,
    /// Materials, by shape.
    materials: Vec<MaterialId>,
    /// Sorted names, by kind of identifier.
    manifests: Vec<Vec<String>>,
    /// The camera's position and viewing direction.
    pub(super) eye: (Vec3, Vec3),
    pub(super) space: RenderingSpace,
    /// Poses at the frames before and after, for motion vectors; `None` if nothing moves.
    pub(super) frames: Option<Arc<FrameMotion>>,
}

/// Label and identifiers of a shape.
#[derive(Clone, Debug)]
struct Object {
    label: Label,
    /// Identifiers, by kind.
    ids: Vec<u32>,
    catcher: Option<Catcher>,
}

/// Error of a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// An expression cannot be compiled.
    #[error("pass `{name}`: {error}")]
    Expression {
        /// The pass.
        name: String,
        /// Error in the expression.
        error: ExpressionError,
    },
    /// The expressions together need too many states.
    #[error(transparent)]
    TooManyStates(#[from] TooManyStates),
    /// A pass shows a light group that the scene does not have.
    #[error("pass `{name}`: the scene has no light group `{group}`")]
    NoGroup {
        /// The pass.
        name: String,
        /// The group.
        group: String,
        /// Existing groups.
        known: Vec<String>,
    },
}

impl PassPlan {
    /// The plan with the poses at the frames before and after.
    #[must_use]
    pub fn with_frames(self, frames: Option<FrameMotion>) -> PassPlan {
        PassPlan { frames: frames.map(Arc::new), ..self }
    }

    /// Returns whether a pass shows motion vectors.
    pub fn shows_motion(&self) -> bool {
        self.values.iter().any(|(value, _)| *value == ValuePass::Motion)
    }

    /// Compiles the passes of a scene whose shapes and lights have these names, for a camera. `shaders` are the output
    /// shaders of [`PassSet::shader_values`], by material.
    ///
    /// # Errors
    /// When the expressions are too complex, or a light group does not exist.
    pub fn new(
        set: PassSet,
        scene: &Scene,
        names: &SceneNames,
        shaders: Vec<Vec<Option<OutputShader>>>,
        camera: &CameraView,
    ) -> Result<PassPlan, PlanError> {
        let mut labels = LabelTable::new();
        let (mut expressions, mut rules, mut values, mut shown) = (vec![], vec![], vec![], vec![]);
        let mut groups = LightGroups::default();
        for (desc, channel) in set.placed() {
            match &desc.pass {
                Pass::Light(light) => {
                    let rule = Rule { channel, lighting: light.lighting };
                    match &light.paths {
                        Paths::Group(group) => {
                            check_group(&desc.name, group, names)?;
                            groups.add(Some(group), rule);
                        }
                        Paths::NoGroup => groups.add(None, rule),
                        Paths::Expression(text) => {
                            expressions.push(expression(&desc.name, text, &mut labels)?);
                            rules.push(rule);
                        }
                    }
                }
                Pass::Value(value) => values.push((*value, channel)),
                Pass::Shader(_) | Pass::Attribute(_) => shown.push(channel),
                Pass::Crypto(_) => {}
            }
        }
        let automaton = Automaton::new(&expressions, &labels)?;
        let start = automaton.next(automaton.start(), &Event::CAMERA);
        let lights = lights(scene, names, &labels, &groups);
        let (light_tags, tags) = tags(&lights);
        let hashes = labels.names().iter().map(|name| (label_hash(name), labels.get(name)));
        let view = camera.world_from_camera;
        Ok(PassPlan {
            start,
            has_blocked_light: set.has_blocked_light(),
            rules,
            groups,
            values,
            alpha: set.channel_of(ValuePass::Alpha),
            weight: set.weight(),
            shadow: set.shadow(),
            objects: objects(&set, names, &labels),
            lights,
            light_tags,
            tags,
            shaders: shown.into_iter().zip(shaders).collect(),
            materials: (0..scene.shapes().len() as u32)
                .map(|shape| scene.material_id(ShapeId(shape)))
                .collect(),
            closures: hashes.collect(),
            manifests: set.kinds().iter().map(|&kind| manifest(kind, names)).collect(),
            space: scene.host().space(),
            frames: None,
            eye: (view.translation.into(), -Vec3::from(view.matrix3.z_axis).normalize_or_zero()),
            automaton,
            set,
        })
    }

    /// The passes.
    pub fn set(&self) -> &PassSet {
        &self.set
    }

    /// Layout of the film.
    pub fn layout(&self) -> FilmLayout {
        FilmLayout {
            variance: self.set.has(ValuePass::Variance),
            channels: self.set.channels(),
            identifiers: self.set.kinds().len(),
        }
    }

    /// Sorted names, by kind of identifier.
    pub fn manifests(&self) -> &[Vec<String>] {
        &self.manifests
    }

    /// Photon tag of each light; empty if passes do not distinguish lights.
    pub fn light_tags(&self) -> &[u8] {
        &self.light_tags
    }

    /// End event of paths at lights with this tag.
    pub(super) fn tagged_light(&self, tag: u8) -> LightEnd {
        let known = self.tags.get(usize::from(tag)).copied();
        known.unwrap_or(LightEnd { event: Event::end(EventKind::Light), group: None })
    }

    /// Output shaders of a shape, with the first channel of each.
    pub(super) fn shaders_of(&self, shape: ShapeId) -> impl Iterator<Item = (&OutputShader, usize)> {
        let material = self.materials[shape.0 as usize].0 as usize;
        self.shaders
            .iter()
            .filter_map(move |(channel, by_material)| Some((by_material.get(material)?.as_ref()?, *channel)))
    }

    /// Catcher of a shape; `None` for an ordinary surface.
    pub(super) fn catcher(&self, shape: ShapeId) -> Option<Catcher> {
        self.objects[shape.0 as usize].catcher
    }

    /// The label of an object.
    pub(super) fn object(&self, shape: ShapeId) -> Label {
        self.objects[shape.0 as usize].label
    }

    /// The identifiers of an object, by kind.
    pub(super) fn identifiers(&self, shape: ShapeId) -> &[u32] {
        &self.objects[shape.0 as usize].ids
    }

    /// The label of a closure by its hash.
    #[inline]
    pub(super) fn closure(&self, hash: u32) -> Label {
        if hash == 0 {
            return Label::OTHER;
        }
        let found = self.closures.iter().find(|(known, _)| *known == hash);
        found.map_or(Label::OTHER, |&(_, label)| label)
    }

    /// End event of a path at a light source; photons have tags instead.
    pub(super) fn light(&self, source: LightSource) -> LightEnd {
        match source {
            LightSource::Light(LightId(index)) => self.lights[index as usize],
            // Emission that is not a light belongs to no group.
            LightSource::Surface => LightEnd {
                event: Event::end(EventKind::Object),
                group: self.groups.find(None),
            },
            LightSource::Map | LightSource::CausticMap => self.tagged_light(0),
        }
    }
}

/// The expression of a pass.
fn expression(name: &str, text: &str, labels: &mut LabelTable) -> Result<Expression, PlanError> {
    Expression::parse(text, labels).map_err(|error| PlanError::Expression { name: name.to_owned(), error })
}

/// Returns an error if no light is in the group.
fn check_group(name: &str, group: &str, names: &SceneNames) -> Result<(), PlanError> {
    let known = || names.lights.iter().filter_map(|light| light.group.as_deref());
    if known().any(|other| other == group) {
        return Ok(());
    }
    let mut known: Vec<String> = known().map(str::to_owned).collect();
    known.sort();
    known.dedup();
    Err(PlanError::NoGroup { name: name.to_owned(), group: group.to_owned(), known })
}

fn objects(set: &PassSet, names: &SceneNames, labels: &LabelTable) -> Vec<Object> {
    let object = |name: &ShapeName| Object {
        label: labels.get(&name.object),
        ids: set.kinds().iter().map(|&kind| crypto_id(name.of(kind))).collect(),
        catcher: name.catcher,
    };
    names.shapes.iter().map(object).collect()
}

fn lights(scene: &Scene, names: &SceneNames, labels: &LabelTable, groups: &LightGroups) -> Vec<LightEnd> {
    let event = |light: &Light, name: &LightName| Event {
        kind: match light {
            Light::Environment(_) | Light::Portals(_) => EventKind::Background,
            Light::Moving(light) if matches!(light.light(), Light::Environment(_) | Light::Portals(_)) => {
                EventKind::Background
            }
            _ => EventKind::Light,
        },
        scattering: Scattering::None,
        closure: labels.get(&name.name),
        object: labels.get(name.group.as_deref().unwrap_or(renderer_passes::NO_GROUP)),
    };
    let end = |(light, name): (&Light, &LightName)| LightEnd {
        event: event(light, name),
        group: groups.find(name.group.as_deref()),
    };
    scene.lights().iter().zip(&names.lights).map(end).collect()
}

/// Photon tags of the lights, and the end event of each tag; no tags if passes do not distinguish lights. Lights beyond
/// [`MAX_LIGHT_TAGS`] share the last tag.
fn tags(lights: &[LightEnd]) -> (Vec<u8>, Vec<LightEnd>) {
    let mut ends: Vec<LightEnd> = vec![];
    let mut tag = |light: &LightEnd| {
        let known = ends.iter().position(|end| end == light);
        known.unwrap_or_else(|| {
            if ends.len() < MAX_LIGHT_TAGS {
                ends.push(*light);
            }
            ends.len() - 1
        }) as u8
    };
    let tags: Vec<u8> = lights.iter().map(&mut tag).collect();
    match ends.len() {
        0 | 1 => (vec![], ends),
        _ => (tags, ends),
    }
}

fn manifest(kind: CryptoKind, names: &SceneNames) -> Vec<String> {
    let mut list: Vec<String> = names.shapes.iter().map(|name| name.of(kind).to_owned()).collect();
    list.sort();
    list.dedup();
    list
}

impl ShapeName {
    fn of(&self, kind: CryptoKind) -> &str {
        match kind {
            CryptoKind::Object => &self.object,
            CryptoKind::Material => &self.material,
            CryptoKind::Asset => &self.asset,
        }
    }
}
