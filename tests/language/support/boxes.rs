//! Boxes of shading points, random points in them, and comparison of an interpreter run with bounds.

use shading::ShaderGlobals;
use shading::bounds::{Bound, BoundsHost, ClosureBound, ComponentBound, Range, ShadingBox, UnitBounds};
use shading::builtins::Global;
use shading::interp::{Component, Listing, Outcome, Param, Value};
use shading::runtime::globals::Triple;

use crate::generate::Random;

/// Two corners of a box of shading points, without derivatives; other values are equal at both.
pub struct Corners {
    /// A corner.
    pub first: ShaderGlobals,
    /// The opposite corner.
    pub second: ShaderGlobals,
}

impl Corners {
    /// Returns a box with `first` as a corner: some of the globals vary by up to `size`.
    pub fn random(first: &ShaderGlobals, size: f32, random: &mut Random) -> Corners {
        let mut second = *first;
        let mut moved = |x: &mut f32| *x += size * random.float();
        for global in [Global::P, Global::U, Global::V, Global::N, Global::I, Global::Time] {
            let varies = matches!(global, Global::P | Global::U | Global::V);
            if varies || size > 1.0 {
                lanes(&mut second, global).iter_mut().for_each(&mut moved);
            }
        }
        Corners { first: *first, second }
    }

    /// Returns the box.
    pub fn shading_box(&self) -> ShadingBox {
        let (mut first, mut second) = (self.first, self.second);
        let mut shading_box = ShadingBox::unknown();
        for global in Global::ALL {
            let (from, to) = (lanes(&mut first, global), lanes(&mut second, global));
            let range = |lane: usize| Range::point(from[lane]).join(Range::point(to[lane]));
            shading_box = shading_box.with(global, [0, 1, 2].map(|lane| range(lane.min(from.len() - 1))));
        }
        shading_box
    }

    /// Returns a random point of the box, often on its sides.
    pub fn point(&self, random: &mut Random) -> ShaderGlobals {
        let mut point = self.first;
        let mut second = self.second;
        for global in Global::ALL {
            for (x, y) in lanes(&mut point, global).iter_mut().zip(lanes(&mut second, global)) {
                let range = Range::point(*x).join(Range::point(*y));
                let share = (random.float() + 4.0) / 8.0;
                *x = match random.below(6) {
                    0 => *x,
                    1 => *y,
                    _ => match *x + (*y - *x) * share {
                        inside if range.contains(inside) => inside,
                        _ => *x,
                    },
                };
            }
        }
        point
    }
}

/// The floats of a global.
fn lanes(globals: &mut ShaderGlobals, global: Global) -> &mut [f32] {
    fn triple(triple: &mut Triple) -> &mut [f32] {
        &mut triple.0[..3]
    }
    match global {
        Global::P => triple(&mut globals.p),
        Global::I => triple(&mut globals.i),
        Global::N => triple(&mut globals.n),
        Global::Ng => triple(&mut globals.ng),
        Global::U => std::slice::from_mut(&mut globals.u),
        Global::V => std::slice::from_mut(&mut globals.v),
        Global::DPdu => triple(&mut globals.dpdu),
        Global::DPdv => triple(&mut globals.dpdv),
        Global::Ps => triple(&mut globals.ps),
        Global::Time => std::slice::from_mut(&mut globals.time),
        Global::DTime => std::slice::from_mut(&mut globals.dtime),
        Global::DPdtime => triple(&mut globals.dpdtime),
    }
}

/// Bounds of the services of [`crate::generate::TestHost`], except for textures.
pub struct TestBounds {
    /// The shading points.
    pub shading_box: ShadingBox,
}

impl BoundsHost for TestBounds {
    fn matrix(&self, from: &str, to: &str) -> Option<[Range; 16]> {
        let mut m = shading::eval::matrix::diagonal(2.0).map(Range::point);
        m[12] = self.shading_box.ranges(Global::U)[0];
        ([from, to].contains(&"object") && [from, to].contains(&"world")).then_some(m)
    }

    fn attribute(&self, object: &str, name: &str) -> Option<Option<[Range; 4]>> {
        let length = object.len() as f32;
        let [v, ..] = self.shading_box.ranges(Global::V);
        Some(match name {
            "wear" => Some([v, Range::point(length), Range::point(3.0), Range::point(4.0)]),
            "tint" => Some([0.25, 0.5, 0.75, 1.0].map(Range::point)),
            _ => None,
        })
    }
}

/// Describes the first result of a run that is outside its bounds.
pub fn outside(bounds: &UnitBounds, outcome: &Outcome) -> Option<String> {
    if !outcome.finished && !bounds.may_abort {
        return Some("the run was aborted".to_owned());
    }
    for (name, value) in &outcome.outputs {
        let Some(bound) = bounds.output(name) else {
            return Some(format!("{name} has no bounds"));
        };
        let is_inside = match (value, bound) {
            (Value::Plain(value), _) => bound.contains(value),
            (Value::Closure(root), Bound::Closure(bound)) => {
                let listing = outcome.closures.list(*root);
                listing.truncated || has_sum(bound, &listing, 0)
            }
            (Value::Closures(roots), Bound::Array(list)) => roots.iter().zip(list).all(|(root, bound)| {
                let listing = outcome.closures.list(*root);
                matches!(bound, Bound::Closure(bound) if listing.truncated || has_sum(bound, &listing, 0))
            }),
            _ => false,
        };
        if !is_inside {
            return Some(format!("{name}: {value:?} is not in {bound:?}"));
        }
    }
    None
}

/// Returns whether a list of a listing is within the bounds of a sum.
fn has_sum(bound: &ClosureBound, listing: &Listing, list: usize) -> bool {
    match bound.components() {
        None => true,
        Some(bounds) => has_components(&bounds.iter().collect::<Vec<_>>(), &listing.lists[list], listing),
    }
}

/// Returns whether each component has bounds of its own, and the other bounds are optional.
fn has_components(bounds: &[&ComponentBound], components: &[Component], listing: &Listing) -> bool {
    let Some((first, rest)) = components.split_first() else {
        return bounds.iter().all(|bound| bound.is_optional);
    };
    (0..bounds.len()).any(|at| {
        let mut others = bounds.to_vec();
        has_component(others.remove(at), first, listing) && has_components(&others, rest, listing)
    })
}

fn has_component(bound: &ComponentBound, component: &Component, listing: &Listing) -> bool {
    let param = |(bound, param): (&Bound, &Param)| match (bound, param) {
        (Bound::Closure(bound), Param::Closure(list)) => has_sum(bound, listing, *list),
        (bound, Param::Value(value)) => bound.contains(value),
        _ => false,
    };
    bound.id == component.id
        && bound.weight.iter().zip(component.weight).all(|(range, x)| range.contains(x))
        && bound.params.iter().zip(&component.params).all(param)
}
