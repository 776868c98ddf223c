//! Work: rough estimate of the cost of operations, in simple operations on numbers. Equal on all machines.

use super::Op;
use crate::builtins::Builtin;

/// Work of a texture lookup, which reads some ten texels.
const TEXTURE: u32 = 100;
/// Work of a search in the scene or in a point cloud.
const SEARCH: u32 = 400;
/// Work of a question to the host.
const QUESTION: u32 = 10;
/// Work of a noise of one lattice.
const NOISE: u32 = 30;
/// Work of a Gabor noise, which sums hundreds of kernels.
const GABOR: u32 = 1000;
/// Work of operations on text.
const TEXT: u32 = 20;
/// Work of an elementary function.
const ELEMENTARY: u32 = 5;

/// Returns the work of an operation with this many operands.
pub fn of_op(op: Op, operands: usize) -> u32 {
    match op {
        Op::Texture(_) | Op::TextureError(_) => TEXTURE,
        Op::TextureInfo | Op::HasTextureInfo(_) | Op::AttributeValue | Op::AttributeDerivative(_) => QUESTION,
        Op::MakeClosure(_) => ELEMENTARY,
        Op::Builtin(builtin) => of_builtin(builtin, operands),
        // The operands are followed by their derivatives along both axes.
        Op::BuiltinDual(builtin) => 3 * of_builtin(builtin, operands / 3),
        _ => 1,
    }
}

fn of_builtin(builtin: Builtin, operands: usize) -> u32 {
    use Builtin as B;
    match builtin {
        // The kind, two coordinates and their periods; only Gabor noise has options after these.
        B::Noise | B::PNoise if operands > 5 => GABOR,
        B::Noise | B::PNoise | B::Perlin | B::UPerlin => NOISE,
        B::Trace | B::CloudSearch => SEARCH,
        B::HasAttribute
        | B::HasAnyAttribute
        | B::AnyAttribute
        | B::SpaceMatrix
        | B::IsSpace
        | B::HasMessage
        | B::MessageValue
        | B::HasCloudValues
        | B::CloudValues => QUESTION,
        B::Concat
        | B::Substr
        | B::Split
        | B::SplitCount
        | B::RegexMatch
        | B::RegexSearch
        | B::RegexMatchPlaces
        | B::RegexSearchPlaces
        | B::Format
        | B::Printf
        | B::Warning
        | B::Error
        | B::Fprintf
        | B::SetMessage
        | B::DictFind
        | B::DictFindBelow
        | B::DictNext
        | B::HasDictValue
        | B::DictValue
        | B::CloudWrite => TEXT,
        _ => ELEMENTARY,
    }
}
