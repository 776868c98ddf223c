//! Chart parameterisation: as-rigid-as-possible (ARAP) relaxation of the projected triangles.
//!
//! Projection shortens triangles that are steep to the axis; without relaxation they would get fewer texels.
// Liu, Zhang, Xu, Gotsman & Gortler 2008, "A Local/Global Approach to Mesh Parameterization", as rigid as possible; the
// sums of its global step by conjugate gradients.

use glam::{DVec2, Vec2, Vec3};

use super::overlap::overlaps;

/// Maximum number of local and global steps; most charts converge earlier.
const MAX_ROUNDS: usize = 30;
/// Conjugate gradient steps of each global step.
const STEPS: usize = 40;
/// Movement of corners at convergence, relative to the chart's extent.
const CONVERGED_MOVEMENT: f64 = 1e-4;
/// Step lengths tried from the projection to the solution.
const STEP_LENGTHS: [f64; 4] = [1.0, 0.75, 0.5, 0.25];
/// Bounds on the weight of an edge: those of slivers are huge, and those of obtuse triangles below zero.
const WEIGHT_BOUNDS: [f64; 2] = [0.02, 20.0];

/// Moves the `places` of a chart's corners towards the edge lengths between `positions`, without flipping or
/// overlapping triangles. The triangles must be free of overlap and have the same orientation at the start.
pub(super) fn relax(triangles: &[[u32; 3]], positions: &[Vec3], places: &mut [Vec2]) {
    let old: Vec<DVec2> = places.iter().map(|p| p.as_dvec2()).collect();
    let shapes: Vec<Shape> = (triangles.iter())
        .filter_map(|corners| Shape::new(*corners, positions, &old))
        .collect();
    if shapes.iter().all(|shape| shape.is_true_to(&old)) {
        return;
    }
    let extent = old.iter().fold(DVec2::NEG_INFINITY, |m, &p| m.max(p))
        - old.iter().fold(DVec2::INFINITY, |m, &p| m.min(p));
    let mut new = old.clone();
    for _ in 0..MAX_ROUNDS {
        let before = new.clone();
        Global::new(&shapes, &new).solve(&mut new);
        let moved = before.iter().zip(&new).map(|(a, b)| a.distance(*b));
        if moved.fold(0.0, f64::max) < CONVERGED_MOVEMENT * extent.max_element() {
            break;
        }
    }
    // Borders may overlap: then only a part of the step applies.
    for part in STEP_LENGTHS {
        let between: Vec<DVec2> = old.iter().zip(&new).map(|(a, b)| a.lerp(*b, part)).collect();
        let flat: Vec<Vec2> = between.iter().map(|p| p.as_vec2()).collect();
        let lies = |corners: &[u32; 3]| corners.map(|corner| flat[corner as usize]);
        let upright = shapes.iter().all(|shape| shape.area2(&between) > 0.0);
        if upright && overlaps(&triangles.iter().map(lies).collect::<Vec<_>>(), 1).is_empty() {
            places.copy_from_slice(&flat);
            return;
        }
    }
}

/// A triangle in its true shape.
struct Shape {
    corners: [usize; 3],
    /// Side vectors from corner to corner, in the triangle's plane, oriented like the chart's triangles.
    sides: [DVec2; 3],
    /// Cotangent weight of each side.
    weights: [f64; 3],
    /// 1, or -1 where the chart's triangles run clockwise.
    sense: f64,
}

impl Shape {
    /// `None` when it has no area.
    fn new(corners: [u32; 3], positions: &[Vec3], places: &[DVec2]) -> Option<Shape> {
        let [a, b, c] = corners.map(|corner| positions[corner as usize].as_dvec3());
        let x = (b - a).try_normalize()?;
        let side = c - a;
        let along = side.dot(x);
        let height = (side - along * x).length();
        if height <= 1e-6 * (b - a).length().max(side.length()) {
            return None;
        }
        let corners = corners.map(|corner| corner as usize);
        let [p, q, r] = corners.map(|corner| places[corner]);
        let sense = (q - p).perp_dot(r - p).signum();
        let flat = [DVec2::ZERO, DVec2::new((b - a).length(), 0.0), DVec2::new(along, sense * height)];
        let sides = [0, 1, 2].map(|i| flat[(i + 1) % 3] - flat[i]);
        let weights = [0, 1, 2].map(|i| {
            let (to, from) = (-sides[(i + 1) % 3], sides[(i + 2) % 3]);
            let cotangent = to.dot(from) / to.perp_dot(from).abs();
            cotangent.clamp(WEIGHT_BOUNDS[0], WEIGHT_BOUNDS[1])
        });
        Some(Shape { corners, sides, weights, sense })
    }

    /// Side vectors in `places`.
    fn sides(&self, places: &[DVec2]) -> [DVec2; 3] {
        [0, 1, 2].map(|i| places[self.corners[(i + 1) % 3]] - places[self.corners[i]])
    }

    /// Twice the area in `places`, negative if flipped.
    fn area2(&self, places: &[DVec2]) -> f64 {
        let sides = self.sides(places);
        self.sense * sides[0].perp_dot(sides[1])
    }

    /// Returns whether the triangle already has its true shape in `places`.
    fn is_true_to(&self, places: &[DVec2]) -> bool {
        let mut sides = self.sides(places).into_iter().zip(self.sides);
        sides.all(|(is, should)| (is.length() - should.length()).abs() < 1e-4 * should.length())
    }

    /// The best-fitting rotation from the true shape to `places`, as a complex number.
    fn turn(&self, places: &[DVec2]) -> Option<DVec2> {
        let sides = self.sides(places).into_iter().zip(self.sides).zip(self.weights);
        let sum: DVec2 = sides
            .map(|((is, should), weight)| weight * DVec2::new(should.dot(is), should.perp_dot(is)))
            .sum();
        sum.try_normalize()
    }
}

/// The linear system of the global step: the weighted Laplacian of the corners equals that of the rotated sides.
struct Global<'a> {
    shapes: &'a [Shape],
    diagonal: Vec<f64>,
    wanted: Vec<DVec2>,
}

impl Global<'_> {
    fn new<'a>(shapes: &'a [Shape], places: &[DVec2]) -> Global<'a> {
        let mut diagonal = vec![0.0; places.len()];
        let mut wanted = vec![DVec2::ZERO; places.len()];
        for shape in shapes {
            let turn = shape.turn(places).unwrap_or(DVec2::X);
            for side in 0..3 {
                let (from, to) = (shape.corners[side], shape.corners[(side + 1) % 3]);
                let pull = shape.weights[side] * turn.rotate(shape.sides[side]);
                wanted[from] -= pull;
                wanted[to] += pull;
                diagonal[from] += shape.weights[side];
                diagonal[to] += shape.weights[side];
            }
        }
        Global { shapes, diagonal, wanted }
    }

    fn times(&self, x: &[DVec2]) -> Vec<DVec2> {
        let mut product = vec![DVec2::ZERO; x.len()];
        for shape in self.shapes {
            for side in 0..3 {
                let (from, to) = (shape.corners[side], shape.corners[(side + 1) % 3]);
                let pull = shape.weights[side] * (x[to] - x[from]);
                product[from] -= pull;
                product[to] += pull;
            }
        }
        product
    }

    /// Solves for `places`, keeping the centroid; both axes at once, since they share the matrix.
    fn solve(&self, places: &mut [DVec2]) {
        let product = self.times(places);
        let mut residual: Vec<DVec2> = self.wanted.iter().zip(product).map(|(b, ax)| b - ax).collect();
        let scaled = |residual: &[DVec2]| -> Vec<DVec2> {
            let each = residual.iter().zip(&self.diagonal);
            each.map(|(r, d)| if *d > 0.0 { r / d } else { DVec2::ZERO }).collect()
        };
        let mut direction = scaled(&residual);
        let mut square = dot(&residual, &direction);
        let enough = 1e-8 * square;
        for _ in 0..STEPS {
            if square.x <= enough.x && square.y <= enough.y {
                break;
            }
            let product = self.times(&direction);
            let step = divide(square, dot(&direction, &product));
            for i in 0..places.len() {
                places[i] += step * direction[i];
                residual[i] -= step * product[i];
            }
            let next = scaled(&residual);
            let new_square = dot(&residual, &next);
            let keep = divide(new_square, square);
            for (d, n) in direction.iter_mut().zip(next) {
                *d = n + keep * *d;
            }
            square = new_square;
        }
    }
}

/// By axis.
fn dot(a: &[DVec2], b: &[DVec2]) -> DVec2 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// By axis; zero where there is nothing to divide by.
fn divide(a: DVec2, b: DVec2) -> DVec2 {
    DVec2::select(b.cmpgt(DVec2::ZERO), a / b, DVec2::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid bent by `bend`, seen from above.
    fn grid(bend: impl Fn(Vec2) -> Vec3) -> (Vec<[u32; 3]>, Vec<Vec3>, Vec<Vec2>) {
        const N: u32 = 12;
        let corner = |x: u32, y: u32| y * (N + 1) + x;
        let mut triangles = vec![];
        for y in 0..N {
            for x in 0..N {
                let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        let at = |i: u32| Vec2::new((i % (N + 1)) as f32, (i / (N + 1)) as f32) / N as f32 - 0.5;
        let positions: Vec<Vec3> = (0..(N + 1) * (N + 1)).map(|i| bend(at(i))).collect();
        let places = positions.iter().map(|p| p.truncate()).collect();
        (triangles, positions, places)
    }

    /// Minimum and maximum ratio of an edge's length in the plane to its true length.
    fn stretch(triangles: &[[u32; 3]], positions: &[Vec3], places: &[Vec2]) -> (f32, f32) {
        let edges = triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]);
        let ratio = |(a, b): (u32, u32)| {
            places[a as usize].distance(places[b as usize])
                / positions[a as usize].distance(positions[b as usize])
        };
        edges.map(ratio).fold((f32::MAX, 0.0), |(lo, hi), r| (lo.min(r), hi.max(r)))
    }

    #[test]
    fn what_can_be_unrolled_is() {
        let arc = |p: Vec2| Vec3::new((2.0 * p.x).sin(), 2.0 * p.y, (2.0 * p.x).cos());
        let (triangles, positions, mut places) = grid(arc);
        assert!(stretch(&triangles, &positions, &places).0 < 0.65);
        relax(&triangles, &positions, &mut places);
        let (least, most) = stretch(&triangles, &positions, &places);
        assert!(least > 0.99 && most < 1.01, "{least} to {most}");
    }

    #[test]
    fn a_cap_is_stretched_less() {
        let cap = |p: Vec2| Vec3::new(1.4 * p.x, 1.4 * p.y, 1.0).normalize();
        let (triangles, positions, mut places) = grid(cap);
        let (before, _) = stretch(&triangles, &positions, &places);
        relax(&triangles, &positions, &mut places);
        let (least, most) = stretch(&triangles, &positions, &places);
        assert!(before < 0.75 && least > 0.85 && most < 1.15, "{least} to {most}");
    }

    #[test]
    fn the_flat_stays_put() {
        let (triangles, positions, mut places) = grid(|p| p.extend(0.0));
        let before = places.clone();
        relax(&triangles, &positions, &mut places);
        assert_eq!(places, before);
    }
}
