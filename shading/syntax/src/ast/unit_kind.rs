//! Shader kinds.

/// Kind of a shader unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnitKind {
    /// A shader for any use.
    Shader,
    /// The material of a surface.
    Surface,
    /// Displacement of the points of a surface.
    Displacement,
    /// The medium inside a surface.
    Volume,
    /// The light of an environment; OSL lacks this kind.
    Background,
}

impl UnitKind {
    /// The kinds.
    pub const ALL: [UnitKind; 5] = [
        UnitKind::Shader,
        UnitKind::Surface,
        UnitKind::Displacement,
        UnitKind::Volume,
        UnitKind::Background,
    ];

    /// Keyword.
    pub fn name(self) -> &'static str {
        match self {
            UnitKind::Shader => "shader",
            UnitKind::Surface => "surface",
            UnitKind::Displacement => "displacement",
            UnitKind::Volume => "volume",
            UnitKind::Background => "background",
        }
    }

    /// Kind of a keyword.
    pub fn from_name(name: &str) -> Option<UnitKind> {
        UnitKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
