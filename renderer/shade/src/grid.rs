//! The grid of shading points: a unit square at z = 1 that faces +z, as in OSL's `testshade`.

use shading::{RayKind, ShaderGlobals};

/// Shading points that a shader runs at, in rows.
pub(super) trait PointSet: Sync {
    /// Points of a row.
    fn width(&self) -> usize;

    /// Number of points.
    fn points(&self) -> usize;

    /// A shading point to be placed.
    fn globals(&self) -> ShaderGlobals;

    /// Moves a shading point of this set to a column and row.
    fn place(&self, globals: &mut ShaderGlobals, x: usize, y: usize);
}

/// A grid of points over u and v.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    width: usize,
    height: usize,
    /// Globals that are equal at all points.
    base: ShaderGlobals,
    /// u of each column, v of each row.
    u: Vec<f32>,
    v: Vec<f32>,
    vary: Vary,
}

/// Placement of the points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// In the middle of cells; else the outermost points lie on the border.
    pub(super) center: bool,
    pub(super) scale: [f32; 2],
    pub(super) offset: [f32; 2],
    pub(super) vary: Vary,
    pub(super) ray_kind: RayKind,
}

/// Derivatives that differ from point to point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vary {
    pub(super) p: bool,
    pub(super) u: bool,
    pub(super) v: bool,
}

impl Vary {
    fn any(self) -> bool {
        self.p || self.u || self.v
    }
}

impl Grid {
    pub(super) fn new([width, height]: [u32; 2], placement: &Placement) -> Grid {
        let Placement { center, scale, offset, vary, ray_kind } = *placement;
        let axis = |n: u32, axis: usize| -> Vec<f32> {
            let at = |i: u32| match (center, n) {
                (true, _) => scale[axis] * (i as f32 + 0.5) / n as f32,
                (false, 1) => scale[axis] * 0.5,
                (false, _) => scale[axis] * (i as f32 / (n - 1) as f32),
            };
            (0..n).map(|i| at(i) + offset[axis]).collect()
        };
        // P changes by the distance of the points on the border even where u does not.
        let intervals = [width, height].map(|n| n.saturating_sub(1).max(1));
        let step = |axis: usize| {
            let count = if center { [width, height][axis] } else { intervals[axis] };
            scale[axis] / count as f32
        };
        let base = ShaderGlobals {
            p: [0.0, 0.0, 1.0].into(),
            n: [0.0, 0.0, 1.0].into(),
            ng: [0.0, 0.0, 1.0].into(),
            dpdu: [1.0, 0.0, 0.0].into(),
            dpdv: [0.0, 1.0, 0.0].into(),
            dpdx: [scale[0] / intervals[0] as f32, 0.0, 0.0].into(),
            dpdy: [0.0, scale[1] / intervals[1] as f32, 0.0].into(),
            dudx: step(0),
            dvdy: step(1),
            surface_area: 1.0,
            ray_kind,
            ..ShaderGlobals::default()
        };
        let (u, v) = (axis(width, 0), axis(height, 1));
        Grid {
            width: width as usize,
            height: height as usize,
            base,
            u,
            v,
            vary,
        }
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    #[cold]
    fn vary_derivatives(&self, globals: &mut ShaderGlobals, u: f32, v: f32) {
        if self.vary.u {
            (globals.dudx, globals.dudy) = (1.0 - u, u);
        }
        if self.vary.v {
            (globals.dvdx, globals.dvdy) = (1.0 - v, v);
        }
        if self.vary.p {
            globals.dpdx = [1.0 - u, 1.0 - v, 0.5 * u].into();
            globals.dpdy = [1.0 - v, 1.0 - u, 0.5 * v].into();
        }
    }
}

impl PointSet for Grid {
    fn width(&self) -> usize {
        self.width
    }

    fn points(&self) -> usize {
        self.width * self.height
    }

    fn globals(&self) -> ShaderGlobals {
        self.base
    }

    #[inline]
    fn place(&self, globals: &mut ShaderGlobals, x: usize, y: usize) {
        let (u, v) = (self.u[x], self.v[y]);
        globals.primitive = (y * self.width() + x) as u32;
        globals.u = u;
        globals.v = v;
        globals.p.0[0] = u;
        globals.p.0[1] = v;
        if self.vary.any() {
            self.vary_derivatives(globals, u, v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(size: [u32; 2], center: bool) -> Grid {
        let vary = Vary::default();
        let ray_kind = RayKind::CAMERA;
        Grid::new(size, &Placement { center, scale: [1.0; 2], offset: [0.0; 2], vary, ray_kind })
    }

    fn at(grid: &Grid, x: usize, y: usize) -> ShaderGlobals {
        let mut globals = grid.globals();
        grid.place(&mut globals, x, y);
        globals
    }

    #[test]
    fn corners_lie_on_the_border() {
        let grid = grid([5, 3], false);
        let (first, last) = (at(&grid, 0, 0), at(&grid, 4, 2));
        assert_eq!((first.u, first.v, last.u, last.v), (0.0, 0.0, 1.0, 1.0));
        assert_eq!(at(&grid, 1, 1).p.0, [0.25, 0.5, 1.0, 0.0]);
        assert_eq!((first.dudx, first.dvdy, first.dpdx.0[0]), (0.25, 0.5, 0.25));
    }

    #[test]
    fn centres_lie_in_cells() {
        let grid = grid([4, 2], true);
        let first = at(&grid, 0, 0);
        assert_eq!((first.u, first.v), (0.125, 0.25));
        assert_eq!((first.dudx, first.dvdy, first.dpdx.0[0]), (0.25, 0.5, 1.0 / 3.0));
    }

    #[test]
    fn one_point_is_the_middle() {
        let point = at(&grid([1, 1], false), 0, 0);
        assert_eq!((point.u, point.v, point.dudx), (0.5, 0.5, 1.0));
    }
}
