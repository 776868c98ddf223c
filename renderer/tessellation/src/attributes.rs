//! Values of vertices: texture coordinates, colours, normals and attributes, as columns of numbers.

use glam::{Vec2, Vec3};

use renderer_geometry::{AttributeDomain, Mesh, MeshAttribute};

/// Weights of values at a point of a surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttributeBasis {
    pub(crate) indices: Vec<u32>,
    pub(crate) weights: Vec<f32>,
}

impl AttributeBasis {
    /// The value of a column.
    pub(crate) fn value(&self, column: &[f32]) -> f32 {
        self.indices
            .iter()
            .zip(&self.weights)
            .map(|(&index, weight)| column[index as usize] * weight)
            .sum()
    }
}

/// Columns of the vertex values of a mesh: normals if `has_normals`, both sets of texture coordinates, colours, attributes.
pub(crate) fn columns(mesh: &Mesh, has_normals: bool) -> Vec<Vec<f32>> {
    let mut columns = vec![];
    let normals: &[Vec3] = if has_normals { &mesh.normals } else { &[] };
    add(&mut columns, normals.iter().map(Vec3::to_array));
    for uvs in [&mesh.uvs, &mesh.uvs2] {
        add(&mut columns, uvs.iter().map(Vec2::to_array));
    }
    add(&mut columns, mesh.colors.iter().copied());
    for attribute in of_vertices(mesh) {
        let width = attribute.width;
        columns.extend((0..width).map(|i| attribute.values.iter().skip(i).step_by(width).copied().collect()));
    }
    columns
}

fn add<const N: usize>(columns: &mut Vec<Vec<f32>>, values: impl Iterator<Item = [f32; N]> + Clone) {
    if values.clone().next().is_some() {
        columns.extend((0..N).map(|i| values.clone().map(|value| value[i]).collect::<Vec<f32>>()));
    }
}

fn of_vertices(mesh: &Mesh) -> impl Iterator<Item = &MeshAttribute> {
    mesh.attributes
        .iter()
        .filter(|attribute| attribute.domain == AttributeDomain::Vertex)
}

/// Sets the values of a mesh from columns that [`columns`] has for `source`, and from the triangle of `source` in which each
/// triangle is.
pub(crate) fn set_values(mesh: &mut Mesh, source: &Mesh, mut columns: Vec<Vec<f32>>, triangles: &[u32]) {
    columns.reverse();
    let count = mesh.positions.len();
    let mut take = |is_there: bool, width: usize| -> Vec<Vec<f32>> {
        if is_there {
            (0..width).filter_map(|_| columns.pop()).collect()
        } else {
            vec![]
        }
    };
    let pairs = |taken: &[Vec<f32>]| match taken {
        [u, v] => u.iter().zip(v).map(|(&u, &v)| Vec2::new(u, v)).collect(),
        _ => vec![],
    };
    mesh.uvs = pairs(&take(!source.uvs.is_empty(), 2));
    mesh.uvs2 = pairs(&take(!source.uvs2.is_empty(), 2));
    mesh.colors = match &take(!source.colors.is_empty(), 4)[..] {
        [r, g, b, a] => (0..count).map(|i| [r[i], g[i], b[i], a[i]]).collect(),
        _ => vec![],
    };
    for attribute in &source.attributes {
        let values = match attribute.domain {
            AttributeDomain::Vertex => {
                let taken = take(true, attribute.width);
                (0..count).flat_map(|i| taken.iter().map(move |column| column[i])).collect()
            }
            AttributeDomain::Face => {
                let of = |&triangle: &u32| {
                    let first = triangle as usize * attribute.width;
                    &attribute.values[first..first + attribute.width]
                };
                triangles.iter().flat_map(of).copied().collect()
            }
        };
        mesh.attributes.push(MeshAttribute { values, ..attribute.clone() });
    }
}
