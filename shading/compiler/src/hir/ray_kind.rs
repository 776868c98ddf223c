//! Ray kinds: what `raytype` asks for.

/// What kind of ray found the shading point, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct RayKind(pub u32);

impl RayKind {
    /// From the camera.
    pub const CAMERA: RayKind = RayKind(1);
    /// Towards a light.
    pub const SHADOW: RayKind = RayKind(2);
    /// Off a diffuse lobe.
    pub const DIFFUSE: RayKind = RayKind(4);
    /// Off a glossy lobe.
    pub const GLOSSY: RayKind = RayKind(8);
    /// Mirrored.
    pub const REFLECTION: RayKind = RayKind(16);
    /// Refracted.
    pub const REFRACTION: RayKind = RayKind(32);
    /// Straight through a transparent surface.
    pub const TRANSPARENT: RayKind = RayKind(64);
    /// A photon's.
    pub const PHOTON: RayKind = RayKind(128);
    /// Of a bake.
    pub const BAKE: RayKind = RayKind(256);

    /// The kinds by their names in source.
    pub const NAMES: [(&'static str, RayKind); 9] = [
        ("camera", RayKind::CAMERA),
        ("shadow", RayKind::SHADOW),
        ("diffuse", RayKind::DIFFUSE),
        ("glossy", RayKind::GLOSSY),
        ("reflection", RayKind::REFLECTION),
        ("refraction", RayKind::REFRACTION),
        ("transparent", RayKind::TRANSPARENT),
        ("photon", RayKind::PHOTON),
        ("bake", RayKind::BAKE),
    ];
}
