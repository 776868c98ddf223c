//! Shading points whose globals come from arrays.

use shading::{RayKind, ShaderGlobals};

use super::grid::PointSet;

/// A global of shading points that an array can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointInput {
    /// `P`, the point.
    P,
    /// `I`, the direction from the viewer.
    I,
    /// `N`, the shading normal; also `Ng` where that is not given.
    N,
    /// `Ng`, the geometric normal.
    Ng,
    /// `dPdu`.
    DPdu,
    /// `dPdv`.
    DPdv,
    /// Differential of `P` to the next pixel in x.
    DPdx,
    /// Differential of `P` to the next pixel in y.
    DPdy,
    /// `u`.
    U,
    /// `v`.
    V,
    /// Differential of `u` in x.
    DUdx,
    /// Differential of `u` in y.
    DUdy,
    /// Differential of `v` in x.
    DVdx,
    /// Differential of `v` in y.
    DVdy,
    /// `time`.
    Time,
}

impl PointInput {
    /// Every input by its name.
    pub const NAMES: [(&'static str, PointInput); 15] = [
        ("P", PointInput::P),
        ("I", PointInput::I),
        ("N", PointInput::N),
        ("Ng", PointInput::Ng),
        ("dPdu", PointInput::DPdu),
        ("dPdv", PointInput::DPdv),
        ("dPdx", PointInput::DPdx),
        ("dPdy", PointInput::DPdy),
        ("u", PointInput::U),
        ("v", PointInput::V),
        ("dudx", PointInput::DUdx),
        ("dudy", PointInput::DUdy),
        ("dvdx", PointInput::DVdx),
        ("dvdy", PointInput::DVdy),
        ("time", PointInput::Time),
    ];

    /// Numbers of a point: three, or one.
    pub fn numbers(self) -> usize {
        use PointInput as Input;
        match self {
            Input::P | Input::I | Input::N | Input::Ng => 3,
            Input::DPdu | Input::DPdv | Input::DPdx | Input::DPdy => 3,
            Input::U | Input::V | Input::Time => 1,
            Input::DUdx | Input::DUdy | Input::DVdx | Input::DVdy => 1,
        }
    }

    /// Stores the numbers of a point.
    #[inline]
    fn store(self, globals: &mut ShaderGlobals, numbers: &[f32]) {
        let triple = || [numbers[0], numbers[1], numbers[2]].into();
        match self {
            PointInput::P => globals.p = triple(),
            PointInput::I => globals.i = triple(),
            PointInput::N => globals.n = triple(),
            PointInput::Ng => globals.ng = triple(),
            PointInput::DPdu => globals.dpdu = triple(),
            PointInput::DPdv => globals.dpdv = triple(),
            PointInput::DPdx => globals.dpdx = triple(),
            PointInput::DPdy => globals.dpdy = triple(),
            PointInput::U => globals.u = numbers[0],
            PointInput::V => globals.v = numbers[0],
            PointInput::DUdx => globals.dudx = numbers[0],
            PointInput::DUdy => globals.dudy = numbers[0],
            PointInput::DVdx => globals.dvdx = numbers[0],
            PointInput::DVdy => globals.dvdy = numbers[0],
            PointInput::Time => globals.time = numbers[0],
        }
    }
}

/// Shading points in a row: each global has one value for all, or one for each.
///
/// Inputs that are not set are those of `kiln shade`: a unit square at z = 1 that faces +z. `P` follows `u` and `v`,
/// and derivatives are zero.
#[derive(Clone, Debug)]
pub struct Points<'a> {
    count: usize,
    base: ShaderGlobals,
    arrays: Vec<(PointInput, &'a [f32])>,
    /// True if `P` is (u, v, 1).
    on_square: bool,
    has_ng: bool,
}

impl<'a> Points<'a> {
    /// `count` points, hit by rays of a kind.
    pub fn new(count: usize, ray_kind: RayKind) -> Points<'a> {
        Points {
            count,
            base: ShaderGlobals {
                p: [0.5, 0.5, 1.0].into(),
                n: [0.0, 0.0, 1.0].into(),
                ng: [0.0, 0.0, 1.0].into(),
                dpdu: [1.0, 0.0, 0.0].into(),
                dpdv: [0.0, 1.0, 0.0].into(),
                u: 0.5,
                v: 0.5,
                surface_area: 1.0,
                ray_kind,
                ..ShaderGlobals::default()
            },
            arrays: vec![],
            on_square: true,
            has_ng: false,
        }
    }

    /// Sets the values of a global: one for all points, or one for each; `None` if their number is wrong.
    #[must_use]
    pub fn with(mut self, input: PointInput, numbers: &'a [f32]) -> Option<Points<'a>> {
        let size = input.numbers();
        self.on_square &= input != PointInput::P;
        self.has_ng |= input == PointInput::Ng;
        if numbers.len() == size {
            input.store(&mut self.base, numbers);
            if input == PointInput::N && !self.has_ng {
                self.base.ng = self.base.n;
            }
        } else if numbers.len() == size * self.count {
            self.arrays.push((input, numbers));
        } else {
            return None;
        }
        Some(self)
    }
}

impl PointSet for Points<'_> {
    fn width(&self) -> usize {
        self.count
    }

    fn points(&self) -> usize {
        self.count
    }

    fn globals(&self) -> ShaderGlobals {
        let mut globals = self.base;
        if self.on_square {
            (globals.p.0[0], globals.p.0[1]) = (globals.u, globals.v);
        }
        globals
    }

    #[inline]
    fn place(&self, globals: &mut ShaderGlobals, x: usize, _: usize) {
        globals.primitive = x as u32;
        for (input, numbers) in &self.arrays {
            let size = input.numbers();
            input.store(globals, &numbers[x * size..][..size]);
            if *input == PointInput::N && !self.has_ng {
                globals.ng = globals.n;
            }
        }
        if self.on_square {
            (globals.p.0[0], globals.p.0[1]) = (globals.u, globals.v);
        }
    }
}
