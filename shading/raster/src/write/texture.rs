//! Texture lookups.

use shading_compiler::hir::{
    Const, Interpolation, Kind, Op, Operand, TextureMapping, TextureOperand, TextureOptions, Wrap,
};
use shading_syntax::source::Span;

use super::writer::FunctionWriter;
use crate::error::RasterError;

/// Options of a lookup that are not in the binding.
struct LookupOptions {
    options: TextureOptions,
    first_channel: i32,
    /// Factors of the filter footprint along s and t, as expressions.
    width: [String; 2],
    /// Blur along s and t, as expressions.
    blur: [Option<String>; 2],
    /// Value of channels that the image lacks.
    fill: String,
    /// Value of a missing image; `None` if it equals `fill`.
    missing: Option<[String; 4]>,
}

impl FunctionWriter<'_, '_> {
    /// Writes a lookup. `target` is an array of four floats, with derivatives of twelve.
    pub(super) fn texture(&mut self, target: &str, options: TextureOptions, args: &[Operand], span: Span) {
        match self.lookup(target, options, args) {
            Ok(()) => {}
            Err(error) => self.report(error, span),
        }
    }

    fn lookup(&mut self, target: &str, options: TextureOptions, args: &[Operand]) -> Result<(), RasterError> {
        let what = match options.mapping {
            TextureMapping::Plane => None,
            TextureMapping::Environment => Some("an environment"),
            TextureMapping::Volume => Some("a volume"),
        };
        if let Some(what) = what {
            return Err(RasterError::Texture(what));
        }
        let Some(file) = self.constant_text(args[0]).map(str::to_owned) else {
            return Err(RasterError::Texture("a texture whose name is known at run time only"));
        };
        let lookup = self.options(options, args)?;
        let zeros = ["0.0"; 8].join(", ");
        let rest = if options.derivatives { format!(", {zeros}") } else { String::new() };
        let count = options.results();
        if file.is_empty() {
            let fill = &lookup.fill;
            let missing = lookup.missing.unwrap_or_else(|| [0; 4].map(|_| fill.clone()));
            let missing = missing.join(", ");
            self.line(&format!("{target} = array<f32, {count}>({missing}{rest});"));
            return Ok(());
        }
        let wrap = [lookup.options.wrap_s, lookup.options.wrap_t];
        let binding =
            self.inputs
                .texture(&file, wrap, lookup.options.interpolation, lookup.options.color_space);
        let [s, t, dsdx, dtdx, dsdy, dtdy] = std::array::from_fn(|i| self.operand(args[1 + i]));
        let (at, texel) = (self.temporary(), self.temporary());
        let [width_s, width_t] = &lookup.width;
        self.line(&format!("let {at} = vec2f({s}, {t});"));
        let scale = |ds: &str, dt: &str| match (width_s.as_str(), width_t.as_str()) {
            ("1.0f", "1.0f") => format!("vec2f({ds}, {dt})"),
            _ => format!("vec2f({ds} * {width_s}, {dt} * {width_t})"),
        };
        let (mut dx, mut dy) = (scale(&dsdx, &dtdx), scale(&dsdy, &dtdy));
        if let Some(blur) = &lookup.blur[0] {
            dx = format!("{dx} + vec2f({blur}, 0.0)");
        }
        if let Some(blur) = &lookup.blur[1] {
            dy = format!("{dy} + vec2f(0.0, {blur})");
        }
        let sampled = |at: &str| format!("textureSampleGrad({binding}, {binding}_sampler, {at}, {dx}, {dy})");
        self.line(&format!("var {texel} = {};", sampled(&at)));
        for (lane, wrap) in ["x", "y"].iter().zip(wrap) {
            if matches!(wrap, Wrap::Black | Wrap::Default) {
                self.line(&format!("if ({at}.{lane} < 0.0 || {at}.{lane} > 1.0) {{"));
                self.nested(|writer| writer.line(&format!("{texel} = vec4f(0.0);")));
                self.line("}");
            }
        }
        let channels = channels(&texel, lookup.first_channel, &lookup.fill);
        if !options.derivatives {
            self.line(&format!("{target} = array<f32, 4>({});", channels.join(", ")));
            return Ok(());
        }
        // Differences between adjacent texels.
        let mut list = channels.to_vec();
        for step in ["vec2f(1.0, 0.0)", "vec2f(0.0, 1.0)"] {
            let (size, difference) = (self.temporary(), self.temporary());
            self.line(&format!("let {size} = {step} / vec2f(textureDimensions({binding}, 0));"));
            let (after, before) = (sampled(&format!("{at} + {size}")), sampled(&format!("{at} - {size}")));
            self.line(&format!(
                "let {difference} = ({after} - {before}) / (2.0 * dot({size}, {step}));"
            ));
            list.extend(self::channels(&difference, lookup.first_channel, "0.0"));
        }
        self.line(&format!("{target} = array<f32, 12>({});", list.join(", ")));
        Ok(())
    }

    fn options(
        &mut self,
        mut options: TextureOptions,
        args: &[Operand],
    ) -> Result<LookupOptions, RasterError> {
        let mut lookup = LookupOptions {
            options,
            first_channel: 0,
            width: ["1.0f".to_owned(), "1.0f".to_owned()],
            blur: [None, None],
            fill: "0.0".to_owned(),
            missing: None,
        };
        for option in options.operands.iter() {
            let Some(&arg) = options.position(option).and_then(|i| args.get(i)) else {
                continue;
            };
            let text = self.operand(arg);
            match option {
                TextureOperand::WrapS
                | TextureOperand::WrapT
                | TextureOperand::WrapR
                | TextureOperand::Interpolation
                | TextureOperand::ColorSpace => match self.constant_text(arg) {
                    Some(name) => options.set_by_name(option, name),
                    None => {
                        return Err(RasterError::Text("an option of a texture"));
                    }
                },
                TextureOperand::FirstChannel => match self.constant(arg) {
                    Some(Const::Int(first)) => lookup.first_channel = *first,
                    _ => {
                        return Err(RasterError::Texture("a channel that is known at run time only"));
                    }
                },
                TextureOperand::WidthS => lookup.width[0] = text,
                TextureOperand::WidthT => lookup.width[1] = text,
                TextureOperand::BlurS => lookup.blur[0] = self.nonzero(arg).then_some(text),
                TextureOperand::BlurT => lookup.blur[1] = self.nonzero(arg).then_some(text),
                TextureOperand::Fill => lookup.fill = text,
                TextureOperand::MissingColor => {
                    let [r, g, b] = ["x", "y", "z"].map(|lane| format!("{text}.{lane}"));
                    lookup.missing = Some([r, g, b, "0.0".to_owned()]);
                }
                TextureOperand::MissingAlpha => {
                    let missing = lookup.missing.get_or_insert_with(|| ["0.0"; 4].map(str::to_owned));
                    missing[usize::from(options.channels).min(3)] = text;
                }
                TextureOperand::Subimage | TextureOperand::SubimageName => {}
            }
        }
        lookup.options = options;
        Ok(lookup)
    }

    fn nonzero(&self, operand: Operand) -> bool {
        self.constant(operand) != Some(&Const::Float(0.0))
    }

    /// Writes `exists`, `resolution` and `type` of a texture.
    pub(super) fn texture_info(
        &mut self,
        kind: Kind,
        op: Op,
        args: &[Operand],
    ) -> Result<String, RasterError> {
        let (Some(file), Some(name)) = (self.constant_text(args[0]), self.constant_text(args[1])) else {
            return Err(RasterError::Texture(
                "information about a texture whose name is known at run time only",
            ));
        };
        let (file, name) = (file.to_owned(), name.to_owned());
        let asked = match op {
            Op::HasTextureInfo(kind) => kind,
            _ => kind,
        };
        let is_known = match (name.as_str(), asked) {
            ("exists", Kind::INT) => true,
            ("resolution", Kind::Array(..)) => asked.element() == Kind::INT && asked.count() == 2,
            _ => return Err(RasterError::TextureInfo(name)),
        };
        if matches!(op, Op::HasTextureInfo(_)) {
            return Ok(i32::from(is_known && (name == "exists" || !file.is_empty())).to_string());
        }
        if name == "exists" || file.is_empty() {
            return Ok(match kind {
                Kind::INT => i32::from(!file.is_empty()).to_string(),
                kind => super::op::zero(kind),
            });
        }
        let (wrap, space) = ([Wrap::default(); 2], Default::default());
        let binding = self.inputs.texture(&file, wrap, Interpolation::default(), space);
        let size = self.temporary();
        self.line(&format!("let {size} = vec2i(textureDimensions({binding}, 0));"));
        Ok(format!("array<i32, 2>({size}.x, {size}.y)"))
    }
}

/// Returns four channels of a texel, beginning with `first`.
fn channels(texel: &str, first: i32, fill: &str) -> [String; 4] {
    std::array::from_fn(|i| {
        let channel = usize::try_from(first).unwrap_or(0).saturating_add(i);
        match ["x", "y", "z", "w"].get(channel) {
            Some(lane) => format!("{texel}.{lane}"),
            None => fill.to_owned(),
        }
    })
}
