//! Geometry: meshes of triangles and quadrilaterals, curves, points. Each element is read once; references place it again.

use glam::{DMat4, Vec2, Vec3};
use shading::syntax::ast::{Declaration, Expr, ExprKind};

use super::reader::{Element, Geometry, Reader};
use crate::scene_value::transform;
use renderer_base::math::Bounds;
use renderer_geometry::Mesh;

/// Memory of a shape, also in the scene that is made of it [bytes].
const SHAPE: usize = 2048;

/// Memory of a point with its radius and normal as expressions [bytes].
const POINT: usize = 7 * size_of::<Expr>();

impl<'a> Reader<'a> {
    /// Places the geometry of an element.
    pub(super) fn geometry(&mut self, element: Element<'a>, world: &DMat4) {
        if !self.geometries.contains_key(&element.id()) {
            let geometry = self.read_geometry(element);
            self.geometries.insert(element.id(), geometry);
        }
        let Some(Some(geometry)) = self.geometries.get(&element.id()) else {
            return;
        };
        let allocated = self.budget.allocate("shapes", 1, SHAPE + POINT * geometry.points);
        if let Err(excess) = allocated {
            self.visited = usize::MAX;
            return self.error(element, excess.to_string());
        }
        let mut shape = geometry.shape.clone();
        let corners = geometry.bounds.corners();
        let corners = corners.map(|corner| world.transform_point3(corner.as_dvec3()).as_vec3());
        self.bounds = self.bounds.union(Bounds::of_points(corners));
        let name = element.attribute("id").unwrap_or("shape");
        shape.target = self.named("shape", element, name).target;
        if *world != DMat4::IDENTITY {
            shape.set("transform", transform(world));
        }
        self.declare(shape, element);
    }

    fn read_geometry(&mut self, element: Element<'a>) -> Option<Geometry> {
        let kind = |name: &str| element.attribute(name).unwrap_or_default();
        let mut geometry = match element.tag_name().name() {
            "TriangleMesh" => self.mesh(element, "triangles", 3)?,
            "QuadMesh" => self.mesh(element, "indices", 4)?,
            "Hair" | "BezierHair" => self.curves(element, "bezier", "flat")?,
            "BezierCurves" => self.curves(element, "bezier", "round")?,
            "BSplineHair" => self.curves(element, "bspline", "flat")?,
            "BSplineCurves" => self.curves(element, "bspline", "round")?,
            "LineSegments" => self.curves(element, "linear", "flat")?,
            "RoundLineSegments" => self.curves(element, "linear", "round")?,
            "Curves" => self.curves(element, kind("basis"), kind("type"))?,
            "Points" => self.points(element, kind("type"))?,
            name => {
                self.missing(element, &format!("<{name}>"));
                return None;
            }
        };
        for animated in element
            .children()
            .filter(|child| child.tag_name().name().starts_with("animated_"))
        {
            self.missing(animated, "the motion of vertices");
        }
        if let Some(material) = self.material_of(element) {
            geometry.shape.set("material", Expr::string(material));
        }
        Some(geometry)
    }

    fn mesh(&mut self, element: Element<'a>, faces: &str, corners: usize) -> Option<Geometry> {
        let positions = self.positions(element, 3)?;
        let normals = vectors(&self.floats(element, "normals", 3)?, 3);
        let uvs = self.floats(element, "texcoords", 2)?;
        let faces = self.indices(element, faces, corners)?;
        let triangles = faces.chunks(corners).flat_map(|face| match *face {
            // The third and fourth corner of a triangle are the same.
            [a, b, c, d] if c != d => vec![[a, b, d], [c, d, b]],
            [a, b, c, ..] => vec![[a, b, c]],
            _ => vec![],
        });
        let uvs = uvs.as_chunks().0.iter().map(|uv| Vec2::from_array(*uv)).collect();
        let positions = vectors(&positions, 3);
        let bounds = Bounds::of_points(positions.iter().copied());
        let mesh = Mesh {
            positions,
            normals,
            uvs,
            triangles: triangles.collect(),
            ..Mesh::default()
        };
        let mesh = mesh
            .validate()
            .inspect_err(|error| self.error(element, error.to_string()))
            .ok()?;
        let file = self.mesh_file(mesh, element.attribute("id").unwrap_or("mesh"));
        let mut shape = Declaration::new("shape").of_kind("mesh");
        shape.set("file", Expr::string(file));
        Some(Geometry { shape, bounds, points: 0 })
    }

    /// Adds a mesh and returns its name in the scene.
    pub(super) fn mesh_file(&mut self, mesh: Mesh, name: &str) -> String {
        let folder = self.options.folder.as_deref().unwrap_or("meshes");
        let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let file = format!("{folder}/{name}_{}.ply", self.meshes.len());
        self.meshes.push((file.clone(), mesh));
        file
    }

    fn curves(&mut self, element: Element<'a>, basis: &str, style: &str) -> Option<Geometry> {
        // Points of a segment, and from one segment to the next of the same curve.
        let (points, step) = match basis {
            "linear" => (2, 1),
            "bezier" => (4, 3),
            "bspline" | "catmull_rom" => (4, 1),
            _ => {
                self.missing(element, &format!("the basis `{basis}` of curves"));
                return None;
            }
        };
        let is_old = element.tag_name().name().starts_with("Bezier") || element.tag_name().name() == "Hair";
        let indices = self.indices(element, "indices", if is_old { 2 } else { 1 })?;
        let firsts: Vec<u32> = indices.into_iter().step_by(if is_old { 2 } else { 1 }).collect();
        let vertices = self.positions(element, 4)?;
        let normals = self.floats(element, "normals", 3)?;
        let (mut order, mut counts) = (vec![], vec![]);
        for (segment, &first) in firsts.iter().enumerate() {
            let follows = segment > 0 && first.checked_sub(firsts[segment - 1]) == Some(step);
            let new = if follows { points - step..points } else { 0..points };
            let count = new.len() as u32;
            order.extend(new.map(|point| first as usize + point as usize));
            match counts.last_mut() {
                Some(last) if follows => *last += count,
                _ => counts.push(count),
            }
        }
        let style = match style {
            "round" | "surface" => "round",
            "normal_oriented" => "flat",
            _ => "ribbon",
        };
        let mut geometry = self.strands(element, "curves", (&vertices, &normals), &order)?;
        let shape = &mut geometry.shape;
        shape.set("counts", list(counts.into_iter().map(|count| i64::from(count).into())));
        shape.set("basis", Expr::name(basis));
        shape.set("style", Expr::name(style));
        shape.set("pinned", false);
        Some(geometry)
    }

    fn points(&mut self, element: Element<'a>, style: &str) -> Option<Geometry> {
        let vertices = self.positions(element, 4)?;
        let normals = self.floats(element, "normals", 3)?;
        let order: Vec<usize> = (0..vertices.len() / 4).collect();
        let mut geometry = self.strands(element, "points", (&vertices, &normals), &order)?;
        let style = match style {
            "sphere" | "disc" => style,
            _ => "oriented_disc",
        };
        geometry.shape.set("style", Expr::name(style));
        Some(geometry)
    }

    /// Positions, also the first ones of a mesh that moves.
    fn positions(&mut self, element: Element<'a>, width: usize) -> Option<Vec<f32>> {
        let animated = element.children().find(|child| child.tag_name().name() == "animated_positions");
        self.floats(animated.unwrap_or(element), "positions", width)
    }

    /// Curves or points with positions, radii and normals, in an order of the vertices.
    fn strands(
        &mut self,
        element: Element<'a>,
        kind: &str,
        (vertices, normals): (&[f32], &[f32]),
        order: &[usize],
    ) -> Option<Geometry> {
        let (vertices, _) = vertices.as_chunks::<4>();
        let allocated = self.budget.allocate("curves and points", order.len(), POINT);
        if order.iter().any(|&point| point >= vertices.len()) || order.is_empty() || allocated.is_err() {
            let reason = match allocated {
                Err(excess) => excess.to_string(),
                Ok(()) if order.is_empty() => "there are no curves or points".to_owned(),
                Ok(()) => format!("an index is beyond the {} positions", vertices.len()),
            };
            self.error(element, reason);
            return None;
        }
        let mut shape = Declaration::new("shape").of_kind(kind);
        let points = || order.iter().map(|&point| vertices[point]);
        shape.set("points", list(points().flat_map(|[x, y, z, _]| [x, y, z]).map(Expr::from)));
        shape.set("radius", list(points().map(|[.., radius]| radius.into())));
        if let (normals, true) = (normals.as_chunks::<3>().0, normals.len() == 3 * vertices.len()) {
            shape.set("normals", list(order.iter().flat_map(|&point| normals[point]).map(Expr::from)));
        }
        let padded = points().flat_map(|[x, y, z, radius]| {
            let (center, radius) = (Vec3::new(x, y, z), Vec3::splat(radius));
            [center - radius, center + radius]
        });
        Some(Geometry {
            shape,
            bounds: Bounds::of_points(padded),
            points: order.len(),
        })
    }
}

/// The first three numbers of each vector.
fn vectors(numbers: &[f32], width: usize) -> Vec<Vec3> {
    numbers.chunks_exact(width).map(Vec3::from_slice).collect()
}

/// A tuple; a single value stands for itself.
fn list(values: impl Iterator<Item = Expr>) -> Expr {
    let mut values: Vec<Expr> = values.collect();
    match values.pop() {
        Some(only) if values.is_empty() => only,
        last => ExprKind::Tuple(values.into_iter().chain(last).collect()).into(),
    }
}
