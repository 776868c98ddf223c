//! Displacement shaders: they move the points of a surface before it is rendered.

use std::sync::Arc;

use glam::Vec3;
use shading::runtime::globals::Triple;
use shading::{ShaderGlobals, ShaderInstance, ShadingContext};

use super::cached_shading::RUNS;
use renderer_geometry::ShapeId;

/// Vertex of a triangle in world space, with the edges to the other vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DisplacedVertex {
    pub(crate) shape: ShapeId,
    pub(crate) triangle: u32,
    pub(crate) p: Vec3,
    pub(crate) n: Vec3,
    /// Texture coordinates.
    pub(crate) uv: [f32; 2],
    /// The two edges, which are the derivatives of the position: texture filters have the size of triangles.
    pub(crate) edges: [Vec3; 2],
    /// Changes of the texture coordinates along the edges.
    pub(crate) uv_edges: [[f32; 2]; 2],
}

/// A compiled displacement shader.
#[derive(Clone, Debug)]
pub(crate) struct DisplacementShader {
    instance: Arc<ShaderInstance>,
    output: usize,
}

impl DisplacementShader {
    /// Name of the output: the displaced point.
    pub(crate) const OUTPUT: &str = "P";

    /// Displacement shader of an instance; `None` if it has no output for the point.
    pub(crate) fn new(instance: Arc<ShaderInstance>) -> Option<DisplacementShader> {
        let output = instance.output_index(DisplacementShader::OUTPUT)?;
        Some(DisplacementShader { instance, output })
    }

    /// The displaced point in world space.
    pub(crate) fn displaced(&self, vertex: &DisplacedVertex, context: &mut ShadingContext) -> Vec3 {
        self.instance.run(&globals(vertex), context).expect(RUNS);
        let mut point = [0.0; 3];
        self.instance.output_numbers(self.output, context, &mut point).expect(RUNS);
        Vec3::from_array(point)
    }
}

fn globals(vertex: &DisplacedVertex) -> ShaderGlobals {
    let [dpdx, dpdy] = vertex.edges;
    let [[dudx, dvdx], [dudy, dvdy]] = vertex.uv_edges;
    let determinant = dudx * dvdy - dvdx * dudy;
    let (dpdu, dpdv) = match determinant == 0.0 {
        true => (dpdx, dpdy),
        false => (
            (dpdx * dvdy - dpdy * dvdx) / determinant,
            (dpdy * dudx - dpdx * dudy) / determinant,
        ),
    };
    let triple = |v: Vec3| Triple([v.x, v.y, v.z, 0.0]);
    ShaderGlobals {
        p: triple(vertex.p),
        i: triple(-vertex.n),
        n: triple(vertex.n),
        ng: triple(vertex.n),
        dpdx: triple(dpdx),
        dpdy: triple(dpdy),
        dpdu: triple(dpdu),
        dpdv: triple(dpdv),
        u: vertex.uv[0],
        v: vertex.uv[1],
        dudx,
        dvdx,
        dudy,
        dvdy,
        object: vertex.shape.0,
        primitive: vertex.triangle,
        ..ShaderGlobals::default()
    }
}
