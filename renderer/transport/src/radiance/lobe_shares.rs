//! Shares of lobes in a contribution.

use arrayvec::ArrayVec;

use crate::bsdf::LobeClass;
use renderer_base::color::Rgb;

/// The most lobes times tags of a contribution; beyond, others get their light.
const MAX_SHARES: usize = 64;

/// What each lobe scattered of a contribution, before it is known how much that is in all; light from photon maps has the
/// tag of its lights.
#[derive(Clone, Debug, Default)]
pub struct LobeShares(ArrayVec<(LobeClass, u8, Rgb), MAX_SHARES>);

impl LobeShares {
    /// Adds what a lobe scattered; lobes that are alike to expressions are joined.
    #[inline]
    pub fn add(&mut self, class: LobeClass, light: Rgb) {
        self.add_tagged(class, 0, light);
    }

    /// Adds what a lobe scattered of the light of a tag.
    #[inline]
    pub fn add_tagged(&mut self, class: LobeClass, tag: u8, light: Rgb) {
        if light.is_black() {
            return;
        }
        match self
            .0
            .iter_mut()
            .find(|(known, of, _)| (*known, *of) == (class, tag))
        {
            Some((.., sum)) => *sum += light,
            None => {
                // Shares are of the sum of what is kept: nothing is lost.
                let _ = self.0.try_push((class, tag, light));
            }
        }
    }

    /// Forgets all lobes.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The lobes and tags with their shares of the whole, which add up to 1 in each channel that has any.
    pub fn shares(&self) -> impl Iterator<Item = (LobeClass, u8, Rgb)> + '_ {
        let total: Rgb = self.0.iter().map(|&(.., light)| light).sum();
        let total = total.to_array();
        let is_one = self.0.len() == 1;
        self.0.iter().map(move |&(class, tag, light)| {
            if is_one {
                return (class, tag, Rgb::WHITE);
            }
            let light = light.to_array();
            let share = |c: usize| if total[c] > 0.0 { light[c] / total[c] } else { 0.0 };
            (class, tag, Rgb::from([share(0), share(1), share(2)]))
        })
    }
}
