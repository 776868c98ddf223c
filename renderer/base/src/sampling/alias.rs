//! Alias tables: discrete sampling in constant time.

/// A table that samples an index with given probabilities in constant time.
///
/// A choice uses up bits of its random number. After a choice among a million entries, 33 of 53 bits remain for the
/// alias and further choices; an `f32` would keep four.
// Vose 1991, "A Linear Algorithm for Generating Random Numbers with a Given Distribution".
#[derive(Clone, Debug)]
pub struct AliasTable {
    bins: Vec<Bin>,
}

#[derive(Clone, Copy, Debug)]
struct Bin {
    /// Share of the bin that is its own entry's; the rest is the alias's.
    own: f32,
    alias: u32,
    /// Probability of the bin's own entry.
    probability: f32,
}

/// Sample of an [`AliasTable`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AliasSample {
    /// Sampled index.
    pub index: usize,
    /// Probability of the index.
    pub probability: f32,
    /// Remapped random number, in `[0,1)` and independent of the choice.
    pub u: f64,
}

impl AliasTable {
    /// Builds a table in proportion to `weights`; negative and non-finite ones count as zero. It is uniform if all are zero.
    ///
    /// # Panics
    /// When there are no weights, or more than 2³².
    pub fn new(weights: &[f32]) -> AliasTable {
        assert!(
            !weights.is_empty() && weights.len() <= u32::MAX as usize,
            "an alias table needs entries"
        );
        let n = weights.len();
        let usable = |w: f32| if w.is_finite() { f64::from(w.max(0.0)) } else { 0.0 };
        let total: f64 = weights.iter().map(|&w| usable(w)).sum();
        let share = |w: f32| {
            if total > 0.0 { usable(w) / total } else { 1.0 / n as f64 }
        };

        // Each round fills one bin that has too little with the excess of one that has too much.
        let mut level: Vec<f64> = weights.iter().map(|&w| share(w) * n as f64).collect();
        let mut bins: Vec<Bin> = (0..n)
            .map(|i| Bin {
                own: 1.0,
                alias: i as u32,
                probability: share(weights[i]) as f32,
            })
            .collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| level[i] < 1.0);
        while let (Some(s), Some(&l)) = (small.pop(), large.last()) {
            bins[s].own = level[s] as f32;
            bins[s].alias = l as u32;
            level[l] -= 1.0 - level[s];
            if level[l] < 1.0 {
                large.pop();
                small.push(l);
            }
        }
        // Bins left over are full but for rounding, except one of weight zero, which must stay impossible.
        let fallback = (0..n).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
        for bin in bins.iter_mut().filter(|b| b.own == 1.0 && b.probability == 0.0) {
            bin.own = 0.0;
            bin.alias = fallback as u32;
        }
        AliasTable { bins }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.bins.len()
    }

    /// `false`: a table has at least one entry.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Samples an index by `u` in `[0,1)`.
    #[inline]
    pub fn sample(&self, u: f64) -> AliasSample {
        const LAST: f64 = 1.0 - f64::EPSILON / 2.0;
        let scaled = u * self.bins.len() as f64;
        let bin = (scaled as usize).min(self.bins.len() - 1);
        let within = (scaled - bin as f64).clamp(0.0, LAST);
        let Bin { own, alias, .. } = self.bins[bin];
        let own = f64::from(own);
        let (index, u) = if within < own {
            (bin, within / own)
        } else {
            (alias as usize, (within - own) / (1.0 - own))
        };
        AliasSample { index, probability: self.probability(index), u: u.min(LAST) }
    }

    /// Probability of the entry `index`.
    #[inline]
    pub fn probability(&self, index: usize) -> f32 {
        self.bins[index].probability
    }
}
