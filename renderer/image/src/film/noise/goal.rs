//! Goal of adaptive sampling, and the ends of its batches and rounds of samples.

/// Goal of adaptive sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseGoal {
    /// Relative error of the picture: the root of the relative MSE.
    pub error: f64,
    /// Minimum number of samples per pixel; a multiple of four.
    pub min_samples: u64,
    /// Maximum number of samples per pixel.
    pub max_samples: u64,
}

/// Number of batches before the first decision.
const FIRST_BATCHES: u64 = 4;

impl NoiseGoal {
    /// Returns the end of the batch that contains the sample `next`.
    pub(super) fn batch_end(&self, next: u64) -> u64 {
        let end = batch_ends(self.min_samples).find(|&end| end > next);
        end.unwrap_or(u64::MAX).min(self.max_samples)
    }

    /// Returns the start of the batch whose last sample is `next − 1`.
    pub(super) fn batch_start(&self, next: u64) -> u64 {
        let before = batch_ends(self.min_samples).take_while(|&end| end < next);
        before.last().unwrap_or(0)
    }

    /// Iterates over the ends of rounds; the last is the maximum number of samples.
    fn round_ends(&self) -> impl Iterator<Item = u64> {
        let max_samples = self.max_samples;
        let ends = batch_ends(self.min_samples).skip(FIRST_BATCHES as usize - 1);
        ends.take_while(move |&end| end < max_samples).chain([max_samples])
    }

    /// Returns the ends of rounds around a number of samples: the last one `≤ samples` (0 if there is none) and the first
    /// one `≥ samples`. Both are equal at the end of a round.
    pub fn rounds_about(&self, samples: u64) -> (u64, u64) {
        let before = self.round_ends().take_while(|&end| end <= samples).last();
        let after = self.round_ends().find(|&end| end >= samples);
        (before.unwrap_or(0), after.unwrap_or(self.max_samples))
    }

    /// Number of batches until the sample `next`.
    pub(super) fn batches(&self, next: u64) -> u64 {
        batch_ends(self.min_samples).take_while(|&end| end < next).count() as u64 + 1
    }
}

/// Iterates over the ends of batches: the first round has four batches, each later round is one batch.
fn batch_ends(min_samples: u64) -> impl Iterator<Item = u64> {
    let first = (1..=FIRST_BATCHES).map(move |i| i * min_samples / FIRST_BATCHES);
    let rounds = (0..).map(move |k: u32| {
        let whole = min_samples.saturating_mul(1u64.checked_shl(k / 2).unwrap_or(u64::MAX));
        if k.is_multiple_of(2) {
            whole.saturating_add(whole / 2)
        } else {
            whole.saturating_mul(2)
        }
    });
    first.chain(rounds.take(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow() {
        let ends: Vec<u64> = batch_ends(16).take(11).collect();
        assert_eq!(ends, [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192]);
    }

    #[test]
    fn rounds_have_ends() {
        let goal = NoiseGoal { error: 0.1, min_samples: 16, max_samples: 100 };
        for (samples, about) in [
            (1, (0, 16)),
            (12, (0, 16)),
            (16, (16, 16)),
            (50, (48, 64)),
            (99, (96, 100)),
            (100, (100, 100)),
        ] {
            assert_eq!(goal.rounds_about(samples), about, "{samples}");
        }
        let short = NoiseGoal { max_samples: 6, ..goal };
        assert_eq!(short.rounds_about(4), (0, 6));
    }
}
