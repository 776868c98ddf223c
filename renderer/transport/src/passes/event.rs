//! Events of light paths: from lobes and lights to the events that expressions describe.

use renderer_passes::{Event, EventKind, Label, Scattering};

use crate::bsdf::{LobeClass, Side, Spread};
use crate::radiance::LightSource;

/// Event of scattering by a lobe; `closure` returns the label of a hash.
pub(super) fn scattering(class: LobeClass, closure: impl FnOnce(u32) -> Label, object: Label) -> Event {
    Event {
        kind: match class.side {
            Side::Reflection => EventKind::Reflection,
            Side::Transmission => EventKind::Transmission,
        },
        scattering: match class.spread {
            Spread::Diffuse => Scattering::Diffuse,
            Spread::Glossy => Scattering::Glossy,
            Spread::Specular => Scattering::Specular,
            Spread::Straight => Scattering::Straight,
            // A diffuse lobe scatters the path at the exit.
            Spread::Subsurface => Scattering::Diffuse,
        },
        closure: closure(class.label),
        object,
    }
}

/// Event of the last scattering before a photon map, which stores none: a diffuse reflection for the global map, a
/// specular one for the caustic map.
pub(super) fn unknown_scattering(source: LightSource) -> Option<Event> {
    match source {
        LightSource::Light(_) | LightSource::Surface => None,
        LightSource::Map => Some(Event::scattering(EventKind::Reflection, Scattering::Diffuse)),
        LightSource::CausticMap => Some(Event::scattering(EventKind::Reflection, Scattering::Specular)),
    }
}
