//! glTF animations: tracks of the transforms and morph weights of nodes. They are read from the JSON text, since the `gltf`
//! crate does not accept KHR_animation_pointer.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use gltf::scene::Transform;
use gltf::{Accessor, Document, Node};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::GltfError;
use super::accessor::vectors;
use super::buffers::Buffers;
use renderer_scene::{Motion, NodeTracks, Track, TrackInterpolation, TrackValue};

/// Animation of a model to play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnimationChoice {
    /// Name. If `None`: the first animation, and each other one that moves only nodes which none before it moves; Blender
    /// writes one for each object.
    pub name: Option<String>,
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
    /// Pointers of channels that are not played.
    pub(super) ignored: Vec<String>,
}

/// Sampler of a channel.
struct Sampler<'a> {
    times: Vec<f64>,
    output: Accessor<'a>,
    interpolation: TrackInterpolation,
}

const UNSOUND: &str = "its times do not ascend, or do not match its values";

impl Animation {
    /// Reads the chosen animation of the JSON text `json`; `None` if it has no animation.
    pub(super) fn read(
        json: &Value,
        document: &Document,
        buffers: &Buffers,
        choice: &AnimationChoice,
    ) -> Result<Option<Animation>, GltfError> {
        let animations = list(json.get("animations"));
        let name = |animation: &Value| animation.get("name").and_then(Value::as_str).map(str::to_owned);
        let chosen: Vec<&Value> = match &choice.name {
            None => independent(animations),
            Some(wanted) => (animations.iter().filter(|animation| name(animation).as_ref() == Some(wanted)))
                .take(1)
                .collect(),
        };
        if let (Some(wanted), true) = (&choice.name, chosen.is_empty()) {
            let known: Vec<String> = animations.iter().filter_map(name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(format!("there is no animation `{wanted}`; there are: {known}"));
        }
        let mut animation = Animation::default();
        for &one in &chosen {
            let samplers = list(one.get("samplers"));
            for (number, channel) in list(one.get("channels")).iter().enumerate() {
                let sampler = index(channel.get("sampler")).and_then(|sampler| samplers.get(sampler));
                let read = Sampler::read(sampler, document, buffers)
                    .and_then(|sampler| animation.add(channel, &sampler, document, buffers));
                read.map_err(|reason| format!("channel {number} of an animation: {reason}"))?;
            }
        }
        Ok((!chosen.is_empty()).then_some(animation))
    }

    fn add(
        &mut self,
        channel: &Value,
        sampler: &Sampler<'_>,
        document: &Document,
        buffers: &Buffers,
    ) -> Result<(), GltfError> {
        let (node, path) = match target(channel) {
            Target::Node { node, path } => (node, path),
            Target::Mesh(mesh) => {
                self.mesh_weights.insert(mesh, sampler.weights(buffers)?);
                return Ok(());
            }
            Target::Other(pointer) => {
                self.ignored.push(pointer.to_owned());
                return Ok(());
            }
            // glTF 2.0, section 5.5: a channel without a node is ignored.
            Target::None => return Ok(()),
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
    /// A property of a node.
    Node {
        node: usize,
        path: &'a str,
    },
    /// The morph weights of a mesh.
    Mesh(usize),
    /// A pointer to something else.
    Other(&'a str),
    None,
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

/// The first animation, and each other one that moves only nodes and meshes which none before it moves.
fn independent(animations: &[Value]) -> Vec<&Value> {
    let mut moved = FxHashSet::default();
    let is_independent = |animation: &&Value| -> bool {
        let channels = list(animation.get("channels")).iter();
        let targets = channels.filter_map(|channel| match target(channel) {
            Target::Node { node, .. } => Some(("node", node)),
            Target::Mesh(mesh) => Some(("mesh", mesh)),
            Target::Other(_) | Target::None => None,
        });
        let targets: FxHashSet<(&str, usize)> = targets.collect();
        let is_new = moved.is_disjoint(&targets);
        if is_new {
            moved.extend(targets);
        }
        is_new
    };
    animations.iter().filter(is_independent).collect()
}

/// Target of a pointer such as `/nodes/3/translation` or `/meshes/3/weights`.
fn target_of_pointer(pointer: &str) -> Target<'_> {
    let parts: Vec<&str> = pointer.split('/').collect();
    let found = match parts[..] {
        ["", "nodes", node, path @ ("translation" | "rotation" | "scale" | "weights")] => {
            node.parse().ok().map(|node| Target::Node { node, path })
        }
        ["", "meshes", mesh, "weights"] => mesh.parse().ok().map(Target::Mesh),
        _ => None,
    };
    found.unwrap_or(Target::Other(pointer))
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
