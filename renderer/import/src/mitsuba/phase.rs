//! Translation of `phase` objects.

use shading::syntax::ast::{BinaryOp, Expr};

use super::color::Use;
use super::document::ObjectId;
use super::phase_table::{PhaseTable, TableFit};
use super::translator::Translator;
use super::volume::{Outside, VolumeValue};
use crate::call::Call;
use crate::scene_value::number;

const PHASES: &[&str] = &["isotropic", "hg", "rayleigh", "blendphase", "tabphase"];

/// Share that a lobe may have without a warning when another stands in for it.
const NEGLIGIBLE_WEIGHT: f64 = 1e-3;

/// A phase function: lobes of Henyey and Greenstein's and the function of gases.
pub(super) enum Phase {
    /// A constant mixture.
    Mixture(Mixture),
    /// Two functions, and the share of the second by a lookup.
    Blend([PureLobe; 2], Expr),
}

/// Lobes by share and mean cosine, and the share of gases.
#[derive(Clone, Copy)]
pub(super) struct Mixture {
    lobes: [(f64, f64); 2],
    air: f64,
}

/// A phase function that is not mixed.
#[derive(Clone, Copy)]
pub(super) enum PureLobe {
    HenyeyGreenstein(f64),
    Rayleigh,
}

impl Mixture {
    fn henyey_greenstein(g: f64) -> Mixture {
        Mixture { lobes: [(1.0, g), (0.0, 0.0)], air: 0.0 }
    }

    const RAYLEIGH: Mixture = Mixture { lobes: [(1.0, 0.0), (0.0, 0.0)], air: 1.0 };

    fn pure(&self) -> Option<PureLobe> {
        if self.air == 1.0 {
            Some(PureLobe::Rayleigh)
        } else if self.air == 0.0 && self.lobes[0].0 == 1.0 {
            Some(PureLobe::HenyeyGreenstein(self.lobes[0].1))
        } else {
            None
        }
    }

    /// Mixture of lobes; returns the share of those that another has to stand in for.
    fn of(mut lobes: Vec<(f64, f64)>, air: f64) -> (Mixture, f64) {
        lobes.retain(|lobe| lobe.0 > 0.0);
        lobes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut lost = 0.0;
        while lobes.len() > 2
            && let Some(last) = lobes.pop()
            && let Some(before) = lobes.last_mut()
        {
            let weight = before.0 + last.0;
            lost += last.0;
            *before = (weight, (before.0 * before.1 + last.0 * last.1) / weight);
        }
        let solid: f64 = lobes.iter().map(|lobe| lobe.0).sum();
        let lobe = |index: usize| lobes.get(index).map_or((0.0, 0.0), |&(weight, g)| (weight / solid, g));
        let lobes = [lobe(0), lobe(1)];
        (Mixture { lobes, air }, lost)
    }

    /// Mixture with a share of another, and the share of lobes that others stand in for.
    fn blended(&self, other: &Mixture, share: f64) -> (Mixture, f64) {
        let part = |of: &Mixture, share: f64| {
            let solid = share * (1.0 - of.air);
            of.lobes.map(|(lobe, g)| (solid * lobe, g))
        };
        let mut lobes: Vec<(f64, f64)> = vec![];
        for (weight, g) in part(self, 1.0 - share).into_iter().chain(part(other, share)) {
            match lobes.iter_mut().find(|lobe| lobe.1 == g) {
                Some(lobe) => lobe.0 += weight,
                None => lobes.push((weight, g)),
            }
        }
        Mixture::of(lobes, (1.0 - share) * self.air + share * other.air)
    }
}

impl Phase {
    /// Light is scattered evenly.
    pub(super) fn even() -> Phase {
        Phase::Mixture(Mixture::henyey_greenstein(0.0))
    }

    /// Adds it to a call of `filled` or `scatterer`.
    pub(super) fn add_to(self, mut call: Call) -> Call {
        match self {
            Phase::Mixture(Mixture { lobes, air }) => {
                let [(_, first), (share, second)] = lobes;
                let arguments =
                    [("anisotropy", first), ("anisotropy_2", second), ("share_2", share), ("air", air)];
                for (name, value) in arguments {
                    if value != 0.0 {
                        call = call.with(name, number(value));
                    }
                }
                call
            }
            Phase::Blend([PureLobe::HenyeyGreenstein(a), PureLobe::HenyeyGreenstein(b)], share) => call
                .with("anisotropy", number(a))
                .with("anisotropy_2", number(b))
                .with("share_2", share),
            Phase::Blend([PureLobe::HenyeyGreenstein(g), PureLobe::Rayleigh], share) => {
                call.with("anisotropy", number(g)).with("air", share)
            }
            Phase::Blend([PureLobe::Rayleigh, PureLobe::HenyeyGreenstein(g)], share) => {
                let air = Expr::binary(BinaryOp::Sub, number(1.0), share);
                call.with("anisotropy", number(g)).with("air", air)
            }
            Phase::Blend([PureLobe::Rayleigh, PureLobe::Rayleigh], _) => call.with("air", number(1.0)),
        }
    }
}

impl Translator<'_> {
    /// Phase function of a medium.
    pub(super) fn phase(&mut self, medium: ObjectId) -> Phase {
        match self.parts(medium, "phase")[..] {
            [phase, ..] => self.any_phase(phase),
            [] => Phase::even(),
        }
    }

    fn any_phase(&mut self, id: ObjectId) -> Phase {
        self.mark_translated(id);
        match self.object(id).plugin.as_str() {
            "isotropic" => Phase::even(),
            "hg" => {
                let g = self.float(id, "g").unwrap_or(0.8);
                if g.abs() >= 1.0 {
                    let place = self.place_of(id, "g");
                    self.error(place, "`g` is to be between -1 and 1");
                }
                Phase::Mixture(Mixture::henyey_greenstein(g))
            }
            "rayleigh" => Phase::Mixture(Mixture::RAYLEIGH),
            // References can be nested as deeply as the file is long.
            "blendphase" => stacker::maybe_grow(64 << 10, 1 << 20, || self.blend_phase(id)),
            "tabphase" => self.table_phase(id),
            _ => {
                self.unknown_plugin(id, PHASES, "; light is scattered evenly");
                Phase::even()
            }
        }
    }

    fn blend_phase(&mut self, id: ObjectId) -> Phase {
        let place = self.object(id).place;
        let share = self.volume(id, "weight", 0.5, Use::Unbounded, Outside::Wrapped);
        let &[first, second] = &self.parts(id, "phase")[..] else {
            self.error(place, "a `blendphase` has two phase functions");
            return Phase::even();
        };
        let (first, second) = (self.any_phase(first), self.any_phase(second));
        let (Phase::Mixture(first), Phase::Mixture(second)) = (first, second) else {
            return self.too_mixed(id);
        };
        match share.map(|share| share.value) {
            Some(VolumeValue::Grid(share)) => match [first.pure(), second.pure()] {
                [Some(a), Some(b)] => Phase::Blend([a, b], share),
                _ => self.too_mixed(id),
            },
            Some(VolumeValue::Constant([share, ..])) => {
                let (mixture, lost) = first.blended(&second, share.clamp(0.0, 1.0));
                if lost > NEGLIGIBLE_WEIGHT {
                    self.missing(
                        place,
                        "Kiln mixes two lobes of `hg` and `rayleigh`: of this one, the least lobe joins another",
                    );
                }
                Phase::Mixture(mixture)
            }
            None => Phase::Mixture(first),
        }
    }

    fn too_mixed(&mut self, id: ObjectId) -> Phase {
        let place = self.object(id).place;
        self.missing(
            place,
            "Kiln mixes two simple phase functions by a grid, and no more: light is scattered evenly",
        );
        Phase::even()
    }

    /// A table, by the mixture that is nearest to it.
    fn table_phase(&mut self, id: ObjectId) -> Phase {
        let place = self.place_of(id, "values");
        let values = renderer_base::spectrum::parse_list(self.text(id, "values").unwrap_or_default());
        let Some(table) = values.ok().and_then(PhaseTable::new) else {
            self.error(
                place,
                "a tabphase has two `values` or more, from backward to forward, none below 0",
            );
            return Phase::even();
        };
        let TableFit { lobes, air, error } = table.fit();
        if error > 0.01 {
            self.missing(
                place,
                format!(
                    "Kiln has no tables of phase functions: a mixture of two lobes and `rayleigh` stands in, which \
                     sends {:.0} % of the light elsewhere",
                    100.0 * error
                ),
            );
        }
        Phase::Mixture(Mixture::of(lobes.to_vec(), air).0)
    }
}
