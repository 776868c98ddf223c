//! Texture lookup operations: mapping, options, operands.

use super::Kind;

/// Mapping of a lookup: defines the coordinate operands after the file name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TextureMapping {
    /// On a plane: float s, t, dsdx, dtdx, dsdy, dtdy.
    #[default]
    Plane,
    /// In a direction of an environment: triples R, dRdx, dRdy.
    Environment,
    /// In a volume: triples P, dPdx, dPdy, dPdz.
    Volume,
}

impl TextureMapping {
    /// Kinds of the coordinate operands.
    pub fn operands(self) -> &'static [Kind] {
        match self {
            TextureMapping::Plane => &[Kind::FLOAT; 6],
            TextureMapping::Environment => &[Kind::TRIPLE; 3],
            TextureMapping::Volume => &[Kind::TRIPLE; 4],
        }
    }
}

/// Wrap mode: value of a texture outside `[0,1]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wrap {
    /// As stored in the file; black if it is not.
    #[default]
    Default,
    /// Black.
    Black,
    /// Clamped to the edge.
    Clamp,
    /// Repeated.
    Periodic,
    /// Mirrored.
    Mirror,
}

impl Wrap {
    const ALL: [Wrap; 5] = [Wrap::Default, Wrap::Black, Wrap::Clamp, Wrap::Periodic, Wrap::Mirror];

    /// Returns the mode of a name.
    pub fn from_name(name: &str) -> Option<Wrap> {
        match name {
            "periodic_pow2" | "periodic_sharedborder" => Some(Wrap::Periodic),
            _ => Wrap::ALL.into_iter().find(|wrap| wrap.name() == name),
        }
    }

    /// Name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            Wrap::Default => "default",
            Wrap::Black => "black",
            Wrap::Clamp => "clamp",
            Wrap::Periodic => "periodic",
            Wrap::Mirror => "mirror",
        }
    }
}

/// Colour space of the numbers in a texture file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ColorSpace {
    /// The embedder's default.
    #[default]
    Default,
    /// By file format: sRGB for integers, linear for floats.
    Auto,
    /// sRGB transfer curve.
    Srgb,
    /// Linear Rec.709.
    Linear,
    /// Data without a colour space.
    Raw,
}

impl ColorSpace {
    /// Returns the colour space of a name.
    pub fn from_name(name: &str) -> Option<ColorSpace> {
        Some(match name {
            "" => ColorSpace::Default,
            "auto" => ColorSpace::Auto,
            "srgb" | "sRGB" | "srgb_texture" | "srgb_rec709_scene" => ColorSpace::Srgb,
            "linear" | "Rec709" | "lin_srgb" | "lin_rec709" | "lin_rec709_scene" | "scene_linear" => {
                ColorSpace::Linear
            }
            "raw" | "data" | "Raw" => ColorSpace::Raw,
            _ => return None,
        })
    }

    /// Name of the colour space.
    pub fn name(self) -> &'static str {
        match self {
            ColorSpace::Default => "",
            ColorSpace::Auto => "auto",
            ColorSpace::Srgb => "srgb",
            ColorSpace::Linear => "linear",
            ColorSpace::Raw => "raw",
        }
    }
}

/// Interpolation between texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Interpolation {
    /// Bicubic for magnification, else bilinear.
    #[default]
    SmartCubic,
    /// Bicubic.
    Cubic,
    /// Bilinear.
    Linear,
    /// Nearest texel.
    Closest,
}

impl Interpolation {
    const ALL: [Interpolation; 4] = [
        Interpolation::SmartCubic,
        Interpolation::Cubic,
        Interpolation::Linear,
        Interpolation::Closest,
    ];

    /// Returns the interpolation of a name.
    pub fn from_name(name: &str) -> Option<Interpolation> {
        match name {
            "bilinear" => Some(Interpolation::Linear),
            "bicubic" => Some(Interpolation::Cubic),
            _ => Interpolation::ALL.into_iter().find(|known| known.name() == name),
        }
    }

    /// Name of the interpolation.
    pub fn name(self) -> &'static str {
        match self {
            Interpolation::SmartCubic => "smartcubic",
            Interpolation::Cubic => "cubic",
            Interpolation::Linear => "linear",
            Interpolation::Closest => "closest",
        }
    }
}

/// Options that can be run-time operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TextureOperand {
    /// Name of the [`Wrap`] along s.
    WrapS,
    /// Name of the [`Wrap`] along t.
    WrapT,
    /// Name of the [`Wrap`] along r, of volumes.
    WrapR,
    /// Name of the [`Interpolation`].
    Interpolation,
    /// Name of the [`ColorSpace`].
    ColorSpace,
    /// Index of the subimage.
    Subimage,
    /// Name of the subimage; the first one if it is empty.
    SubimageName,
    /// First channel to read.
    FirstChannel,
    /// Scale factor of the footprint along s.
    WidthS,
    /// Scale factor of the footprint along t.
    WidthT,
    /// Blur added to the footprint along s, in image widths.
    BlurS,
    /// Blur added to the footprint along t, in image heights.
    BlurT,
    /// Value of channels missing in the file.
    Fill,
    /// Colour used if the file does not exist.
    MissingColor,
    /// Alpha used if the file does not exist.
    MissingAlpha,
}

impl TextureOperand {
    /// The options in operand order.
    pub const ALL: [TextureOperand; 15] = [
        TextureOperand::WrapS,
        TextureOperand::WrapT,
        TextureOperand::WrapR,
        TextureOperand::Interpolation,
        TextureOperand::ColorSpace,
        TextureOperand::Subimage,
        TextureOperand::SubimageName,
        TextureOperand::FirstChannel,
        TextureOperand::WidthS,
        TextureOperand::WidthT,
        TextureOperand::BlurS,
        TextureOperand::BlurT,
        TextureOperand::Fill,
        TextureOperand::MissingColor,
        TextureOperand::MissingAlpha,
    ];

    /// Kind of the operand.
    pub const fn kind(self) -> Kind {
        match self {
            TextureOperand::WrapS
            | TextureOperand::WrapT
            | TextureOperand::WrapR
            | TextureOperand::Interpolation
            | TextureOperand::ColorSpace
            | TextureOperand::SubimageName => Kind::STRING,
            TextureOperand::Subimage | TextureOperand::FirstChannel => Kind::INT,
            TextureOperand::WidthS
            | TextureOperand::WidthT
            | TextureOperand::BlurS
            | TextureOperand::BlurT
            | TextureOperand::Fill
            | TextureOperand::MissingAlpha => Kind::FLOAT,
            TextureOperand::MissingColor => Kind::TRIPLE,
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// Set of options that are operands.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct TextureOperands(u16);

impl TextureOperands {
    /// Returns the set with another option.
    #[must_use]
    pub const fn with(self, operand: TextureOperand) -> TextureOperands {
        TextureOperands(self.0 | operand.bit())
    }

    /// Returns whether the set contains an option.
    pub const fn contains(self, operand: TextureOperand) -> bool {
        self.0 & operand.bit() != 0
    }

    /// Bit set.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Iterates over the options in operand order.
    pub fn iter(self) -> impl Iterator<Item = TextureOperand> {
        TextureOperand::ALL.into_iter().filter(move |&operand| self.contains(operand))
    }
}

impl std::fmt::Debug for TextureOperands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Options of a texture lookup. The operands are the file name, the coordinates of the mapping, and the options in
/// `operands`, which take precedence over the corresponding fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureOptions {
    /// Mapping.
    pub mapping: TextureMapping,
    /// Wrap mode along s.
    pub wrap_s: Wrap,
    /// Wrap mode along t.
    pub wrap_t: Wrap,
    /// Wrap mode along r, of volumes.
    pub wrap_r: Wrap,
    /// Interpolation between texels.
    pub interpolation: Interpolation,
    /// Colour space of the file.
    pub color_space: ColorSpace,
    /// Number of channels that the shader reads, 1 or 3; the next one is alpha.
    pub channels: u8,
    /// True if the source gives no footprint. The operands of the footprint are zero until the derivatives of the
    /// coordinates are inserted.
    pub implicit_footprint: bool,
    /// True if the lookup also returns derivatives along s and t; for volumes, along the screen axes.
    pub derivatives: bool,
    /// True if the shader handles a missing file, so that a missing file is not an error.
    pub optional: bool,
    /// Options that are operands.
    pub operands: TextureOperands,
}

impl Default for TextureOptions {
    fn default() -> TextureOptions {
        TextureOptions {
            mapping: TextureMapping::default(),
            wrap_s: Wrap::default(),
            wrap_t: Wrap::default(),
            wrap_r: Wrap::default(),
            interpolation: Interpolation::default(),
            color_space: ColorSpace::default(),
            channels: 3,
            implicit_footprint: false,
            derivatives: false,
            optional: false,
            operands: TextureOperands::default(),
        }
    }
}

impl TextureOptions {
    /// Returns the number of floats that a lookup returns: four channels beginning with the first, and with derivatives four
    /// along s and four along t.
    pub const fn results(&self) -> u32 {
        if self.derivatives { 12 } else { 4 }
    }

    /// Kinds of all operands.
    pub fn operand_kinds(&self) -> Vec<Kind> {
        let mut kinds = vec![Kind::STRING];
        kinds.extend(self.mapping.operands());
        kinds.extend(self.operands.iter().map(TextureOperand::kind));
        kinds
    }

    /// Index of an option among the operands.
    pub fn position(&self, operand: TextureOperand) -> Option<usize> {
        let before = 1 + self.mapping.operands().len();
        let place = self.operands.iter().position(|known| known == operand)?;
        Some(before + place)
    }

    /// Sets the field of an option from its name, if the option has a field and the name is valid.
    pub fn set_by_name(&mut self, operand: TextureOperand, name: &str) {
        match operand {
            TextureOperand::WrapS => self.wrap_s = Wrap::from_name(name).unwrap_or(self.wrap_s),
            TextureOperand::WrapT => self.wrap_t = Wrap::from_name(name).unwrap_or(self.wrap_t),
            TextureOperand::WrapR => self.wrap_r = Wrap::from_name(name).unwrap_or(self.wrap_r),
            TextureOperand::Interpolation => {
                self.interpolation = Interpolation::from_name(name).unwrap_or(self.interpolation);
            }
            // An empty name leaves the option unset.
            TextureOperand::ColorSpace => match ColorSpace::from_name(name) {
                Some(ColorSpace::Default) | None => {}
                Some(space) => self.color_space = space,
            },
            TextureOperand::Subimage
            | TextureOperand::SubimageName
            | TextureOperand::FirstChannel
            | TextureOperand::WidthS
            | TextureOperand::WidthT
            | TextureOperand::BlurS
            | TextureOperand::BlurT
            | TextureOperand::Fill
            | TextureOperand::MissingColor
            | TextureOperand::MissingAlpha => {}
        }
    }
}
