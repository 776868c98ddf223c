//! glTF animations: tracks of the transforms and morph weights of nodes, and values of other properties at a time. They are
//! read from the JSON text, since the `gltf` crate does not accept KHR_animation_pointer.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use gltf::scene::Transform;
use gltf::{Accessor, Document, Node};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::GltfError;
use super::accessor::{components, vectors};
use super::buffers::Buffers;
use super::pointer::{self, PropertyType};
use renderer_scene::{Motion, NodeTracks, Track, TrackInterpolation, TrackValue};

/// Animation of a model to play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnimationChoice {
    /// Name. If `None`: the first animation, and each other one that changes only objects which none before it changes;
    /// Blender writes one for each object.
    pub name: Option<String>,
}

/// An animation that is played, and the time of the values that are constant over a frame.
#[derive(Clone, Copy, Debug)]
pub struct Playback<'a> {
    /// The animation.
    pub animation: &'a AnimationChoice,
    /// Time of the frame [s].
    pub seconds: f64,
}

/// Tracks of an animation.
#[derive(Debug, Default)]
pub(super) struct Animation {
    /// Transforms by node index.
    nodes: FxHashMap<usize, NodeTracks>,
    /// Morph weights by node index: a track for each target.
    weights: FxHashMap<usize, Vec<Track<f64>>>,
    /// Morph weights by mesh index, of nodes without weights.
    mesh_weights: FxHashMap<usize, Vec<Track<f64>>>,
    /// True if it has changed values of the document.
    pub(super) changes_values: bool,
    /// Warnings of channels that are not played.
    pub(super) warnings: Vec<String>,
}

/// Sampler of a channel.
struct Sampler<'a> {
    times: Vec<f64>,
    output: Accessor<'a>,
    interpolation: TrackInterpolation,
}

const UNSOUND: &str = "its times do not ascend or do not match its values, or a value is not finite";

impl Animation {
    /// Reads the chosen animation of the JSON text `json`; `None` if it has no animation. Writes the values of properties at
    /// the time into `json`.
    pub(super) fn read(
        json: &mut Value,
        document: &Document,
        buffers: &Buffers,
        playback: Playback<'_>,
    ) -> Result<Option<Animation>, GltfError> {
        let animations = json.get_mut("animations").map(Value::take).unwrap_or_default();
        let chosen = chosen(list(Some(&animations)), playback.animation)?;
        let mut animation = Animation::default();
        for &one in &chosen {
            let samplers = list(one.get("samplers"));
            for (number, channel) in list(one.get("channels")).iter().enumerate() {
                let sampler = index(channel.get("sampler")).and_then(|sampler| samplers.get(sampler));
                let read =
                    Sampler::read(sampler, document, buffers).and_then(|sampler| match target(channel) {
                        Target::Property { pointer, kind } => {
                            let value = sampler.value(buffers, kind, playback.seconds)?;
                            animation.set(json, pointer, value);
                            Ok(())
                        }
                        target => animation.add(target, &sampler, document, buffers),
                    });
                read.map_err(|reason| format!("channel {number} of an animation: {reason}"))?;
            }
        }
        Ok((!chosen.is_empty()).then_some(animation))
    }

    /// Writes the value of a property into the document, or reports why it has none.
    fn set(&mut self, json: &mut Value, pointer: &str, value: Result<Value, String>) {
        match value.and_then(|value| pointer::write(json, pointer, value)) {
            Ok(()) => self.changes_values = true,
            Err(reason) => self
                .warnings
                .push(format!("the animation of {pointer} is not played: {reason}")),
        }
    }

    fn add(
        &mut self,
        target: Target<'_>,
        sampler: &Sampler<'_>,
        document: &Document,
        buffers: &Buffers,
    ) -> Result<(), GltfError> {
        let (node, path) = match target {
            Target::Node { node, path } => (node, path),
            Target::Mesh(mesh) => {
                self.mesh_weights.insert(mesh, sampler.weights(buffers)?);
                return Ok(());
            }
            Target::Unknown(pointer) => {
                self.warnings.push(format!("the animation of {pointer} is not played"));
                return Ok(());
            }
            // Written into the document. glTF 2.0, section 5.5: a channel without a node is ignored.
            Target::Property { .. } | Target::None => return Ok(()),
        };
        let node = document.nodes().nth(node).ok_or_else(|| format!("there is no node {node}"))?;
        let tracks = self.nodes.entry(node.index());
        match path {
            "translation" => {
                let track = sampler.track(buffers, triple)?;
                tracks.or_insert_with(|| rest(&node)).translation = track;
            }
            "scale" => {
                let track = sampler.track(buffers, triple)?;
                tracks.or_insert_with(|| rest(&node)).scale = track;
            }
            "rotation" => {
                let track = sampler.track(buffers, quaternion)?;
                tracks.or_insert_with(|| rest(&node)).rotation = track;
            }
            "weights" => {
                self.weights.insert(node.index(), sampler.weights(buffers)?);
            }
            _ => return Err(format!("the path `{path}` is unknown")),
        }
        Ok(())
    }

    /// Motion of a node relative to its parent; `None` if it is not animated.
    pub(super) fn motion(&self, node: &Node<'_>) -> Option<Motion> {
        let tracks = self.nodes.get(&node.index())?;
        Some(Motion::node(Arc::new(tracks.clone())))
    }

    /// Morph weights of a node over time; `None` if they are not animated.
    pub(super) fn weights(&self, node: &Node<'_>) -> Option<&[Track<f64>]> {
        // The weights of a node replace those of its mesh.
        let of_mesh = || {
            let mesh = node.mesh().filter(|_| node.weights().is_none())?;
            self.mesh_weights.get(&mesh.index())
        };
        self.weights.get(&node.index()).or_else(of_mesh).map(Vec::as_slice)
    }
}

impl<'a> Sampler<'a> {
    fn read(
        json: Option<&Value>,
        document: &'a Document,
        buffers: &Buffers,
    ) -> Result<Sampler<'a>, GltfError> {
        let json = json.ok_or("it has no sampler")?;
        let accessor = |key: &str| {
            let found = index(json.get(key)).and_then(|index| document.accessors().nth(index));
            found.ok_or_else(|| format!("its sampler has no {key}"))
        };
        let times: Vec<[f32; 1]> = vectors(&accessor("input")?, buffers)?;
        Ok(Sampler {
            times: times.into_iter().map(|[time]| f64::from(time)).collect(),
            output: accessor("output")?,
            interpolation: match json.get("interpolation").and_then(Value::as_str) {
                None | Some("LINEAR") => TrackInterpolation::Linear,
                Some("STEP") => TrackInterpolation::Step,
                Some("CUBICSPLINE") => TrackInterpolation::CubicSpline,
                Some(other) => return Err(format!("the interpolation `{other}` is unknown")),
            },
        })
    }

    fn track<const N: usize, T: TrackValue>(
        &self,
        buffers: &Buffers,
        value: impl Fn([f32; N]) -> T,
    ) -> Result<Track<T>, GltfError> {
        let values: Vec<[f32; N]> = vectors(&self.output, buffers)?;
        let is_finite = values.iter().flatten().all(|x| x.is_finite());
        let values = values.into_iter().map(value).collect();
        let track = Track::new(self.times.clone(), values, self.interpolation);
        track.filter(|_| is_finite).ok_or_else(|| UNSOUND.to_owned())
    }

    /// Value of a property at a time [s]; the reason if the output has another type.
    fn value(
        &self,
        buffers: &Buffers,
        kind: PropertyType,
        seconds: f64,
    ) -> Result<Result<Value, String>, GltfError> {
        let (found, expected) = (components(self.output.dimensions()), kind.components());
        if found != expected {
            return Ok(Err(format!("the values of its keys have {found} components, not {expected}")));
        }
        if kind == PropertyType::Switch && self.interpolation != TrackInterpolation::Step {
            return Ok(Err(
                "the property is true or false, and its interpolation is not STEP".to_owned()
            ));
        }
        let numbers = match expected {
            1 => self.numbers::<1>(buffers, seconds),
            2 => self.numbers::<2>(buffers, seconds),
            3 => self.numbers::<3>(buffers, seconds),
            _ => self.numbers::<4>(buffers, seconds),
        }?;
        Ok(Ok(kind.value(&numbers)))
    }

    fn numbers<const N: usize>(&self, buffers: &Buffers, seconds: f64) -> Result<Vec<f64>, GltfError> {
        let track = self.track(buffers, |values: [f32; N]| values.map(f64::from))?;
        Ok(track.at(seconds).to_vec())
    }

    /// A track for each morph target: the values of all targets follow each other at each time.
    fn weights(&self, buffers: &Buffers) -> Result<Vec<Track<f64>>, GltfError> {
        let values: Vec<[f32; 1]> = vectors(&self.output, buffers)?;
        let is_spline = self.interpolation == TrackInterpolation::CubicSpline;
        let per_key = if is_spline { 3 } else { 1 };
        let rows = self.times.len() * per_key;
        let targets = values.len().checked_div(rows).unwrap_or(0);
        let of_target = |target: usize| {
            let values = (0..rows).map(|row| f64::from(values[row * targets + target][0])).collect();
            let track = Track::new(self.times.clone(), values, self.interpolation);
            track.ok_or_else(|| UNSOUND.to_owned())
        };
        (0..targets).map(of_target).collect()
    }
}

/// Target of a channel.
enum Target<'a> {
    /// Transform or morph weights of a node.
    Node {
        node: usize,
        path: &'a str,
    },
    /// The morph weights of a mesh.
    Mesh(usize),
    /// A property that is constant over a frame.
    Property {
        pointer: &'a str,
        kind: PropertyType,
    },
    /// A pointer to something that is not read.
    Unknown(&'a str),
    None,
}

impl Target<'_> {
    /// Pointer to the animated object, such as `/nodes/3`; `None` if the channel has no effect.
    fn object(&self) -> Option<String> {
        match self {
            Target::Node { node, .. } => Some(format!("/nodes/{node}")),
            Target::Mesh(mesh) => Some(format!("/meshes/{mesh}")),
            Target::Property { pointer, .. } => Some(pointer::object(pointer)),
            Target::Unknown(_) | Target::None => None,
        }
    }
}

fn target(channel: &Value) -> Target<'_> {
    let target = channel.get("target").unwrap_or(&Value::Null);
    let pointer = target
        .get("extensions")
        .and_then(|extensions| extensions.get("KHR_animation_pointer")?.get("pointer")?.as_str());
    match pointer {
        Some(pointer) => target_of_pointer(pointer),
        None => match index(target.get("node")).zip(target.get("path").and_then(Value::as_str)) {
            Some((node, path)) => Target::Node { node, path },
            None => Target::None,
        },
    }
}

/// The animations that are played.
///
/// # Errors
/// If there is no animation of the chosen name.
fn chosen<'a>(animations: &'a [Value], choice: &AnimationChoice) -> Result<Vec<&'a Value>, GltfError> {
    let Some(wanted) = &choice.name else {
        return Ok(independent(animations));
    };
    let name = |animation: &'a Value| animation.get("name").and_then(Value::as_str);
    let found = animations.iter().find(|animation| name(animation) == Some(wanted));
    found.map(|animation| vec![animation]).ok_or_else(|| {
        let known: Vec<&str> = animations.iter().filter_map(name).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        format!("there is no animation `{wanted}`; there are: {known}")
    })
}

/// The first animation, and each other one that changes only objects which none before it changes.
fn independent(animations: &[Value]) -> Vec<&Value> {
    let mut changed = FxHashSet::default();
    let is_independent = |animation: &&Value| -> bool {
        let channels = list(animation.get("channels")).iter();
        let objects: FxHashSet<String> = channels.filter_map(|channel| target(channel).object()).collect();
        let is_new = changed.is_disjoint(&objects);
        if is_new {
            changed.extend(objects);
        }
        is_new
    };
    animations.iter().filter(is_independent).collect()
}

/// Target of a pointer such as `/nodes/3/translation`, `/meshes/3/weights` or `/materials/0/alphaCutoff`.
fn target_of_pointer(pointer: &str) -> Target<'_> {
    let parts: Vec<&str> = pointer.split('/').collect();
    let found = match parts[..] {
        ["", "nodes", node, path @ ("translation" | "rotation" | "scale" | "weights")] => {
            node.parse().ok().map(|node| Target::Node { node, path })
        }
        ["", "meshes", mesh, "weights"] => mesh.parse().ok().map(Target::Mesh),
        _ => PropertyType::of(pointer).map(|kind| Target::Property { pointer, kind }),
    };
    found.unwrap_or(Target::Unknown(pointer))
}

/// Tracks of a node that does not move.
fn rest(node: &Node<'_>) -> NodeTracks {
    let (translation, rotation, scale) = match node.transform() {
        Transform::Decomposed { translation, rotation, scale } => (translation, rotation, scale),
        matrix @ Transform::Matrix { .. } => matrix.decomposed(),
    };
    NodeTracks {
        translation: Track::constant(triple(translation)),
        rotation: Track::constant(unit(quaternion(rotation))),
        scale: Track::constant(triple(scale)),
    }
}

fn triple(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

/// Quaternion, also a tangent of a spline, which has no unit length.
fn quaternion(v: [f32; 4]) -> DQuat {
    DQuat::from_array(v.map(f64::from))
}

fn unit(q: DQuat) -> DQuat {
    if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn index(value: Option<&Value>) -> Option<usize> {
    usize::try_from(value?.as_u64()?).ok()
}
