//! Dicing: the triangles of cells.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::attributes::{columns, set_values};
use crate::cells::{Cells, Dicing};
use crate::line::SIDE;
use crate::numbering::Numbering;
use crate::patch::{Cell, Location, Side};
use crate::strip::triangulate;
use crate::{Diced, Scheme, Surface, TessellationError};
use renderer_geometry::Mesh;

/// Cell with its grid and the numbers of its vertices and triangles.
#[derive(Clone, Copy)]
struct Grid {
    cell: Cell,
    /// Number of edges along x and y. A strip without vertices inside has 1 along y, or else along x.
    edges: [u32; 2],
    /// First vertex inside.
    first: u32,
    /// Number of triangles.
    triangles: u32,
}

impl Grid {
    fn inner_count(&self) -> u32 {
        (self.edges[0] - 1) * (self.edges[1] - 1)
    }

    /// Vertex inside, at 1 ≤ x < edges[0], 1 ≤ y < edges[1].
    fn inner(&self, x: u32, y: u32) -> u32 {
        self.first + (y - 1) * (self.edges[0] - 1) + x - 1
    }

    fn location(&self, index: u32) -> Location {
        let width = self.edges[0] - 1;
        let at = |origin: u32, step: u32, edges: u32| {
            (origin as f32 + self.cell.size as f32 * (step + 1) as f32 / edges as f32) / SIDE as f32
        };
        Location {
            patch: self.cell.patch,
            st: Vec2::new(
                at(self.cell.x, index % width, self.edges[0]),
                at(self.cell.y, index / width, self.edges[1]),
            ),
        }
    }
}

impl Surface {
    /// Divides the surface of a mesh.
    ///
    /// # Errors
    /// If the triangles do not fit into memory.
    pub fn cells(&self, mesh: &Mesh, dicing: Dicing<'_>) -> Result<Cells, TessellationError> {
        let patches = self.patches();
        let controls = self.controls(mesh);
        Cells::new(&patches, dicing, |at| self.point(&patches, &controls, at).p)
    }

    /// The triangles of the surface. `mesh` has the positions and values of the vertices: that of which the surface is
    /// made, or one with the same polygons.
    ///
    /// # Errors
    /// If a point of the surface is not finite.
    pub fn dice(&self, mesh: &Mesh, cells: &Cells) -> Result<Diced, TessellationError> {
        let patches = self.patches();
        let controls = self.controls(mesh);
        let numbering = Numbering::new(&self.borders, &patches, cells);
        let grids = grids(cells, &numbering, &patches);

        let inside = grids
            .par_iter()
            .flat_map_iter(|grid| (0..grid.inner_count()).map(|i| grid.location(i)));
        let mut locations = numbering.locations.clone();
        locations.par_extend(inside);
        let triangles: Vec<[u32; 3]> =
            grids.par_iter().flat_map_iter(|grid| triangles(grid, &numbering)).collect();
        let faces = |grid: &Grid| {
            let face = patches.list[grid.cell.patch as usize].face;
            std::iter::repeat_n(self.cage.triangles[face as usize], grid.triangles as usize)
        };
        let sources: Vec<u32> = grids.par_iter().flat_map_iter(faces).collect();

        let (positions, normals): (Vec<Vec3>, Vec<Vec3>) = locations
            .par_iter()
            .map(|&at| {
                let point = self.point(&patches, &controls, at);
                (point.p, point.dpds.cross(point.dpdt).normalize_or_zero())
            })
            .unzip();
        let has_normals = self.scheme == Scheme::Polygons && !mesh.normals.is_empty();
        let refined = self.refined_columns(columns(mesh, has_normals));
        let mut values: Vec<Vec<f32>> = refined.iter().map(|_| vec![0.0; locations.len()]).collect();
        if !values.is_empty() {
            let rows: Vec<Vec<f32>> = locations
                .par_iter()
                .map(|&at| {
                    let basis = self.attribute_basis(&patches, at);
                    refined.iter().map(|column| basis.value(column)).collect()
                })
                .collect();
            for (row, numbers) in rows.into_iter().enumerate() {
                for (column, number) in values.iter_mut().zip(numbers) {
                    column[row] = number;
                }
            }
        }
        let mut diced = Mesh { positions, triangles, normals, ..Mesh::default() };
        if has_normals {
            let rest = values.split_off(3);
            let normal = |i: usize| Vec3::new(values[0][i], values[1][i], values[2][i]).normalize_or_zero();
            diced.normals = (0..diced.positions.len()).map(normal).collect();
            values = rest;
        }
        set_values(&mut diced, mesh, values, &sources);
        for duplicate in &numbering.duplicates {
            diced.positions[duplicate.vertex as usize] = diced.positions[duplicate.point as usize];
        }
        let mesh = diced.validate().map_err(|error| TessellationError::Mesh(error.to_string()))?;
        Ok(Diced { mesh, sources, duplicates: numbering.duplicates })
    }
}

/// Grids of cells, with the numbers of their vertices after those on lines.
fn grids(cells: &Cells, numbering: &Numbering<'_>, patches: &crate::patch::Patches<'_>) -> Vec<Grid> {
    let mut first = numbering.locations.len() as u32;
    let grid = |&cell: &Cell| {
        let [bottom, right, top, left] = cells.edges_of(patches, cell);
        let sides = Side::ALL.map(|side| numbering.edges(cell, side));
        let [along_bottom, along_right, along_top, along_left] = sides;
        let [x, y] = [bottom.max(top), right.max(left)];
        let is_row = y == 1 && along_right == 1 && along_left == 1;
        let is_column = x == 1 && along_bottom == 1 && along_top == 1;
        let (edges, triangles) = match (is_row, is_column) {
            (true, _) => ([x, 1], along_bottom + along_top),
            (false, true) => ([1, y.max(2)], along_right + along_left),
            (false, false) => {
                let edges = [x.max(2), y.max(2)];
                let [inner_x, inner_y] = edges.map(|edges| edges - 2);
                let ring = sides.iter().sum::<u32>() + 2 * (inner_x + inner_y);
                (edges, ring + 2 * inner_x * inner_y)
            }
        };
        let grid = Grid { cell, edges, first, triangles };
        first += grid.inner_count();
        grid
    };
    cells.list.iter().map(grid).collect()
}

fn triangles(grid: &Grid, numbering: &Numbering<'_>) -> Vec<[u32; 3]> {
    let mut list = Vec::with_capacity(grid.triangles as usize);
    let mut add = |triangle| list.push(triangle);
    let [bottom, right, top, left] = Side::ALL.map(|side| numbering.chain(grid.cell, side));
    let [width, height] = grid.edges;
    if height == 1 || width == 1 {
        let (right, left) = if height == 1 { (bottom, top) } else { (right, left) };
        triangulate((&right.vertices, &right.along), (&left.vertices, &left.along), &mut add);
        return list;
    }
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let [a, b] = [grid.inner(x, y), grid.inner(x + 1, y)];
            let [d, c] = [grid.inner(x, y + 1), grid.inner(x + 1, y + 1)];
            add([a, b, c]);
            add([a, c, d]);
        }
    }
    // Counter-clockwise, so that the inside is on the left.
    let row = |y: u32| {
        (1..width)
            .map(|x| (grid.inner(x, y), x as f32 / width as f32))
            .collect::<Vec<_>>()
    };
    let column = |x: u32| {
        (1..height)
            .map(|y| (grid.inner(x, y), y as f32 / height as f32))
            .collect::<Vec<_>>()
    };
    let backwards = |mut chain: Vec<(u32, f32)>| {
        chain.reverse();
        chain.iter_mut().for_each(|(_, along)| *along = 1.0 - *along);
        chain
    };
    let sides = [
        (bottom, row(1)),
        (right, column(width - 1)),
        (top.reversed(), backwards(row(height - 1))),
        (left.reversed(), backwards(column(1))),
    ];
    for (outer, inner) in sides {
        let (inner, along): (Vec<u32>, Vec<f32>) = inner.into_iter().unzip();
        triangulate((&outer.vertices, &outer.along), (&inner, &along), &mut add);
    }
    list
}
