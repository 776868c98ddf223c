//! Texture lookups, and queries of texture files.

use super::ReportKind;
use super::frame::CallFrame;
use super::machine::Machine;
use crate::runtime::{Subimage, TextureInfo, TextureLookup, TextureRequest};
use shading_compiler::eval;
use shading_compiler::hir::{Const, Operand, TextureMapping, TextureOperand, TextureOptions};
use shading_syntax::source::Span;

impl<'a> Machine<'a> {
    pub(super) fn texture(
        &mut self,
        frame: &CallFrame<'a>,
        options: TextureOptions,
        args: &[Operand],
        span: Span,
    ) -> Const {
        let lookup = lookup(frame, options, args);
        let request = request(frame, &lookup, args);
        let sample = match lookup.handle(self.options.host, &request) {
            Ok(handle) => self.options.host.texture(handle, &lookup),
            Err(problem) => {
                if !options.optional {
                    self.report(ReportKind::MissingTexture, span, problem.report(&request.file));
                }
                lookup.absent()
            }
        };
        let all = [sample.value, sample.ds, sample.dt];
        let values = all.as_flattened()[..options.results() as usize].iter();
        Const::Array(values.map(|&v| Const::Float(v)).collect())
    }

    pub(super) fn texture_error(
        &self,
        frame: &CallFrame<'a>,
        options: TextureOptions,
        args: &[Operand],
    ) -> Const {
        let lookup = lookup(frame, options, args);
        let request = request(frame, &lookup, args);
        let error = lookup.failure(self.options.host, &request);
        Const::String(eval::text::of_host(error).into())
    }

    pub(super) fn texture_info(&self, frame: &CallFrame<'a>, args: &[Operand]) -> Option<TextureInfo> {
        let [s, t] = [2, 3].map(|i| frame.float(args[i]));
        let st = (!s.is_nan() && !t.is_nan()).then_some([s, t]);
        let request = TextureRequest {
            file: frame.text(args[0]).to_owned(),
            ..TextureRequest::default()
        };
        self.options.host.texture_info(&request, frame.text(args[1]), st)
    }
}

/// Builds a texture lookup with the values of its operands.
fn lookup(frame: &CallFrame<'_>, mut options: TextureOptions, args: &[Operand]) -> TextureLookup {
    let mut lookup = TextureLookup::default();
    match options.mapping {
        TextureMapping::Plane => {
            let [s, t, dsdx, dtdx, dsdy, dtdy] = std::array::from_fn(|i| frame.float(args[1 + i]));
            (lookup.position, lookup.dx, lookup.dy) = ([s, t, 0.0], [dsdx, dtdx, 0.0], [dsdy, dtdy, 0.0]);
        }
        TextureMapping::Environment | TextureMapping::Volume => {
            [lookup.position, lookup.dx, lookup.dy] = std::array::from_fn(|i| frame.triple(args[1 + i]));
        }
    }
    for option in options.operands.iter() {
        let Some(&arg) = options.position(option).and_then(|i| args.get(i)) else {
            continue;
        };
        let number = || frame.float(arg);
        match option {
            TextureOperand::WrapS
            | TextureOperand::WrapT
            | TextureOperand::WrapR
            | TextureOperand::Interpolation
            | TextureOperand::ColorSpace => options.set_by_name(option, frame.text(arg)),
            TextureOperand::FirstChannel => lookup.first_channel = frame.int(arg),
            TextureOperand::WidthS => lookup.width[0] = number(),
            TextureOperand::WidthT => lookup.width[1] = number(),
            TextureOperand::BlurS => lookup.blur[0] = number(),
            TextureOperand::BlurT => lookup.blur[1] = number(),
            TextureOperand::Fill => lookup.fill = number(),
            TextureOperand::MissingColor => {
                let [r, g, b] = frame.triple(arg);
                lookup.missing = Some([r, g, b, 0.0]);
            }
            TextureOperand::MissingAlpha => {
                lookup.missing.get_or_insert_default()[usize::from(options.channels)] = number();
            }
            TextureOperand::Subimage | TextureOperand::SubimageName => {}
        }
    }
    lookup.options = options;
    lookup
}

fn request(frame: &CallFrame<'_>, lookup: &TextureLookup, args: &[Operand]) -> TextureRequest {
    let operand = |option| lookup.options.position(option).and_then(|i| args.get(i));
    let subimage = if let Some(&name) = operand(TextureOperand::SubimageName) {
        Subimage::named(frame.text(name))
    } else if let Some(&index) = operand(TextureOperand::Subimage) {
        Subimage::numbered(frame.int(index))
    } else {
        Subimage::First
    };
    TextureRequest {
        file: args.first().map_or("", |&file| frame.text(file)).to_owned(),
        color_space: lookup.options.color_space,
        subimage,
    }
}
