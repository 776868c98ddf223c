//! Constant data of compiled code: matrices, arrays, source locations of error reports.

use rustc_hash::FxHashMap;

use super::layout::{const_shape, const_size};
use crate::runtime::ReportPlace;
use crate::runtime::context::Places;
use crate::runtime::text::TextPool;
use shading_compiler::hir::Const;
use shading_syntax::source::{SourceMap, Span};

/// Pool of constant matrices and arrays in memory, in the layout of [`super::layout`].
#[derive(Debug, Default)]
pub(super) struct DataPool {
    // 16-byte words guarantee the alignment; a block is never moved.
    blocks: Vec<Vec<u128>>,
}

impl DataPool {
    /// Returns the address of a constant, valid as long as the pool.
    pub(super) fn intern(&mut self, value: &Const, texts: &mut TextPool) -> usize {
        let mut bytes = Vec::with_capacity(const_size(value) as usize);
        match value {
            Const::Array(elements) => {
                let stride = const_shape(value).stride() as usize;
                for (i, element) in elements.iter().enumerate() {
                    put(&mut bytes, element, texts);
                    bytes.resize((i + 1) * stride, 0);
                }
            }
            _ => put(&mut bytes, value, texts),
        }
        bytes.resize((const_size(value) as usize).max(16), 0);
        let block: Vec<u128> = bytes
            .chunks_exact(16)
            .map(|c| u128::from_ne_bytes(c.try_into().expect("chunks have 16 bytes")))
            .collect();
        let known = self.blocks.iter().find(|b| **b == block);
        if let Some(known) = known {
            return known.as_ptr().expose_provenance();
        }
        let address = block.as_ptr().expose_provenance();
        self.blocks.push(block);
        address
    }
}

fn put(bytes: &mut Vec<u8>, value: &Const, texts: &mut TextPool) {
    match value {
        Const::Int(i) => bytes.extend(i.to_ne_bytes()),
        Const::Float(x) => bytes.extend(x.to_ne_bytes()),
        Const::Triple(t) => bytes.extend(t.iter().flat_map(|x| x.to_ne_bytes())),
        Const::Matrix(m) => bytes.extend(m.iter().flat_map(|x| x.to_ne_bytes())),
        Const::String(text) => bytes.extend(texts.intern(text).expose_provenance().to_ne_bytes()),
        Const::NullClosure => bytes.extend(0usize.to_ne_bytes()),
        Const::Array(_) => unreachable!("an array is no element of an array"),
    }
}

/// Source locations in the reports of the code.
#[derive(Debug, Default)]
pub(super) struct PlaceTable {
    spans: Vec<Span>,
    indices: FxHashMap<Span, u32>,
}

impl PlaceTable {
    /// Returns the index of a location.
    pub(super) fn index(&mut self, span: Span) -> u32 {
        *self.indices.entry(span).or_insert_with(|| {
            self.spans.push(span);
            self.spans.len() as u32 - 1
        })
    }

    /// Returns the locations with their lines, for reports about a unit.
    pub(super) fn finish(self, unit: &str, sources: Option<&SourceMap>) -> Places {
        let locate = |span: Span| {
            let sources = sources.filter(|sources| (span.source.0 as usize) < sources.len())?;
            let source = sources.get(span.source);
            let (file, line, column) = source.locate(span.start);
            let user = sources.user(span.source);
            Some(ReportPlace {
                file: file.to_owned(),
                line,
                column,
                instance: user.instance,
                unit: user.unit,
                text: source
                    .text
                    .get(span.start as usize..span.end as usize)
                    .unwrap_or("")
                    .into(),
            })
        };
        Places {
            shader: 0,
            name: unit.to_owned(),
            list: self.spans.into_iter().map(locate).collect(),
            closures: None,
        }
    }
}
