//! Constant data of compiled code: matrices and arrays.

use super::layout::{const_shape, const_size};
use crate::runtime::text::TextPool;
use shading_compiler::hir::Const;

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
        Const::Array(_) => unreachable!("an array is not an element of an array"),
    }
}
