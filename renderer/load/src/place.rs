//! Placement of shapes: imported models, declared shapes, and materials by `assign`.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use shading::syntax::ast::{Declaration, ExprKind};
use shading::{Diagnostic, Span};

use super::attributes::{self, read_attributes};
use super::builder::{Builder, import_name};
use super::catcher::{CATCHER, catcher};
use super::field::{Given, Range};
use super::import::{ImportKind, has_parts, imported_file};
use super::light_links::{LinkBlock, shared};
use super::material::read_definition;
use super::motion::{MOTION, motion, placed};
use super::resolve::PendingInstance;
use super::shape::{MeshFile, ShapeDeclaration, ShapeSource};
use super::shape_block::MeshEdits;
use super::strands::of_model;
use super::table::{DeclarationPart, Key, body_of, read_block, set, takes_only};
use super::tessellation::{TessellatedBlock, TessellationBlock};
use super::vertex_keys::{VertexSource, only_mesh, velocities};
use renderer_geometry::ObjectAttributes;
use renderer_import::{Model, ModelStrands, StrandKind};
use renderer_scene::{
    CameraDesc, Catcher, Deformation, GeometryDesc, LightDesc, LightKind, LightLinks, MaterialDesc,
    MaterialId, Motion, ShapeDesc, SpotSlide, TessellationDesc, VertexKeys, VertexVelocities,
};

/// Values of an import's block.
pub(super) struct ImportBlock {
    transform: Affine3A,
    motion: Option<Motion>,
    cameras: bool,
    lights: bool,
    attributes: ObjectAttributes,
    catcher: Option<Catcher>,
    tessellation: TessellationBlock,
    /// Radius of lines and points [m].
    radius: Option<f32>,
    links: LightLinks,
}

impl LinkBlock for ImportBlock {
    fn links(&mut self) -> &mut LightLinks {
        &mut self.links
    }
}

impl TessellatedBlock for ImportBlock {
    fn tessellation(&mut self) -> &mut TessellationBlock {
        &mut self.tessellation
    }
}

/// Keys of `import "FILE" as NAME { … }` of a model.
pub(super) const IMPORT: &[Key<ImportBlock>] = &[
    Key {
        name: "transform",
        doc: "world from the model's world; none by default",
        set: |import, field, context| set(&mut import.transform, field.transform(context)),
    },
    Key {
        name: "motion",
        doc: MOTION,
        set: |import, field, context| import.motion = motion(&field, context),
    },
    Key {
        name: "cameras",
        doc: "`false` ignores the model's cameras",
        set: |import, field, context| set(&mut import.cameras, field.boolean(context)),
    },
    Key {
        name: "lights",
        doc: "`false` ignores the model's lights",
        set: |import, field, context| set(&mut import.lights, field.boolean(context)),
    },
    Key {
        name: "catcher",
        doc: CATCHER,
        set: |import, field, context| import.catcher = catcher(&field, context),
    },
    Key {
        name: "radius",
        doc: "radius of the model's lines and points (m); by default the number `radius` in the extras of the glTF primitive or \
              mesh, without which they are not shown",
        set: |import, field, context| import.radius = field.number(context, Range::Positive),
    },
    attributes::key(),
];

/// Placement of a model's shapes.
struct Placement {
    transform: Affine3A,
    motion: Option<Motion>,
    flip_normals: bool,
    /// Material of all shapes; their own if `None`.
    material: Option<MaterialId>,
    attributes: ObjectAttributes,
    catcher: Option<Catcher>,
    tessellation: Option<Arc<TessellationDesc>>,
    /// Radius of lines and points [m].
    radius: Option<f32>,
    links: Option<Arc<LightLinks>>,
}

impl Placement {
    /// A shape of a model, with the motion and the transform that it has there.
    fn shape(
        &self,
        (name, asset): (&Arc<str>, &Arc<str>),
        span: Span,
        (geometry, material): (GeometryDesc, MaterialId),
        (motion, world_from_object): (Option<&Arc<Motion>>, &Affine3A),
    ) -> ShapeDesc {
        ShapeDesc {
            name: name.clone(),
            span,
            geometry,
            material,
            world_from_object: self.transform * *world_from_object,
            motion: placed(self.motion.as_ref(), &self.transform, (motion, world_from_object)),
            deformation: None,
            tessellation: None,
            flip_normals: self.flip_normals,
            attributes: self.attributes.clone(),
            catcher: self.catcher,
            links: self.links.clone(),
            asset: Some(asset.clone()),
            part: None,
        }
    }
}

impl Builder {
    pub(super) fn read_import(&mut self, declaration: &Declaration) {
        takes_only(
            declaration,
            &[DeclarationPart::Name, DeclarationPart::Alias, DeclarationPart::Body],
            &mut self.context,
        );
        let mut block = ImportBlock {
            transform: Affine3A::IDENTITY,
            motion: None,
            cameras: true,
            lights: true,
            attributes: read_attributes(body_of(declaration), &mut self.context),
            catcher: None,
            tessellation: TessellationBlock::default(),
            radius: None,
            links: LightLinks::default(),
        };
        let tables = &[IMPORT, ImportBlock::SUBDIVISION, ImportBlock::DICING, ImportBlock::LINKS];
        read_block(body_of(declaration), "an import", tables, &mut block, &mut self.context);
        let links = shared(&block.links);
        let Some((name, span)) = imported_file(declaration, &mut self.context) else {
            return;
        };
        let path = self.context.resolve(span, &name);
        let Some(model) = self.models.get(&path) else {
            return;
        };
        let name = import_name(declaration, &path);
        self.add_model(
            &model,
            &name,
            declaration.span,
            &Placement {
                transform: block.transform,
                motion: block.motion.clone(),
                flip_normals: false,
                material: None,
                attributes: block.attributes,
                catcher: block.catcher,
                tessellation: block.tessellation.finish(),
                radius: block.radius,
                links: links.clone(),
            },
        );
        if block.cameras {
            for (camera_name, camera) in &model.cameras {
                let mut camera = *camera;
                let own = (model.camera_motions.get(camera_name), &camera.world_from_camera);
                let motion = placed(block.motion.as_ref(), &block.transform, own);
                camera.world_from_camera = block.transform * camera.world_from_camera;
                self.add_camera(CameraDesc {
                    name: format!("{name}.{camera_name}"),
                    span: declaration.span,
                    camera,
                    shader: None,
                    motion,
                });
            }
        }
        if block.lights && self.keep_model_lights {
            for (light_name, kind) in &model.lights {
                let own = model.light_motions.get(light_name);
                let motion = match own {
                    Some(_) => placed(block.motion.as_ref(), &block.transform, (own, &Affine3A::IDENTITY)),
                    None => block.motion.clone().map(Arc::new),
                };
                let kind = match own {
                    Some(_) => kind.clone(),
                    None => placed_light(kind, &block.transform),
                };
                self.add_light(LightDesc {
                    name: format!("{name}.{light_name}"),
                    span: declaration.span,
                    group: None,
                    kind,
                    motion,
                    links: links.clone(),
                });
            }
        }
    }

    /// Adds a model's shapes, with names prefixed by `name`, and its textures.
    fn add_model(&mut self, model: &Model, name: &str, span: Span, placement: &Placement) {
        let first = self.desc.shapes.len();
        let asset: Arc<str> = name.into();
        for same in model.shapes.chunk_by(|a, b| Arc::ptr_eq(&a.name, &b.name)) {
            let shape = &same[0];
            let material = self.material_of((model, name), shape.material, span, placement);
            let shape_name: Arc<str> = format!("{name}.{}", shape.name).into();
            let first = self.desc.shapes.len();
            self.desc.shapes.extend(same.iter().map(|shape| {
                let surface = (GeometryDesc::Mesh(shape.mesh.clone()), material);
                let pose = (shape.motion.as_ref(), &shape.world_from_object);
                ShapeDesc {
                    deformation: shape.deformation.clone(),
                    tessellation: placement.tessellation.clone(),
                    part: shape.part,
                    ..placement.shape((&shape_name, &asset), span, surface, pose)
                }
            }));
            let shapes = (first..self.desc.shapes.len()).collect();
            self.groups.declare(&shape_name, shapes, span, &mut self.context);
        }
        for same in model.strands.chunk_by(|a, b| Arc::ptr_eq(&a.name, &b.name)) {
            self.add_strands((model, name), same, span, placement);
        }
        self.groups
            .declare(name, (first..self.desc.shapes.len()).collect(), span, &mut self.context);
        for texture in &model.textures {
            if !self.desc.textures.iter().any(|known| known.name == texture.name) {
                self.desc.textures.push(texture.clone());
            }
        }
    }

    /// Material of a model's shape: that of the placement, its own, or the default.
    fn material_of(
        &mut self,
        (model, name): (&Model, &str),
        index: Option<usize>,
        span: Span,
        placement: &Placement,
    ) -> MaterialId {
        let own =
            index.and_then(|index| self.materials.find(&format!("{name}.{}", model.materials[index].name)));
        match placement.material.or(own) {
            Some(material) => material,
            None => self.materials.default_material(span),
        }
    }

    /// Adds lines or points of a model, with each of their transforms.
    fn add_strands(
        &mut self,
        (model, name): (&Model, &str),
        same: &[ModelStrands],
        span: Span,
        placement: &Placement,
    ) {
        let first = &same[0];
        let kind = match first.set.kind {
            StrandKind::Lines => "lines",
            StrandKind::Points => "points",
        };
        let Some(radius) = placement.radius.or(first.set.radius) else {
            let message = format!("`{}`: {kind} are not shown without a radius", first.name);
            let hint = format!("give it to them: `import \"model.glb\" as {name} {{ radius = 0.001; }}`");
            let warning = Diagnostic::warning(message).at(&self.context.sources, span, "").hint(hint);
            self.context.push(warning);
            return;
        };
        let geometry = match of_model(&first.set, radius) {
            Ok(geometry) => geometry,
            Err(error) => {
                self.context
                    .warning(span, format!("`{}`: {kind} are not shown: {error}", first.name));
                return;
            }
        };
        let material = self.material_of((model, name), first.material, span, placement);
        let shape_name: Arc<str> = format!("{name}.{}", first.name).into();
        let start = self.desc.shapes.len();
        let asset: Arc<str> = name.into();
        self.desc.shapes.extend(same.iter().map(|strands| {
            let pose = (strands.motion.as_ref(), &strands.world_from_object);
            placement.shape((&shape_name, &asset), span, (geometry.clone(), material), pose)
        }));
        let shapes = (start..self.desc.shapes.len()).collect();
        self.groups.declare(&shape_name, shapes, span, &mut self.context);
    }

    pub(super) fn add_declared_shape(&mut self, shape: ShapeDeclaration, pending: &mut Vec<PendingInstance>) {
        let ShapeDeclaration { name, span, source, block } = shape;
        let links = shared(&block.links);
        let material = match &block.material {
            None => None,
            // Use the default for an unknown material: the error is reported, and reading continues.
            Some(expr) => Some(match self.materials.of_expr(expr, &name, &mut self.context) {
                Some(material) => material,
                None => self.materials.default_material(span),
            }),
        };
        match source {
            ShapeSource::Geometry(geometry, vertices) => {
                let material = match material {
                    Some(material) => material,
                    None => self.materials.default_material(span),
                };
                self.groups
                    .declare(&name, vec![self.desc.shapes.len()], span, &mut self.context);
                let motion = placed(block.motion.as_ref(), &block.transform, (None, &Affine3A::IDENTITY));
                let deformation = match vertices {
                    VertexSource::Constant => None,
                    VertexSource::Keys(keys) => Some(Arc::new(keys) as Arc<dyn Deformation>),
                    VertexSource::Velocities(velocities) => Some(self.moved_by(geometry.clone(), velocities)),
                };
                self.desc.shapes.push(ShapeDesc {
                    name: name.into(),
                    span,
                    geometry,
                    material,
                    world_from_object: block.transform,
                    motion,
                    deformation,
                    tessellation: block.tessellation.finish(),
                    flip_normals: block.flip_normals,
                    attributes: block.attributes,
                    catcher: block.catcher,
                    links,
                    asset: None,
                    part: None,
                });
            }
            ShapeSource::File(mesh) => {
                if let Some(model) = self.moving_model(&mesh, &block.transform) {
                    let placement = Placement {
                        transform: block.transform,
                        motion: block.motion,
                        flip_normals: block.flip_normals,
                        material,
                        attributes: block.attributes,
                        catcher: block.catcher,
                        tessellation: block.tessellation.finish(),
                        radius: None,
                        links,
                    };
                    self.add_model(&model, &name, span, &placement);
                }
            }
            ShapeSource::InstanceOf(of) => pending.push(PendingInstance {
                name,
                span,
                of,
                transform: block.transform,
                motion: block.motion,
                flip_normals: block.flip_normals,
                attributes: block.attributes,
                catcher: block.catcher,
                links,
                material,
            }),
        }
    }

    /// Model of a `mesh` shape, with the motion of its vertices.
    fn moving_model(&mut self, mesh: &MeshFile, transform: &Affine3A) -> Option<Arc<Model>> {
        let model = self.model_of_mesh(mesh, transform)?;
        let place = mesh.file.span;
        let deformation: Arc<dyn Deformation> = if !mesh.keys.is_empty() {
            let mut keys = vec![];
            for (time, file) in &mesh.keys {
                let model =
                    self.model_of_mesh(&MeshFile { file: file.clone(), ..mesh.clone() }, transform)?;
                let Some(mesh) = only_mesh(&model) else {
                    let message =
                        format!("`{}` has {} meshes; a key has one", file.value, model.shapes.len());
                    self.context.error(file.span, message);
                    return None;
                };
                keys.push((*time, GeometryDesc::Mesh(mesh)));
            }
            let Some(keys) = VertexKeys::new(keys) else {
                self.context
                    .error(place, "the meshes of the keys differ in their triangles or numbers of vertices");
                return None;
            };
            Arc::new(keys)
        } else if let Some(span) = mesh.velocities {
            let only = only_mesh(&model);
            let Some((mesh, velocities)) =
                only.and_then(|mesh| Some((mesh.clone(), velocities(&mesh.attributes)?)))
            else {
                let error = self
                    .context
                    .error_at(span, format!("`{}` has no velocities of its vertices", mesh.file.value))
                    .hint("they are the properties `vx`, `vy` and `vz` of the vertices of a PLY file with one mesh");
                self.context.push(error);
                return None;
            };
            self.moved_by(GeometryDesc::Mesh(mesh), velocities)
        } else {
            return Some(model);
        };
        let mut model = Model::clone(&model);
        model.shapes[0].deformation = Some(deformation);
        Some(Arc::new(model))
    }

    /// Motion of vertices by their velocities from the frame of the film on.
    fn moved_by(&self, geometry: GeometryDesc, velocities: Vec<Vec3>) -> Arc<dyn Deformation> {
        let shutter = &self.desc.film.shutter;
        Arc::new(VertexVelocities { geometry, velocities, seconds: shutter.frame / shutter.fps })
    }

    /// Part of a mesh file that a `mesh` shape uses.
    fn model_of_mesh(&mut self, mesh: &MeshFile, transform: &Affine3A) -> Option<Arc<Model>> {
        let Given { value: file, span } = &mesh.file;
        let path = self.context.resolve(*span, file);
        if ImportKind::of(&path) != Some(ImportKind::Model) {
            let diagnostic = self
                .context
                .error_at(*span, format!("`{file}` is not a mesh that is read"))
                .hint("meshes are .ply, .obj, .stl, .serialized, .gltf and .glb files");
            self.context.push(diagnostic);
            return None;
        }
        let model = self.models.get(&path)?;
        let part = match &mesh.part {
            Some(part) => Some(part.value as usize),
            None => has_parts(&path).then_some(0),
        };
        if part.is_none() && mesh.edits == MeshEdits::default() {
            return Some(model);
        }
        let count = model.shapes.len();
        let selected = part.map_or(0..count, |part| part..part + 1);
        if selected.end > count {
            let span = mesh.part.as_ref().map_or(*span, |part| part.span);
            let message = format!("`{file}` has no mesh {}: it has {count}, counted from 0", selected.start);
            self.context.error(span, message);
            return None;
        }
        let mut taken = Model {
            shapes: model.shapes[selected.clone()].to_vec(),
            materials: model.materials.clone(),
            textures: model.textures.clone(),
            ..Model::default()
        };
        for (index, shape) in selected.zip(&mut taken.shapes) {
            let place = *transform * shape.world_from_object;
            // Edits are of the mesh at rest.
            shape.deformation = None;
            shape.mesh = self.models.edited(&path, index, &shape.mesh, mesh.edits, &place);
        }
        Some(Arc::new(taken))
    }

    /// Reads `assign NAME = CALL;`, which gives another surface to a material, or another material to a shape.
    pub(super) fn assign(&mut self, declaration: &Declaration) {
        takes_only(
            declaration,
            &[DeclarationPart::Name, DeclarationPart::Value, DeclarationPart::Body],
            &mut self.context,
        );
        let Some(target) = &declaration.target else {
            self.context.error(declaration.span, "`assign` says no material or shape");
            return;
        };
        let name = target.joined();
        let Some(mut material) = read_definition(declaration, name.clone(), &mut self.context) else {
            return;
        };
        // In `assign x = y;`, if y is a material, x gets its surface.
        if let ExprKind::Name(other) = &material.surface.kind
            && let Some(other) = self.materials.find(other)
        {
            let other = &self.materials.list[other.0 as usize];
            material = MaterialDesc { name: material.name, ..other.clone() };
        }
        if let Some(id) = self.materials.find(&name) {
            self.materials.list[id.0 as usize] = material;
        } else if let Some(shapes) = self.groups.find(&name) {
            let id = self.materials.add(material);
            for &shape in shapes {
                self.desc.shapes[shape].material = id;
            }
        } else {
            let mut names: Vec<&str> = self.materials.names().chain(self.groups.names()).collect();
            names.sort_unstable();
            names.dedup();
            let diagnostic = self
                .context
                .error_at(target.span, format!("there is no material or shape `{name}`"))
                .nearest(&name, names.iter().copied())
                .hint(format!("there are: {}", names.join(", ")));
            self.context.push(diagnostic);
        }
    }
}

fn placed_light(kind: &LightKind, transform: &Affine3A) -> LightKind {
    let mut placed = kind.clone();
    match &mut placed {
        LightKind::Environment { .. } | LightKind::Background { .. } | LightKind::Sky { .. } => {}
        LightKind::Point { position, .. } => *position = transform.transform_point3(*position),
        LightKind::Spot { position, direction, slide, .. } => {
            *position = transform.transform_point3(*position);
            *direction = transform.transform_vector3(*direction).normalize_or(*direction);
            if let Some(SpotSlide { up, .. }) = slide {
                *up = transform.transform_vector3(*up);
            }
        }
        LightKind::Luminaire { world_from_light, .. } | LightKind::Projector { world_from_light, .. } => {
            *world_from_light = *transform * *world_from_light;
        }
        LightKind::DirectionalArea { world_from_sheet, .. } => {
            *world_from_sheet = *transform * *world_from_sheet;
        }
        LightKind::Directional { direction, .. } => {
            *direction = transform.transform_vector3(*direction).normalize_or(*direction);
        }
    }
    placed
}
