//! Lobe classes for light path expressions, and values of single lobes for passes.

use glam::Vec3;

use super::{Bsdf, LobePart, Side, Spread, WeightedLobe};
use renderer_base::color::Rgb;
use renderer_scene::LightVisibility;

/// Class of a lobe in light path expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LobeClass {
    /// Side on which the light leaves.
    pub side: Side,
    /// Angular spread: microfacets of any roughness are glossy, other wide lobes diffuse.
    pub spread: Spread,
    /// Hash of the label that the shader gave it; 0 for none.
    pub label: u32,
}

impl LobeClass {
    /// Visibility of lights that the lobe needs.
    pub fn visibility(self) -> LightVisibility {
        match (self.side, self.spread) {
            (Side::Transmission, _) => LightVisibility::TRANSMISSION,
            (Side::Reflection, Spread::Diffuse | Spread::Subsurface) => LightVisibility::DIFFUSE,
            (Side::Reflection, Spread::Glossy | Spread::Specular | Spread::Straight) => {
                LightVisibility::GLOSSY
            }
        }
    }
}

impl Bsdf {
    /// f·|cos θi| of the lobes that receive a light, without delta lobes.
    pub fn eval_visible(&self, wo: Vec3, wi: Vec3, visible_to: LightVisibility) -> Rgb {
        let mut sum = Rgb::BLACK;
        self.each_lobe(
            wo,
            wi,
            |_| true,
            |class, _, f| {
                if visible_to.contains(class.visibility()) {
                    sum += f;
                }
            },
        );
        sum
    }

    /// Share of f that lobes which receive a light have, of the lobes whose class `counts` selects.
    pub fn visible_share(
        &self,
        wo: Vec3,
        wi: Vec3,
        counts: impl Fn(LobePart) -> bool,
        visible_to: LightVisibility,
    ) -> Rgb {
        let (mut visible, mut all) = (Rgb::BLACK, Rgb::BLACK);
        self.each_lobe(wo, wi, counts, |class, _, f| {
            all += f;
            if visible_to.contains(class.visibility()) {
                visible += f;
            }
        });
        visible.ratio(all)
    }

    /// Calls `visit` with f·|cos θi| of every lobe that is not a delta lobe and whose class `counts` selects.
    pub fn each_lobe(
        &self,
        wo: Vec3,
        wi: Vec3,
        counts: impl Fn(LobePart) -> bool,
        mut visit: impl FnMut(LobeClass, LobePart, Rgb),
    ) {
        let sides = self.sides(wo, wi);
        for weighted in self.lobes() {
            let part = weighted.traits.part;
            if !weighted.traits.specular && counts(part) {
                let (f, _) = self.eval_lobe(weighted, wo, wi, sides);
                visit(weighted.class(sides.side), part, f);
            }
        }
    }

    /// Class of the lobe for these directions, if there is only one lobe.
    pub fn only_class(&self, wo: Vec3, wi: Vec3) -> Option<LobeClass> {
        match self.lobes() {
            [only] => Some(only.class(self.sides(wo, wi).side)),
            _ => None,
        }
    }

    /// Calls `visit` with the albedo of every diffuse lobe, as summed by [`Bsdf::diffuse_albedo`].
    pub fn each_diffuse_albedo(&self, wo: Vec3, mut visit: impl FnMut(LobeClass, Rgb)) {
        for l in self.lobes().iter().filter(|l| l.traits.part == LobePart::Diffuse) {
            let side = match l.traits.transmits {
                true => Side::Transmission,
                false => Side::Reflection,
            };
            visit(l.class(side), l.weight * l.lobe.albedo(l.frame.to_local(wo)));
        }
    }

    /// Class of the lobe at `index` when it scatters to this side.
    pub fn class_of(&self, index: u8, side: Side) -> LobeClass {
        self.slots[usize::from(index)].class(side)
    }

    /// Labels the lobe that was added last.
    pub(crate) fn label_last(&mut self, label: u32) {
        if let Some(last) = self.slots[..self.count].last_mut() {
            last.label = label;
        }
    }

    /// Roughness of the lobe of highest selection probability: 0 for a delta lobe, the microfacets' α, or 1.
    pub fn roughness(&self) -> f32 {
        self.strongest_lobe().map_or(0.0, |l| match l.lobe.microfacets() {
            Some(microfacets) if !l.traits.specular => microfacets.mean_alpha().min(1.0),
            _ if l.traits.specular && l.lobe.spread() != Spread::Subsurface => 0.0,
            _ => 1.0,
        })
    }

    /// Unit normal of the lobe of highest selection probability; `None` without scattering lobes.
    pub fn shading_normal(&self) -> Option<Vec3> {
        Some(self.strongest_lobe()?.frame.n)
    }

    fn strongest_lobe(&self) -> Option<&WeightedLobe> {
        self.scattering_lobes().max_by(|a, b| a.probability.total_cmp(&b.probability))
    }

    /// Lobes without straight transmission.
    pub(super) fn scattering_lobes(&self) -> impl Iterator<Item = &WeightedLobe> {
        self.lobes().iter().filter(|l| l.lobe.spread() != Spread::Straight)
    }

    /// Estimated directional albedo for `wo` without straight transmission.
    pub fn scattering_albedo(&self, wo: Vec3) -> Rgb {
        self.scattering_lobes().map(|l| l.weight * self.estimate(l, wo)).sum()
    }

    /// Directional albedo for `wo` without straight transmission, including the losses of rough interfaces.
    pub fn directional_albedo(&self, wo: Vec3) -> Rgb {
        self.scattering_lobes()
            .map(|l| l.weight * l.lobe.albedo(l.frame.to_local(wo)))
            .sum()
    }

    /// Returns whether all lobes except straight transmission are delta lobes, and there is such a lobe.
    pub fn is_mirror_like(&self) -> bool {
        let mirrors = |l: &WeightedLobe| l.lobe.spread() == Spread::Specular;
        !self.scatters && self.lobes().iter().any(mirrors) && !self.has_subsurface()
    }
}

impl WeightedLobe {
    fn class(&self, side: Side) -> LobeClass {
        let spread = match self.traits.part {
            _ if matches!(self.lobe.spread(), Spread::Straight | Spread::Subsurface) => self.lobe.spread(),
            _ if self.traits.specular => Spread::Specular,
            LobePart::Diffuse => Spread::Diffuse,
            LobePart::Rough | LobePart::Narrow => Spread::Glossy,
        };
        LobeClass { side, spread, label: self.label }
    }
}
