//! Pilot results of one picture, for further pictures of the same scene.

use renderer::integrator::{Branching, Integrator};
use renderer::render::Rendered;

/// The integrator of a picture with the settings that its pilots chose.
pub fn with_pilot_result(rendered: &Rendered) -> Integrator {
    let Branching { branches, light_samples, guide } = rendered.stats.branching;
    let mut integrator = rendered.state.integrator;
    match &mut integrator {
        Integrator::Path(path) => {
            path.split = branches.or(path.split);
            path.light_samples = light_samples.or(path.light_samples);
            path.guide = guide.or(path.guide);
        }
        Integrator::Photon(photon) => {
            photon.gather = branches.or(photon.gather);
            photon.light_samples = light_samples.or(photon.light_samples);
            photon.guide = guide.or(photon.guide);
        }
        Integrator::Auto(_) => unreachable!("it has decided"),
    }
    integrator
}
