//! Tables of phase functions, and the mixtures of lobes that are nearest to them.

/// Number of cosines at which functions are compared.
const POINTS: usize = 256;

/// Mean cosines that are tried for the lobes, to either side.
const STEPS: i32 = 16;

/// Rounds in which shares are improved.
const ROUNDS: u32 = 100;

/// A phase function by its values at cosines, from backward to forward.
pub(super) struct PhaseTable {
    /// Densities in the cosine, the mean of which is a half.
    densities: Vec<f64>,
}

/// A mixture of lobes: shares and mean cosines.
pub(super) struct TableFit {
    pub(super) lobes: [(f64, f64); 2],
    /// Share of gases.
    pub(super) air: f64,
    /// Share of the light that goes elsewhere.
    pub(super) error: f64,
}

impl PhaseTable {
    /// A table; `None` if it has fewer than two values, one that is none, or nothing but zeros.
    pub(super) fn new(values: Vec<f64>) -> Option<PhaseTable> {
        let is_valid = values.len() >= 2 && values.iter().all(|value| value.is_finite() && *value >= 0.0);
        if !is_valid {
            return None;
        }
        let last = values.len() - 1;
        let at = |cos: f64| {
            let place = (cos + 1.0) * 0.5 * last as f64;
            let first = (place.floor() as usize).min(last - 1);
            let t = place - first as f64;
            values[first] * (1.0 - t) + values[first + 1] * t
        };
        let densities: Vec<f64> = cosines().map(at).collect();
        let mean = densities.iter().sum::<f64>() / POINTS as f64;
        (mean > 0.0 && mean.is_finite()).then(|| PhaseTable {
            densities: densities.iter().map(|density| 0.5 * density / mean).collect(),
        })
    }

    /// The nearest mixture: of all pairs of mean cosines on a grid that is refined around the best one.
    pub(super) fn fit(&self) -> TableFit {
        let mut best = self.mixture([0.0, 0.0]);
        let (mut center, mut reach) = ([0.0, 0.0], 1.0);
        while reach > 1e-3 {
            for i in -STEPS..=STEPS {
                for k in -STEPS..=STEPS {
                    let at = |center: f64, index: i32| {
                        (center + reach * f64::from(index) / f64::from(STEPS)).clamp(-0.98, 0.98)
                    };
                    let (a, b) = (at(center[0], i), at(center[1], k));
                    if a < b {
                        continue;
                    }
                    let tried = self.mixture([a, b]);
                    if tried.error < best.error {
                        best = tried;
                    }
                }
            }
            center = best.lobes.map(|lobe| lobe.1);
            reach /= 8.0;
        }
        best
    }

    /// The mixture of lobes with these mean cosines and of the function of gases that is nearest in the square.
    fn mixture(&self, g: [f64; 2]) -> TableFit {
        let parts = [lobe(g[0]), lobe(g[1]), cosines().map(rayleigh).collect()];
        let products = parts.each_ref().map(|a| parts.each_ref().map(|b| dot(a, b)));
        let targets = parts.each_ref().map(|part| dot(part, &self.densities));
        let mut shares = [1.0 / 3.0; 3];
        // Shares that are not negative, one after the other.
        for _ in 0..ROUNDS {
            for index in 0..3 {
                let product = dot(&products[index], &shares) - products[index][index] * shares[index];
                shares[index] = ((targets[index] - product) / products[index][index]).max(0.0);
            }
        }
        let sum: f64 = shares.iter().sum();
        let shares = shares.map(|share| if sum > 0.0 { share / sum } else { 1.0 / 3.0 });
        let mixed = |point: usize| (0..3).map(|part| shares[part] * parts[part][point]).sum::<f64>();
        let differences = self.densities.iter().enumerate();
        let error =
            differences.map(|(point, density)| (density - mixed(point)).abs()).sum::<f64>() / POINTS as f64;
        TableFit {
            lobes: [(shares[0], g[0]), (shares[1], g[1])],
            air: shares[2],
            error,
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Middles of equal parts of all cosines.
fn cosines() -> impl Iterator<Item = f64> {
    (0..POINTS).map(|index| (2.0 * index as f64 + 1.0) / POINTS as f64 - 1.0)
}

/// Means of Henyey and Greenstein's density in the cosine over equal parts.
fn lobe(g: f64) -> Vec<f64> {
    let half = 1.0 / POINTS as f64;
    let below = |cos: f64| {
        if g.abs() < 1e-3 {
            return 0.5 * cos;
        }
        (1.0 - g * g) / (2.0 * g) / (1.0 + g * g - 2.0 * g * cos).max(1e-12).sqrt()
    };
    cosines()
        .map(|cos| (below(cos + half) - below(cos - half)) / (2.0 * half))
        .collect()
}

fn rayleigh(cos: f64) -> f64 {
    0.375 * (1.0 + cos * cos)
}
