//! Pilots: a few samples at pixels spread over the film choose what the integrator's settings leave open.
//!
//! - [`compare`]: `path` or `photon`, for `auto`.
//! - [`paths`], [`branches`]: branches and light samples at the first surface that scatters, and guides.
//! - [`caustics`]: variance and missing light that the samples of a pilot cannot show, from photons.
//! - [`stratified`], [`pixels`]: the measurements. [`time_limit`]: the number of samples that a time limit allows.
//!
//! Pilots count rays instead of time and have random numbers of their own, so that a picture depends on scene, settings and
//! sample range only. All costs are in rays of plain paths.

mod branches;
mod caustics;
mod choice;
mod compare;
mod paths;
mod pixels;
mod stratified;
mod time_limit;

use crate::integrator::{Integrator, Pass, PhotonSettings, PrepareError};
use crate::render::RenderSettings;
use crate::scene::Scene;

pub use choice::Decision;
pub(crate) use choice::{Choice, Chosen};
pub(crate) use paths::with_counts;
pub(crate) use pixels::Pilot;
pub(crate) use time_limit::fitted;

/// Chooses for a render, on the current `rayon` pool; the same for any number of threads, any crop and any range of samples.
/// `pass` is without a file, and without a deadline unless the render has a time limit.
///
/// # Errors
/// As [`Prepared::new`](crate::integrator::Prepared::new).
pub(super) fn choose(
    scene: &Scene,
    settings: &RenderSettings,
    integrator: &Integrator,
    pass: &Pass<'_>,
) -> Result<Choice, PrepareError> {
    Ok(match integrator {
        Integrator::Auto(path) => compare::decide(scene, settings, path, pass)?,
        Integrator::Path(path) => {
            let settled = paths::chosen(scene, settings, path, pass);
            Choice {
                decision: None,
                integrator: *integrator,
                settled: settled.map(Integrator::Path),
                unfound: caustics::missing(scene, settings, &settled.choice, pass),
            }
        }
        Integrator::Photon(photon) => {
            // Guides of gather rays take time, and seldom pay.
            let guide = photon.guide.or(settings.deciding_limit().map(|_| false));
            let settled = Integrator::Photon(PhotonSettings { guide, ..*photon });
            Choice {
                decision: None,
                integrator: *integrator,
                settled: Chosen::given(settled),
                unfound: None,
            }
        }
    })
}
