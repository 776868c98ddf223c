//! Events of a light path: kind, scattering class and labels.

use super::labels::Label;

/// Kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EventKind {
    /// `C`: the camera, where every path begins.
    Camera,
    /// `L`: a light.
    Light,
    /// `B`: an environment.
    Background,
    /// `V`: a volume.
    Volume,
    /// `T`: transmission.
    Transmission,
    /// `R`: reflection.
    Reflection,
    /// `O`: emissive object that is not a light.
    Object,
}

/// Scattering class of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Scattering {
    /// `D`: diffuse.
    Diffuse,
    /// `G`: glossy.
    Glossy,
    /// `S`: specular.
    Specular,
    /// `s`: straight through a null interface.
    Straight,
    /// No class: ends of a path.
    None,
}

impl EventKind {
    /// The kinds.
    pub const ALL: [EventKind; 7] = [
        EventKind::Camera,
        EventKind::Light,
        EventKind::Background,
        EventKind::Volume,
        EventKind::Transmission,
        EventKind::Reflection,
        EventKind::Object,
    ];

    pub(super) fn of_symbol(symbol: char) -> Option<EventKind> {
        EventKind::ALL.into_iter().find(|kind| kind.symbol() == symbol)
    }

    /// Its symbol in expressions.
    pub fn symbol(self) -> char {
        match self {
            EventKind::Camera => 'C',
            EventKind::Light => 'L',
            EventKind::Background => 'B',
            EventKind::Volume => 'V',
            EventKind::Transmission => 'T',
            EventKind::Reflection => 'R',
            EventKind::Object => 'O',
        }
    }
}

impl Scattering {
    /// The classes.
    pub const ALL: [Scattering; 5] = [
        Scattering::Diffuse,
        Scattering::Glossy,
        Scattering::Specular,
        Scattering::Straight,
        Scattering::None,
    ];

    /// The class of a symbol.
    pub(super) fn of_symbol(symbol: char) -> Option<Scattering> {
        Scattering::ALL.into_iter().find(|class| class.symbol() == Some(symbol))
    }

    /// Its symbol in expressions; `None` at the ends of a path.
    pub fn symbol(self) -> Option<char> {
        match self {
            Scattering::Diffuse => Some('D'),
            Scattering::Glossy => Some('G'),
            Scattering::Specular => Some('S'),
            Scattering::Straight => Some('s'),
            Scattering::None => None,
        }
    }
}

/// One event of a light path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Kind.
    pub kind: EventKind,
    /// Scattering class.
    pub scattering: Scattering,
    /// Label of the closure that scatters, or the name of the light.
    pub closure: Label,
    /// Name of the object that scatters, or the group of the light.
    pub object: Label,
}

impl Event {
    /// The camera.
    pub const CAMERA: Event = Event::end(EventKind::Camera);

    /// An end of a path, without labels.
    pub const fn end(kind: EventKind) -> Event {
        Event {
            kind,
            scattering: Scattering::None,
            closure: Label::OTHER,
            object: Label::OTHER,
        }
    }

    /// Scattering without labels.
    pub const fn scattering(kind: EventKind, scattering: Scattering) -> Event {
        Event { scattering, ..Event::end(kind) }
    }

    /// Returns whether the event is a crossing of a null interface.
    pub fn is_straight(&self) -> bool {
        self.scattering == Scattering::Straight
    }
}
