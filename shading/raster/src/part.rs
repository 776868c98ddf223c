//! Passes, and the parts of surfaces that they need.

/// What the generated function is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Opacity only.
    Shadow,
    /// Base colour, normal, roughness, metalness, emission and opacity.
    Gbuffer,
    /// All lobes.
    #[default]
    Forward,
}

impl Pass {
    /// All passes with their names.
    pub const NAMES: [(&'static str, Pass); 3] = [
        ("shadow", Pass::Shadow),
        ("gbuffer", Pass::Gbuffer),
        ("forward", Pass::Forward),
    ];

    /// Returns the pass of a name.
    pub fn from_name(name: &str) -> Option<Pass> {
        let found = Pass::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, pass)| *pass)
    }

    /// Parts that the pass needs.
    pub(crate) fn parts(self) -> Parts {
        match self {
            Pass::Shadow => Parts::default().with(Part::Transparency),
            // What a coat reflects counts with what is under it.
            Pass::Gbuffer => [
                Part::Diffuse,
                Part::Normal,
                Part::Specular,
                Part::Coat,
                Part::Emission,
            ]
            .into_iter()
            .fold(Pass::Shadow.parts(), Parts::with),
            Pass::Forward => Part::ALL.into_iter().fold(Parts::default(), Parts::with),
        }
    }
}

/// A part of what a surface does with light: sums over its closures, weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Diffuse,
    Normal,
    Specular,
    Tangent,
    Coat,
    CoatNormal,
    Sheen,
    Transmission,
    Translucent,
    Absorption,
    Emission,
    Transparency,
}

impl Part {
    pub(crate) const ALL: [Part; 12] = [
        Part::Diffuse,
        Part::Normal,
        Part::Specular,
        Part::Tangent,
        Part::Coat,
        Part::CoatNormal,
        Part::Sheen,
        Part::Transmission,
        Part::Translucent,
        Part::Absorption,
        Part::Emission,
        Part::Transparency,
    ];

    /// Name of the function of the table of closures.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Diffuse => "diffuse",
            Part::Normal => "normal",
            Part::Specular => "specular",
            Part::Tangent => "tangent",
            Part::Coat => "coat",
            Part::CoatNormal => "coat_normal",
            Part::Sheen => "sheen",
            Part::Transmission => "transmission",
            Part::Translucent => "translucent",
            Part::Absorption => "absorption",
            Part::Emission => "emission",
            Part::Transparency => "transparency",
        }
    }

    /// Returns the part of a name.
    pub(crate) fn from_name(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }

    /// Sums of the part in the structure `Lobes`: a colour, then quantities weighted by its mean.
    pub(crate) fn members(self) -> &'static [LobeMember] {
        use LobeMember::{Color, Mean};
        match self {
            Part::Diffuse => &[Color("diffuse")],
            Part::Normal => &[Mean("normal", "vec3f")],
            Part::Specular => &[Color("f0"), Color("f90"), Mean("alpha", "vec3f")],
            Part::Tangent => &[Mean("tangent", "vec3f")],
            Part::Coat => &[Color("coat"), Mean("coat_alpha", "vec2f")],
            Part::CoatNormal => &[Mean("coat_normal", "vec3f")],
            Part::Sheen => &[Color("sheen"), Mean("sheen_alpha", "vec2f")],
            Part::Transmission => &[Color("transmission"), Mean("transmission_alpha", "vec3f")],
            Part::Translucent => &[Color("translucent")],
            Part::Absorption => &[Color("absorption")],
            Part::Emission => &[Color("emission")],
            Part::Transparency => &[Color("transparency")],
        }
    }
}

/// A member of the structure `Lobes`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LobeMember {
    /// A colour, which is scaled by a weight.
    Color(&'static str),
    /// A quantity, which is scaled by the mean of a weight.
    Mean(&'static str, &'static str),
}

/// A set of parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts(u16);

impl Parts {
    pub(crate) fn with(self, part: Part) -> Parts {
        Parts(self.0 | 1 << part as u16)
    }

    pub(crate) fn contains(self, part: Part) -> bool {
        self.0 & 1 << part as u16 != 0
    }

    pub(crate) fn and(self, other: Parts) -> Parts {
        Parts(self.0 & other.0)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Part> {
        Part::ALL.into_iter().filter(move |&part| self.contains(part))
    }
}
