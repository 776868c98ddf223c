//! Texture lookup operations: mapping, options, operands.

use super::Kind;

/// Where a lookup is: what the operands after the file are.
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
    /// The kinds of the operands after the file.
    pub fn operands(self) -> &'static [Kind] {
        match self {
            TextureMapping::Plane => &[Kind::FLOAT; 6],
            TextureMapping::Environment => &[Kind::TRIPLE; 3],
            TextureMapping::Volume => &[Kind::TRIPLE; 4],
        }
    }
}

/// Outside `[0,1]`, a texture …
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wrap {
    /// is as its file says, black where that says nothing.
    #[default]
    Default,
    /// is black.
    Black,
    /// shows its edge.
    Clamp,
    /// repeats.
    Periodic,
    /// is mirrored.
    Mirror,
}

impl Wrap {
    const ALL: [Wrap; 5] = [
        Wrap::Default,
        Wrap::Black,
        Wrap::Clamp,
        Wrap::Periodic,
        Wrap::Mirror,
    ];

    /// The mode of that name.
    pub fn from_name(name: &str) -> Option<Wrap> {
        match name {
            "periodic_pow2" | "periodic_sharedborder" => Some(Wrap::Periodic),
            _ => Wrap::ALL.into_iter().find(|wrap| wrap.name() == name),
        }
    }

    /// Its name.
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

/// What the numbers of a texture file mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ColorSpace {
    /// What the embedder takes them for where nothing is said.
    #[default]
    Default,
    /// What the kind of file suggests: sRGB where it holds integers, linear where it holds floats.
    Auto,
    /// Colours with sRGB's transfer curve.
    Srgb,
    /// Linear Rec.709 colours.
    Linear,
    /// Data, to be taken as it is.
    Raw,
}

impl ColorSpace {
    /// The space of that name.
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

    /// Its name.
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

/// How values between texels come about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Interpolation {
    /// Bicubic where texels are magnified, else bilinear.
    #[default]
    SmartCubic,
    /// Bicubic.
    Cubic,
    /// Bilinear.
    Linear,
    /// That of the nearest texel.
    Closest,
}

impl Interpolation {
    const ALL: [Interpolation; 4] = [
        Interpolation::SmartCubic,
        Interpolation::Cubic,
        Interpolation::Linear,
        Interpolation::Closest,
    ];

    /// The interpolation of that name.
    pub fn from_name(name: &str) -> Option<Interpolation> {
        match name {
            "bilinear" => Some(Interpolation::Linear),
            "bicubic" => Some(Interpolation::Cubic),
            _ => Interpolation::ALL.into_iter().find(|known| known.name() == name),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Interpolation::SmartCubic => "smartcubic",
            Interpolation::Cubic => "cubic",
            Interpolation::Linear => "linear",
            Interpolation::Closest => "closest",
        }
    }
}

/// An option that is an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TextureOperand {
    /// Name of the [`Wrap`] along s.
    WrapS,
    /// Name of the [`Wrap`] along t.
    WrapT,
    /// Name of the [`Interpolation`].
    Interpolation,
    /// Name of the [`ColorSpace`].
    ColorSpace,
    /// Number of the picture in the file.
    Subimage,
    /// Name of the picture in the file; the first where it is empty.
    SubimageName,
    /// The first channel that is read.
    FirstChannel,
    /// Factor of the footprint along s.
    WidthS,
    /// Factor of the footprint along t.
    WidthT,
    /// Added to the footprint along s [widths of the picture].
    BlurS,
    /// Added to the footprint along t [heights of the picture].
    BlurT,
    /// The value of channels that the file does not have.
    Fill,
    /// Shown where there is no such file.
    MissingColor,
    /// The same, for the channel after those that are read.
    MissingAlpha,
}

impl TextureOperand {
    /// All of them, in the order in which they are operands.
    pub const ALL: [TextureOperand; 14] = [
        TextureOperand::WrapS,
        TextureOperand::WrapT,
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

    /// What kind of operand it is.
    pub const fn kind(self) -> Kind {
        match self {
            TextureOperand::WrapS
            | TextureOperand::WrapT
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

/// The options of an operation that are operands.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct TextureOperands(u16);

impl TextureOperands {
    /// These and one more.
    #[must_use]
    pub const fn with(self, operand: TextureOperand) -> TextureOperands {
        TextureOperands(self.0 | operand.bit())
    }

    /// Whether it is one of them.
    pub const fn contains(self, operand: TextureOperand) -> bool {
        self.0 & operand.bit() != 0
    }

    /// A bit for each.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// They, in the order of the operands.
    pub fn iter(self) -> impl Iterator<Item = TextureOperand> {
        TextureOperand::ALL
            .into_iter()
            .filter(move |&operand| self.contains(operand))
    }
}

impl std::fmt::Debug for TextureOperands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// How to look a texture up. The operands are the file, those of the mapping, and the options that `operands` names; an
/// option that is an operand takes the place of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureOptions {
    /// Where the lookup is.
    pub mapping: TextureMapping,
    /// Along s.
    pub wrap_s: Wrap,
    /// Along t.
    pub wrap_t: Wrap,
    /// Between texels.
    pub interpolation: Interpolation,
    /// What the file's numbers mean.
    pub color_space: ColorSpace,
    /// Channels that the shader reads, 1 or 3; the one after them is its alpha.
    pub channels: u8,
    /// Whether the source gives no footprint. Its operands are zero until the derivatives of the place are put there.
    pub implicit_footprint: bool,
    /// Whether the derivatives of the value along s and t are wanted too.
    pub derivatives: bool,
    /// Whether the shader says what to do where there is no such file: then that is no mistake.
    pub optional: bool,
    /// The options that are operands.
    pub operands: TextureOperands,
}

impl Default for TextureOptions {
    fn default() -> TextureOptions {
        TextureOptions {
            mapping: TextureMapping::default(),
            wrap_s: Wrap::default(),
            wrap_t: Wrap::default(),
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
    /// Floats that a lookup gives: four channels from the first on, and with derivatives four along s and four along t.
    pub const fn results(&self) -> u32 {
        if self.derivatives { 12 } else { 4 }
    }

    /// The kinds of all operands.
    pub fn operand_kinds(&self) -> Vec<Kind> {
        let mut kinds = vec![Kind::STRING];
        kinds.extend(self.mapping.operands());
        kinds.extend(self.operands.iter().map(TextureOperand::kind));
        kinds
    }

    /// The place of an option among the operands.
    pub fn position(&self, operand: TextureOperand) -> Option<usize> {
        let before = 1 + self.mapping.operands().len();
        let place = self.operands.iter().position(|known| known == operand)?;
        Some(before + place)
    }

    /// Puts the value of an option in its place, where it is a field of this structure and has a meaning.
    pub fn set_by_name(&mut self, operand: TextureOperand, name: &str) {
        match operand {
            TextureOperand::WrapS => self.wrap_s = Wrap::from_name(name).unwrap_or(self.wrap_s),
            TextureOperand::WrapT => self.wrap_t = Wrap::from_name(name).unwrap_or(self.wrap_t),
            TextureOperand::Interpolation => {
                self.interpolation = Interpolation::from_name(name).unwrap_or(self.interpolation);
            }
            // An empty name says nothing.
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
