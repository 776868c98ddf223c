//! Shares of lobes in a contribution.

use arrayvec::ArrayVec;

use crate::bsdf::LobeClass;
use renderer_base::color::Rgb;

/// Maximum number of pairs of lobe class and tag in a contribution; the light of further pairs is distributed over
/// these.
const MAX_SHARES: usize = 64;

/// Contributions of the lobes, not normalised; light from photon maps has the tag of its lights.
#[derive(Clone, Debug, Default)]
pub struct LobeShares(ArrayVec<(LobeClass, u8, Rgb), MAX_SHARES>);

impl LobeShares {
    /// Adds the contribution of a lobe; lobes of one class are merged.
    #[inline]
    pub fn add(&mut self, class: LobeClass, light: Rgb) {
        self.add_tagged(class, 0, light);
    }

    /// Adds the contribution of a lobe for light with this tag.
    #[inline]
    pub fn add_tagged(&mut self, class: LobeClass, tag: u8, light: Rgb) {
        if light.is_black() {
            return;
        }
        match self.0.iter_mut().find(|(known, of, _)| (*known, *of) == (class, tag)) {
            Some((.., sum)) => *sum += light,
            None => {
                // Shares refer to the sum of the stored contributions, so no light is lost.
                let _ = self.0.try_push((class, tag, light));
            }
        }
    }

    /// Forgets all lobes.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Lobe classes and tags with their shares, which add up to 1 in each nonzero channel.
    pub fn shares(&self) -> impl Iterator<Item = (LobeClass, u8, Rgb)> + '_ {
        let total: Rgb = self.0.iter().map(|&(.., light)| light).sum();
        let is_one = self.0.len() == 1;
        self.0.iter().map(move |&(class, tag, light)| match is_one {
            true => (class, tag, Rgb::WHITE),
            false => (class, tag, light.ratio(total)),
        })
    }
}
