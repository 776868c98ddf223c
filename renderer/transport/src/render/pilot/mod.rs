//! Pilots: a few samples of pixels spread over the film choose the settings that the integrator leaves open.
//!
//! - [`compare`]: `path` or `photon`, for `auto`.
//! - [`settings`], [`branches`]: branches and light samples at the first scattering vertex, and guides.
//! - [`caustics`]: variance of caustics and missing light, from photons.
//! - [`pixels`]: the measurements. [`budget`]: limits of their work. [`time_limit`]: the number of samples that a
//!   time limit allows.
//!
//! Pilots count rays instead of time and have separate random numbers, so that a picture depends on scene, settings and sample
//! range only. All costs are in rays of plain paths.

mod branches;
mod budget;
mod caustics;
mod compare;
mod pixels;
mod result;
mod settings;
mod time_limit;

use crate::integrator::{Integrator, Pass, PrepareError};
use crate::render::RenderSettings;
use crate::scene::Scene;

pub(crate) use pixels::Pilot;
pub use result::Decision;
pub(crate) use result::{ChosenSettings, PilotResult};
pub(crate) use settings::with_counts;
pub(crate) use time_limit::fitted;

/// Chooses settings for a render on the current `rayon` pool; the result does not depend on threads, crop and range of samples.
/// `pass` has no file, and a deadline only if the render has a time limit.
///
/// # Errors
/// As [`Prepared::new`](crate::integrator::Prepared::new).
pub(super) fn choose(
    scene: &Scene,
    settings: &RenderSettings,
    integrator: &Integrator,
    pass: &Pass<'_>,
) -> Result<PilotResult, PrepareError> {
    Ok(match integrator {
        Integrator::Auto(path) => compare::decide(scene, settings, path, pass)?,
        Integrator::Path(path) => {
            let chosen = settings::choose_settings(scene, settings, path, pass);
            PilotResult {
                decision: None,
                integrator: *integrator,
                chosen: chosen.map(Integrator::Path),
                missing_light: caustics::missing(scene, settings, &chosen.settings, pass),
            }
        }
        // The numbers of gather rays and light samples are chosen once there are maps.
        Integrator::Photon(_) => PilotResult {
            decision: None,
            integrator: *integrator,
            chosen: ChosenSettings::given(*integrator),
            missing_light: None,
        },
    })
}
