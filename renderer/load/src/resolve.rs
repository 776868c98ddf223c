//! Resolution of shape names, and of instances.

use std::sync::Arc;

use glam::Affine3A;
use rustc_hash::FxHashMap;
use shading::Span;

use super::context::LoadContext;
use super::field::Given;
use super::motion::placed;
use renderer_geometry::ObjectAttributes;
use renderer_scene::{Catcher, LightLinks, MaterialId, Motion, ShapeDesc};

/// Instance before resolution; its original may be declared later.
pub(super) struct PendingInstance {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) of: Given<String>,
    pub(super) transform: Affine3A,
    pub(super) motion: Option<Motion>,
    pub(super) flip_normals: bool,
    pub(super) attributes: ObjectAttributes,
    pub(super) catcher: Option<Catcher>,
    pub(super) links: Option<Arc<LightLinks>>,
    pub(super) material: Option<MaterialId>,
}

/// Shapes by the names of shapes and imports: one shape, or all shapes of a model.
#[derive(Default)]
pub(super) struct Groups {
    by_name: FxHashMap<String, (Vec<usize>, Span)>,
}

impl Groups {
    pub(super) fn declare(&mut self, name: &str, shapes: Vec<usize>, span: Span, context: &mut LoadContext) {
        if let Some((_, first)) = self.by_name.get(name) {
            // An equal span belongs to a model with one shape that has the model's name.
            if *first != span {
                let diagnostic = context
                    .error_at(span, format!("there are two shapes or imports `{name}`"))
                    .at(&context.sources, *first, "the other");
                context.push(diagnostic);
            }
            return;
        }
        self.by_name.insert(name.to_owned(), (shapes, span));
    }

    /// Finds the shapes of a name.
    pub(super) fn find(&self, name: &str) -> Option<&[usize]> {
        self.by_name.get(name).map(|(shapes, _)| shapes.as_slice())
    }

    /// Returns all names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Adds the shapes of all instances. An instance may refer to another instance, declared before or after it.
    pub(super) fn place_instances(
        &mut self,
        pending: Vec<PendingInstance>,
        shapes: &mut Vec<ShapeDesc>,
        context: &mut LoadContext,
    ) {
        let mut rest = pending;
        loop {
            let before = rest.len();
            let mut later = vec![];
            for instance in rest {
                match self.find(&instance.of.value) {
                    Some(originals) => {
                        let originals = originals.to_vec();
                        self.place(instance, &originals, shapes, context);
                    }
                    None => later.push(instance),
                }
            }
            rest = later;
            if rest.is_empty() || rest.len() == before {
                break;
            }
        }
        for instance in &rest {
            self.report_missing(instance, &rest, context);
        }
    }

    fn place(
        &mut self,
        instance: PendingInstance,
        originals: &[usize],
        shapes: &mut Vec<ShapeDesc>,
        context: &mut LoadContext,
    ) {
        let first = shapes.len();
        // Name of the previous original, name of its copies, and index of the first copy with that name.
        let mut named: Option<(Arc<str>, Arc<str>, usize)> = None;
        for &original in originals {
            let original = &shapes[original];
            let name = match &named {
                Some((known, name, _)) if Arc::ptr_eq(known, &original.name) => name.clone(),
                _ => {
                    let name: Arc<str> = match original.name.strip_prefix(instance.of.value.as_str()) {
                        Some(rest) => format!("{}{rest}", instance.name).into(),
                        None => format!("{}.{}", instance.name, original.name).into(),
                    };
                    let last = named.replace((original.name.clone(), name.clone(), shapes.len()));
                    self.declare_copies(last, shapes.len(), instance.span, context);
                    name
                }
            };
            let copy = ShapeDesc {
                name,
                span: instance.span,
                geometry: original.geometry.clone(),
                material: instance.material.unwrap_or(original.material),
                world_from_object: instance.transform * original.world_from_object,
                motion: placed(
                    instance.motion.as_ref(),
                    &instance.transform,
                    (original.motion.as_ref(), &original.world_from_object),
                ),
                deformation: original.deformation.clone(),
                tessellation: original.tessellation.clone(),
                flip_normals: original.flip_normals != instance.flip_normals,
                attributes: instance.attributes.or(&original.attributes),
                catcher: instance.catcher.or(original.catcher),
                links: instance.links.clone().or_else(|| original.links.clone()),
                asset: original.asset.as_ref().map(|_| instance.name.as_str().into()),
                part: original.part,
            };
            shapes.push(copy);
        }
        self.declare_copies(named, shapes.len(), instance.span, context);
        self.declare(&instance.name, (first..shapes.len()).collect(), instance.span, context);
    }

    /// Declares the name of copies, which are the last shapes up to `end`.
    fn declare_copies(
        &mut self,
        named: Option<(Arc<str>, Arc<str>, usize)>,
        end: usize,
        span: Span,
        context: &mut LoadContext,
    ) {
        if let Some((_, name, first)) = named {
            self.declare(&name, (first..end).collect(), span, context);
        }
    }

    fn report_missing(
        &self,
        instance: &PendingInstance,
        rest: &[PendingInstance],
        context: &mut LoadContext,
    ) {
        let of = &instance.of.value;
        let diagnostic = if rest.iter().any(|other| other.name == *of) {
            context.error_at(
                instance.of.span,
                format!("`{}` is an instance of itself, by way of `{of}`", instance.name),
            )
        } else {
            let mut names: Vec<&str> = self.names().collect();
            names.sort_unstable();
            context
                .error_at(instance.of.span, format!("there is no shape or import `{of}`"))
                .nearest(of, names)
        };
        context.push(diagnostic);
    }
}
