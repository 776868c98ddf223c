//! Passes, and the parts of a surface's response that they need.

/// Purpose of the generated function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Opacity only.
    Shadow,
    /// Base colour, normal, roughness, metalness, emission and opacity.
    Gbuffer,
    /// Every lobe.
    #[default]
    Forward,
}

impl Pass {
    /// Names of the passes.
    pub const NAMES: [(&'static str, Pass); 3] =
        [("shadow", Pass::Shadow), ("gbuffer", Pass::Gbuffer), ("forward", Pass::Forward)];

    /// Returns the pass with a name.
    pub fn from_name(name: &str) -> Option<Pass> {
        let found = Pass::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, pass)| *pass)
    }

    /// Returns the parts that the pass needs.
    pub(crate) fn parts(self) -> Parts {
        match self {
            Pass::Shadow => Parts::default().with(Part::Transparency),
            // The reflection of a coat is merged with that of the lobe below.
            Pass::Gbuffer => [Part::Diffuse, Part::Normal, Part::Specular, Part::Coat, Part::Emission]
                .into_iter()
                .fold(Pass::Shadow.parts(), Parts::with),
            Pass::Forward => Part::ALL.into_iter().fold(Parts::default(), Parts::with),
        }
    }
}

/// Part of a surface's response: a sum over the closures, weighted.
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

    /// Name of the part's function in the table of closures.
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

    pub(crate) fn from_name(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }

    /// Members of the structure `Lobes` for the part: a colour, then quantities weighted by the colour's mean.
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
    /// A colour, scaled by a weight.
    Color(&'static str),
    /// A quantity, scaled by the mean of a weight.
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
