//! Events of light paths: from lobes and lights to the events that expressions describe.

use renderer_passes::{Event, EventKind, Label, Scattering};

use crate::bsdf::{LobeClass, Side, Spread};
use crate::radiance::LightSource;

/// The event of a lobe that scatters; `closure` finds the label of a hash.
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
            // Where it leaves, it is scattered by a diffuse lobe.
            Spread::Subsurface => Scattering::Diffuse,
        },
        closure: closure(class.label),
        object,
    }
}

/// Scattering that a photon map has not kept: a diffuse reflection, or a mirror.
pub(super) fn unknown_scattering(source: LightSource) -> Option<Event> {
    match source {
        LightSource::Light(_) | LightSource::Surface => None,
        LightSource::Map => Some(Event::scattering(EventKind::Reflection, Scattering::Diffuse)),
        LightSource::CausticMap => Some(Event::scattering(EventKind::Reflection, Scattering::Specular)),
    }
}
