//! Signatures of operations: operand and result kinds, checked by [`super::verify()`].

use crate::builtins::{self, Builtin};
use crate::hir::ClosureRegistry;
use crate::hir::kind::Element;
use crate::hir::{Kind, Op};
use crate::ty::{Length, Type};

/// Kinds of an operation's operands, and of its result.
pub(super) struct Shape(pub(super) Vec<Kind>, pub(super) Option<Kind>);

/// Returns the operand and result kinds of an operation for given operands; parameters of closures only if the registry
/// is given.
pub(super) fn shape(
    op: Op,
    args: &[Kind],
    result: Option<Kind>,
    closures: Option<&ClosureRegistry>,
) -> Result<Shape, String> {
    use Kind as K;
    let first = args.first().copied().unwrap_or(K::INT);
    let dst = result.unwrap_or(K::INT);
    let one = |kind, gives| Ok(Shape(vec![kind], Some(gives)));
    let require = |ok: bool, what: &str| {
        if ok { Ok(()) } else { Err(format!("operand is not {what}")) }
    };
    match op {
        Op::Copy => one(first, first),
        Op::IntToFloat => one(K::INT, K::FLOAT),
        Op::FloatToInt => one(K::FLOAT, K::INT),
        Op::Splat => one(K::FLOAT, K::TRIPLE),
        Op::Diagonal => one(K::FLOAT, K::MATRIX),
        Op::Truth => {
            require(first == first.element(), "a single value")?;
            one(first, K::INT)
        }
        Op::Add | Op::Sub | Op::Mul | Op::Div => {
            require(first.is_number(), "a number")?;
            Ok(Shape(vec![first; 2], Some(first)))
        }
        Op::Neg => {
            require(first.is_number(), "a number")?;
            one(first, first)
        }
        Op::Mod | Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr => {
            Ok(Shape(vec![K::INT; 2], Some(K::INT)))
        }
        Op::BitNot | Op::Not => one(K::INT, K::INT),
        Op::Eq | Op::Ne => {
            require(first.is_number() || first == K::STRING, "a number or string")?;
            Ok(Shape(vec![first; 2], Some(K::INT)))
        }
        Op::Lt | Op::Le | Op::Gt | Op::Ge => {
            require(first == K::INT || first == K::FLOAT, "int or float")?;
            Ok(Shape(vec![first; 2], Some(K::INT)))
        }
        Op::MakeTriple => Ok(Shape(vec![K::FLOAT; 3], Some(K::TRIPLE))),
        Op::TripleGet => Ok(Shape(vec![K::TRIPLE, K::INT], Some(K::FLOAT))),
        Op::TripleSet => Ok(Shape(vec![K::TRIPLE, K::INT, K::FLOAT], Some(K::TRIPLE))),
        Op::MakeMatrix => Ok(Shape(vec![K::FLOAT; 16], Some(K::MATRIX))),
        Op::MatrixGet => Ok(Shape(vec![K::MATRIX, K::INT, K::INT], Some(K::FLOAT))),
        Op::MatrixSet => Ok(Shape(vec![K::MATRIX, K::INT, K::INT, K::FLOAT], Some(K::MATRIX))),
        Op::MakeArray => match dst {
            K::Array(element, n) => Ok(Shape(vec![K::One(element); n as usize], Some(dst))),
            K::One(_) => Err("destination is not an array".to_owned()),
        },
        Op::ArrayGet => {
            require(first != first.element(), "an array")?;
            Ok(Shape(vec![first, K::INT], Some(first.element())))
        }
        Op::ArraySet => {
            require(first != first.element(), "an array")?;
            Ok(Shape(vec![first, K::INT, first.element()], Some(first)))
        }
        Op::Global(global) => Ok(Shape(vec![], Kind::of(global.ty()))),
        Op::GlobalDerivative(global, _) => Ok(Shape(vec![], Kind::of(global.ty()))),
        Op::Derivative(_) => {
            require(first == K::FLOAT || first == K::TRIPLE, "float or triple")?;
            one(first, first)
        }
        Op::Builtin(builtin) => builtin_shape(builtin, args, dst),
        Op::BuiltinDual(builtin) => {
            require(builtin.has_dual() && args.len().is_multiple_of(3), "of such a function")?;
            let K::Array(element, 3) = dst else {
                return Err("destination is not an array of 3".to_owned());
            };
            let Shape(takes, _) = builtin_shape(builtin, &args[..args.len() / 3], K::One(element))?;
            Ok(Shape(takes.repeat(3), Some(dst)))
        }
        Op::MakeClosure(id) => {
            let Some(registry) = closures else {
                return Ok(Shape(args.to_vec(), Some(K::CLOSURE)));
            };
            let Some((_, signature)) = registry.iter().find(|(known, _)| *known == id) else {
                return Err("closure is not registered".to_owned());
            };
            let params = signature.params.iter().filter_map(|p| Kind::of(p.ty));
            Ok(Shape(params.collect(), Some(K::CLOSURE)))
        }
        Op::ClosureAdd => Ok(Shape(vec![K::CLOSURE; 2], Some(K::CLOSURE))),
        Op::ClosureMul => {
            let weight = args.get(1).copied().unwrap_or(K::FLOAT);
            require(weight == K::FLOAT || weight == K::TRIPLE, "float or triple")?;
            Ok(Shape(vec![K::CLOSURE, weight], Some(K::CLOSURE)))
        }
        Op::Texture(options) => {
            let result = K::Array(Element::Float, options.results());
            Ok(Shape(options.operand_kinds(), Some(result)))
        }
        Op::TextureError(options) => Ok(Shape(options.operand_kinds(), Some(K::STRING))),
        Op::TextureInfo => Ok(Shape(texture_info(), result)),
        Op::HasTextureInfo(_) => Ok(Shape(texture_info(), Some(K::INT))),
        Op::AttributeValue => Ok(Shape(vec![K::STRING; 2], result)),
        Op::AttributeDerivative(_) => {
            require(dst == K::FLOAT || dst == K::TRIPLE, "float or triple")?;
            Ok(Shape(vec![K::STRING; 2], Some(dst)))
        }
    }
}

/// File name, name of the information, s and t.
fn texture_info() -> Vec<Kind> {
    vec![Kind::STRING, Kind::STRING, Kind::FLOAT, Kind::FLOAT]
}

/// Result kind of a pattern: float or triple, as the destination.
fn pattern(dst: Kind) -> Result<Kind, String> {
    match dst {
        Kind::FLOAT | Kind::TRIPLE => Ok(dst),
        _ => Err("destination is neither float nor triple".to_owned()),
    }
}

fn builtin_shape(builtin: Builtin, args: &[Kind], dst: Kind) -> Result<Shape, String> {
    use Builtin as B;
    use Kind as K;
    let first = args.first().copied().unwrap_or(K::FLOAT);
    let shape = |takes: &[Kind], gives| Ok(Shape(takes.to_vec(), Some(gives)));
    let laned = |integers: bool| {
        let fits = matches!(first, K::FLOAT | K::TRIPLE) || (integers && first == K::INT);
        if fits { Ok(first) } else { Err(format!("operand is {first}")) }
    };
    match builtin {
        B::Sin
        | B::Cos
        | B::Tan
        | B::Asin
        | B::Acos
        | B::Atan
        | B::Sinh
        | B::Cosh
        | B::Tanh
        | B::Exp
        | B::Exp2
        | B::Expm1
        | B::Log
        | B::Log2
        | B::Log10
        | B::Logb
        | B::Sqrt
        | B::InverseSqrt
        | B::Cbrt
        | B::Sign
        | B::Floor
        | B::Ceil
        | B::Round
        | B::Trunc
        | B::Erf
        | B::Erfc => shape(&[laned(false)?], first),
        B::Abs => shape(&[laned(true)?], first),
        B::Pow | B::Atan2 | B::Fmod => shape(&[laned(false)?; 2], first),
        B::Min | B::Max => shape(&[laned(true)?; 2], first),
        B::IsNan | B::IsInf | B::IsFinite => shape(&[K::FLOAT], K::INT),
        B::Dot => shape(&[K::TRIPLE; 2], K::FLOAT),
        B::Cross => shape(&[K::TRIPLE; 2], K::TRIPLE),
        B::Length => shape(&[K::TRIPLE], K::FLOAT),
        B::Normalize => shape(&[K::TRIPLE], K::TRIPLE),
        B::Determinant => shape(&[K::MATRIX], K::FLOAT),
        B::Transpose => shape(&[K::MATRIX], K::MATRIX),
        B::TransformPoint | B::TransformVector | B::TransformNormal => {
            shape(&[K::MATRIX, K::TRIPLE], K::TRIPLE)
        }
        B::SpaceMatrix => shape(&[K::STRING; 2], K::MATRIX),
        _ if builtin.in_library() => library_shape(builtin, args, dst),
        B::Perlin | B::UPerlin | B::Cell | B::HashNoise => {
            let dst = pattern(dst)?;
            match (first, args.len()) {
                (K::TRIPLE, 2) => shape(&[K::TRIPLE, K::FLOAT], dst),
                (K::TRIPLE, _) => shape(&[K::TRIPLE], dst),
                (_, 2) => shape(&[K::FLOAT; 2], dst),
                _ => shape(&[K::FLOAT], dst),
            }
        }
        B::Concat => shape(&[K::STRING; 2], K::STRING),
        B::Strlen => shape(&[K::STRING], K::INT),
        B::Startswith | B::Endswith => shape(&[K::STRING; 2], K::INT),
        B::Substr => shape(&[K::STRING, K::INT, K::INT], K::STRING),
        B::Format | B::Printf | B::Warning | B::Error => {
            let mut takes = vec![K::STRING];
            takes.extend(args.iter().skip(1));
            Ok(Shape(takes, (builtin == B::Format).then_some(K::STRING)))
        }
        B::Fprintf => {
            let mut takes = vec![K::STRING; 2];
            takes.extend(args.iter().skip(2));
            Ok(Shape(takes, None))
        }
        B::SetMessage => {
            let mut takes = vec![K::STRING; 3];
            takes.extend(args.iter().skip(3).take(1));
            Ok(Shape(takes, None))
        }
        B::DictFind => shape(&[K::STRING; 2], K::INT),
        B::DictFindBelow => shape(&[K::INT, K::STRING], K::INT),
        B::DictNext => shape(&[K::INT], K::INT),
        B::HasDictValue => shape(&[K::INT, K::STRING, K::INT], K::INT),
        B::DictValue => shape(&[K::INT, K::STRING, K::INT], dst),
        B::Trace => {
            let takes = [K::TRIPLE, K::TRIPLE, K::FLOAT, K::FLOAT, K::INT, K::STRING];
            shape(&takes, K::INT)
        }
        B::IsSpace => shape(&[K::STRING], K::INT),
        B::CloudSearch
        | B::HasCloudValues
        | B::CloudValues
        | B::CloudDistances
        | B::CloudDistanceChanges
        | B::CloudZeros => cloud_shape(builtin, args, dst),
        B::CloudWrite => cloud_write_shape(args),
        B::HasMessage => shape(&[K::STRING, K::STRING, K::STRING, K::STRING, K::INT], K::INT),
        B::MessageValue => shape(&[K::STRING, K::STRING, K::INT], dst),
        B::RayType => shape(&[K::STRING], K::INT),
        B::Backfacing => shape(&[], K::INT),
        B::SurfaceArea => shape(&[], K::FLOAT),
        B::HasAttribute => shape(&[K::STRING; 2], K::INT),
        B::IsConstant => Ok(Shape(args.to_vec(), Some(K::INT))),
        B::HasAnyAttribute => shape(&[K::STRING, K::STRING, K::INT, K::INT], K::INT),
        B::AnyAttribute => shape(&[K::STRING, K::STRING, K::INT, K::INT], dst),
        _ => Err("it has no shape".to_owned()),
    }
}

/// The point indices are an array of any length.
fn cloud_shape(builtin: Builtin, args: &[Kind], dst: Kind) -> Result<Shape, String> {
    use Builtin as B;
    use Kind as K;
    let at = usize::from(builtin != B::HasCloudValues) + usize::from(builtin != B::CloudZeros);
    let points = args.get(at).copied().unwrap_or(K::INT);
    let is_array = |kind: Kind| kind != kind.element();
    let has_points = builtin == B::CloudSearch || is_array(points) && points.element() == K::INT;
    let fills = builtin == B::HasCloudValues || is_array(dst);
    let has_floats =
        !matches!(builtin, B::CloudDistances | B::CloudDistanceChanges) || dst.element() == K::FLOAT;
    if !has_points || !fills || !has_floats {
        return Err("operands or destination are not the arrays of point clouds".to_owned());
    }
    let (takes, gives) = match builtin {
        B::CloudSearch if dst.element() != K::INT => return Err("destination is not of int".to_owned()),
        B::CloudSearch => (vec![K::STRING, K::TRIPLE, K::FLOAT, K::INT, K::INT], dst),
        B::HasCloudValues => (vec![K::STRING, points, K::INT, K::STRING, K::INT], K::INT),
        B::CloudValues => (vec![dst, K::STRING, points, K::INT, K::STRING], dst),
        B::CloudDistances => (vec![dst, K::STRING, points, K::INT, K::TRIPLE], dst),
        B::CloudDistanceChanges => (vec![dst, K::STRING, points, K::INT, K::TRIPLE, K::TRIPLE], dst),
        _ => (vec![dst, points, K::INT], dst),
    };
    Ok(Shape(takes, Some(gives)))
}

/// File name, position, and attributes as pairs of name and value.
fn cloud_write_shape(args: &[Kind]) -> Result<Shape, String> {
    use Kind as K;
    let mut takes = vec![K::STRING, K::TRIPLE];
    for pair in args.get(2..).unwrap_or_default().chunks(2) {
        let &[_, value @ (K::INT | K::FLOAT | K::TRIPLE | K::MATRIX | K::STRING)] = pair else {
            return Err("operands are not the attributes of a point".to_owned());
        };
        takes.extend([K::STRING, value]);
    }
    Ok(Shape(takes, Some(K::INT)))
}

/// Shape of the signature that matches the operands.
fn library_shape(builtin: Builtin, args: &[Kind], dst: Kind) -> Result<Shape, String> {
    let fits = |ty: Type, kind: Kind| match ty.length {
        Length::Unsized => matches!(kind, Kind::Array(..)) && Kind::of(ty.element()) == Some(kind.element()),
        Length::Single | Length::Array(_) => Kind::of(ty) == Some(kind),
    };
    let mut signatures = builtins::signatures().iter().filter(|s| s.builtin == builtin);
    let found = signatures.any(|signature| {
        signature.params.len() == args.len()
            && fits(signature.result, dst)
            && signature.params.iter().zip(args).all(|(&ty, &kind)| fits(ty, kind))
    });
    if found {
        Ok(Shape(args.to_vec(), Some(dst)))
    } else {
        Err("operands fit no signature".to_owned())
    }
}
