//! Table of built-in functions: the operations of [`crate::hir`] that have a name in source, with their signatures. The
//! checker, the constant folder, the interpreter and the code generator read this table.
//!
//! Functions that can be written in the language (`mix`, `reflect`, `smoothstep` …) are in the prelude
//! (`shading/src/check/prelude.ksl`).

use crate::ty::{Base, Length, Type};

/// A function evaluated by host code or a few instructions. Pure, unless [`Builtin::is_pure`] says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "each is the function of that name in the OSL specification"
)]
pub enum Builtin {
    // f(float) → float; on a triple, lane by lane.
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Logb,
    Sqrt,
    InverseSqrt,
    Cbrt,
    Abs,
    Sign,
    Floor,
    Ceil,
    Round,
    Trunc,
    Erf,
    Erfc,
    // f(float, float) → float; on triples, lane by lane.
    Pow,
    Atan2,
    Fmod,
    Min,
    Max,
    // Tests.
    IsNan,
    IsInf,
    IsFinite,
    // Triples.
    Dot,
    Cross,
    Length,
    Normalize,
    // Matrices.
    Determinant,
    Transpose,
    /// `(matrix, point) → point`, with division by w.
    TransformPoint,
    /// `(matrix, vector) → vector`.
    TransformVector,
    /// `(matrix, normal) → normal`, by the inverse transpose.
    TransformNormal,
    /// `(string from, string to) → matrix`, from the host; for an unknown space, the identity and an error report.
    SpaceMatrix,
    // Patterns: the argument is 1, 2 (two floats), 3 (a triple) or 4-dimensional (a triple and a float); the type of
    // the destination decides whether the result is a float or a triple.
    /// `noise("perlin", …)`: signed gradient noise in `[-1,1]`.
    Perlin,
    /// `noise("uperlin", …)`: unsigned gradient noise in `[0,1]`.
    UPerlin,
    /// `noise("cell", …)`: one value in `[0,1]` for each unit cell.
    Cell,
    /// `noise("hash", …)`: one value in `[0,1]` for each point.
    HashNoise,
    /// `noise(kind, …)`: `(string, coordinates)`; for a kind that may be Gabor noise, then its options (anisotropic,
    /// do_filter, direction, bandwidth, impulses), the derivatives of the coordinates in x, and those in y.
    Noise,
    /// `pnoise(kind, …)`: as [`Builtin::Noise`], with one period per coordinate after the coordinates.
    PNoise,
    /// `spline(string, float, T[])` and `spline(string, float, int, T[])` → T.
    Spline,
    /// `splineinverse`: the inverse of a spline of floats.
    SplineInverse,
    /// `hash` of an int, float, two floats, a point, a point and a float, or a string.
    Hash,
    // Colours, in the [`crate::eval::color_system::ColorSystem`] with the given number.
    /// `(float temperature, int system) → color`.
    Blackbody,
    /// `(float wavelength, int system) → color`.
    WavelengthColor,
    // Strings.
    /// `concat(string, string)`.
    Concat,
    Strlen,
    Startswith,
    Endswith,
    Substr,
    GetChar,
    Stoi,
    Stof,
    /// `(string[n] results, string text, string separator, int maxsplit)` → `results` with its first elements set to
    /// the pieces.
    Split,
    /// `(string text, string separator, int maxsplit)` → the number of pieces.
    SplitCount,
    /// `regex_match(string text, string pattern)`.
    RegexMatch,
    /// `regex_search(string text, string pattern)`.
    RegexSearch,
    /// `(int[n] results, string text, string pattern)` → begin and end offsets of the match and its groups, for
    /// `regex_match`.
    RegexMatchPlaces,
    /// As [`Builtin::RegexMatchPlaces`], for `regex_search`.
    RegexSearchPlaces,
    /// `format(string, …) → string`.
    Format,
    // Side effects.
    /// `printf(string, …)`.
    Printf,
    /// `warning(string, …)`.
    Warning,
    /// `error(string, …)`.
    Error,
    /// `fprintf(string file, string, …)`.
    Fprintf,
    // Messages. `place` is the source location of the call.
    /// `(string name, string type, string place, value)`.
    SetMessage,
    /// `(string source, string name, string type, string place, int kind) → int`: whether a message of that type
    /// exists; `kind` is its [`crate::hir::Kind::code`].
    HasMessage,
    /// `(string source, string name, int kind)` → the value of a message that exists.
    MessageValue,
    // Dictionaries.
    /// `dict_find(string dictionary, string path) → int`.
    DictFind,
    /// `dict_find(int node, string path) → int`.
    DictFindBelow,
    /// `dict_next(int node) → int`.
    DictNext,
    /// `(int node, string attribute, int kind) → int`: whether a value exists; `kind` is a [`crate::hir::Kind::code`].
    HasDictValue,
    /// `(int node, string attribute, int kind)` → the value.
    DictValue,
    // Host queries.
    /// `(point, vector, float mindist, float maxdist, int shade, string traceset) → int`: whether a ray hits anything.
    Trace,
    /// `(string) → int`: whether the host knows a coordinate space.
    IsSpace,
    // Point clouds. The previous contents of an array are an operand; the first elements are replaced, one per point.
    /// `(string file, point center, float radius, int max_points, int sort) → int[n + 1]`: the indices of the nearest
    /// points, with their number in the last element.
    CloudSearch,
    /// `(string file, int[] points, int count, string name, int kind) → int`: whether the attribute exists with a type
    /// that fits an array of that [`crate::hir::Kind::code`], and all points exist.
    HasCloudValues,
    /// `(T[n] before, string file, int[] points, int count, string name) → T[n]`: the values of an attribute.
    CloudValues,
    /// `(float[n] before, string file, int[] points, int count, point center) → float[n]`: distances from the centre.
    CloudDistances,
    /// `(float[n] before, string file, int[] points, int count, point center, vector change) → float[n]`: derivatives of the
    /// distances for a derivative of the centre.
    CloudDistanceChanges,
    /// `(T[n] before, int[] points, int count) → T[n]`: zero.
    CloudZeros,
    /// `(string file, point position, string name, value, …) → int`: whether the point with its attributes is recorded
    /// for writing.
    CloudWrite,
    // Queries of the shading point.
    /// `raytype(string) → int`.
    RayType,
    /// `backfacing() → int`.
    Backfacing,
    /// `surfacearea() → float`.
    SurfaceArea,
    /// `getattribute(string object, string name) → int found`; the value is read by `Op::AttributeValue`.
    HasAttribute,
    /// `isconstant(value) → int`: whether the optimiser proves the value constant, independent of the optimisation
    /// options.
    IsConstant,
    /// `(string object, string name, int index, int kind) → int found`: an attribute that may have more than four
    /// floats, with its [`crate::hir::Kind::code`]; one element of it if the index is not negative.
    HasAnyAttribute,
    /// `(string object, string name, int index, int kind)` → the value.
    AnyAttribute,
}

impl Builtin {
    /// Returns whether a call is free of side effects: it can be removed, merged with an equal call, or folded.
    pub fn is_pure(self) -> bool {
        !matches!(
            self,
            Builtin::Printf
                | Builtin::Warning
                | Builtin::Error
                | Builtin::Fprintf
                | Builtin::SetMessage
                | Builtin::HasMessage
                | Builtin::MessageValue
                | Builtin::DictFind
                | Builtin::DictFindBelow
                | Builtin::DictNext
                | Builtin::HasDictValue
                | Builtin::DictValue
                | Builtin::Trace
                | Builtin::CloudWrite
        )
    }

    /// Returns whether the function is implemented in [`crate::eval::library`].
    pub fn in_library(self) -> bool {
        use Builtin as B;
        matches!(
            self,
            B::Noise
                | B::PNoise
                | B::Spline
                | B::SplineInverse
                | B::Hash
                | B::Blackbody
                | B::WavelengthColor
                | B::GetChar
                | B::Stoi
                | B::Stof
                | B::Split
                | B::SplitCount
                | B::RegexMatch
                | B::RegexSearch
                | B::RegexMatchPlaces
                | B::RegexSearchPlaces
        )
    }

    /// Returns whether the derivatives are computed together with the value, by [`crate::hir::Op::BuiltinDual`].
    pub fn has_dual(self) -> bool {
        matches!(
            self,
            Builtin::Perlin
                | Builtin::UPerlin
                | Builtin::Noise
                | Builtin::PNoise
                | Builtin::Spline
                | Builtin::SplineInverse
        )
    }

    /// Returns whether the result depends on the arguments only, so that calls with constant arguments can be folded.
    pub fn is_foldable(self) -> bool {
        self.is_pure()
            && !matches!(
                self,
                Builtin::SpaceMatrix
                    | Builtin::RayType
                    | Builtin::Backfacing
                    | Builtin::SurfaceArea
                    | Builtin::HasAttribute
                    | Builtin::IsConstant
                    | Builtin::IsSpace
                    | Builtin::HasAnyAttribute
                    | Builtin::AnyAttribute
                    | Builtin::CloudSearch
                    | Builtin::HasCloudValues
                    | Builtin::CloudValues
                    | Builtin::CloudDistances
                    | Builtin::CloudDistanceChanges
                    | Builtin::CloudZeros
            )
    }

    /// Returns whether the function is a point cloud function with an array result.
    pub fn is_cloud_array(self) -> bool {
        matches!(
            self,
            Builtin::CloudSearch
                | Builtin::CloudValues
                | Builtin::CloudDistances
                | Builtin::CloudDistanceChanges
                | Builtin::CloudZeros
        )
    }
}

/// An overload of a built-in function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signature {
    /// Name in source.
    pub name: &'static str,
    /// Operation.
    pub builtin: Builtin,
    /// Result type; an array without length has the length of the first argument.
    pub result: Type,
    /// Parameter types.
    pub params: &'static [Type],
    /// True if any number of further arguments may follow (`printf` …).
    pub variadic: bool,
}

/// A global variable of a shading point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "each is the variable of that name in the OSL specification"
)]
pub enum Global {
    P,
    I,
    N,
    Ng,
    U,
    V,
    DPdu,
    DPdv,
    Ps,
    Time,
    DTime,
    DPdtime,
}

impl Global {
    /// The globals.
    pub const ALL: [Global; 12] = [
        Global::P,
        Global::I,
        Global::N,
        Global::Ng,
        Global::U,
        Global::V,
        Global::DPdu,
        Global::DPdv,
        Global::Ps,
        Global::Time,
        Global::DTime,
        Global::DPdtime,
    ];

    /// Name in source.
    pub fn name(self) -> &'static str {
        match self {
            Global::P => "P",
            Global::I => "I",
            Global::N => "N",
            Global::Ng => "Ng",
            Global::U => "u",
            Global::V => "v",
            Global::DPdu => "dPdu",
            Global::DPdv => "dPdv",
            Global::Ps => "Ps",
            Global::Time => "time",
            Global::DTime => "dtime",
            Global::DPdtime => "dPdtime",
        }
    }

    /// Returns the global of the given name.
    pub fn from_name(name: &str) -> Option<Global> {
        Global::ALL.into_iter().find(|g| g.name() == name)
    }

    /// Returns whether the derivatives of the global are part of the shading point; those of other globals are zero.
    pub fn has_derivatives(self) -> bool {
        matches!(self, Global::P | Global::I | Global::U | Global::V)
    }

    /// Type of the global.
    pub fn ty(self) -> Type {
        match self {
            Global::P | Global::Ps => Type::POINT,
            Global::N | Global::Ng => Type::NORMAL,
            Global::I | Global::DPdu | Global::DPdv | Global::DPdtime => Type::VECTOR,
            Global::U | Global::V | Global::Time | Global::DTime => Type::FLOAT,
        }
    }
}

/// Returns the signatures. Overloads of a name are adjacent, the preferred one first.
pub fn signatures() -> &'static [Signature] {
    static TABLE: std::sync::LazyLock<Vec<Signature>> = std::sync::LazyLock::new(table);
    &TABLE
}

/// Iterates over the overloads of a name.
pub fn overloads(name: &str) -> impl Iterator<Item = &'static Signature> {
    signatures().iter().filter(move |s| s.name == name)
}

fn table() -> Vec<Signature> {
    use Builtin as B;
    const F: Type = Type::FLOAT;
    const I: Type = Type::INT;
    const S: Type = Type::STRING;
    const M: Type = Type::MATRIX;
    const P: Type = Type::POINT;
    const V: Type = Type::VECTOR;
    const N: Type = Type::NORMAL;
    const C: Type = Type::COLOR;
    let mut table = vec![];
    let mut add = |name, builtin, result, params: &[Type], variadic| {
        let params = params.to_vec().leak();
        table.push(Signature { name, builtin, result, params, variadic });
    };
    // For a float, and for each triple type component by component.
    let unary = [
        ("sin", B::Sin),
        ("cos", B::Cos),
        ("tan", B::Tan),
        ("asin", B::Asin),
        ("acos", B::Acos),
        ("atan", B::Atan),
        ("sinh", B::Sinh),
        ("cosh", B::Cosh),
        ("tanh", B::Tanh),
        ("exp", B::Exp),
        ("exp2", B::Exp2),
        ("expm1", B::Expm1),
        ("log", B::Log),
        ("log2", B::Log2),
        ("log10", B::Log10),
        ("logb", B::Logb),
        ("sqrt", B::Sqrt),
        ("inversesqrt", B::InverseSqrt),
        ("cbrt", B::Cbrt),
        ("abs", B::Abs),
        ("fabs", B::Abs),
        ("sign", B::Sign),
        ("floor", B::Floor),
        ("ceil", B::Ceil),
        ("round", B::Round),
        ("trunc", B::Trunc),
    ];
    for (name, b) in unary {
        if b == B::Abs {
            add(name, b, I, &[I], false);
        }
        for t in [F, C, P, V, N] {
            add(name, b, t, &[t], false);
        }
    }
    add("erf", B::Erf, F, &[F], false);
    add("erfc", B::Erfc, F, &[F], false);
    for (name, b) in
        [("pow", B::Pow), ("atan2", B::Atan2), ("fmod", B::Fmod), ("min", B::Min), ("max", B::Max)]
    {
        if matches!(b, B::Min | B::Max) {
            add(name, b, I, &[I, I], false);
        }
        add(name, b, F, &[F, F], false);
        for t in [C, P, V, N] {
            add(name, b, t, &[t, t], false);
        }
    }
    for (name, b) in [("isnan", B::IsNan), ("isinf", B::IsInf), ("isfinite", B::IsFinite)] {
        add(name, b, I, &[F], false);
    }
    add("dot", B::Dot, F, &[V, V], false);
    add("cross", B::Cross, V, &[V, V], false);
    add("length", B::Length, F, &[V], false);
    add("normalize", B::Normalize, V, &[V], false);
    add("normalize", B::Normalize, N, &[N], false);
    add("determinant", B::Determinant, F, &[M], false);
    add("transpose", B::Transpose, M, &[M], false);
    add("concat", B::Concat, S, &[S], true);
    add("strlen", B::Strlen, I, &[S], false);
    add("startswith", B::Startswith, I, &[S, S], false);
    add("endswith", B::Endswith, I, &[S, S], false);
    add("substr", B::Substr, S, &[S, I, I], false);
    const UNSIZED: fn(Type) -> Type = |ty| ty.with_length(Length::Unsized);
    let (ints, floats, strings) = (UNSIZED(I), UNSIZED(F), UNSIZED(S));
    add("getchar", B::GetChar, I, &[S, I], false);
    add("stoi", B::Stoi, I, &[S], false);
    add("stof", B::Stof, F, &[S], false);
    add("regex_match", B::RegexMatch, I, &[S, S], false);
    add("regex_search", B::RegexSearch, I, &[S, S], false);
    // The parts of `split` and of the regular expression functions with results that the prelude calls.
    add("__split", B::Split, strings, &[strings, S, S, I], false);
    add("__split_count", B::SplitCount, I, &[S, S, I], false);
    add("__match_places", B::RegexMatchPlaces, ints, &[ints, S, S], false);
    add("__search_places", B::RegexSearchPlaces, ints, &[ints, S, S], false);
    add("dict_find", B::DictFind, I, &[S, S], false);
    add("dict_find", B::DictFindBelow, I, &[I, S], false);
    add("dict_next", B::DictNext, I, &[I], false);
    add("__trace", B::Trace, I, &[P, V, F, F, I, S], false);
    add("__is_space", B::IsSpace, I, &[S], false);
    for params in [&[I][..], &[F], &[F, F], &[P], &[P, F], &[S]] {
        add("hash", B::Hash, I, params, false);
    }
    add("__blackbody", B::Blackbody, C, &[F, I], false);
    add("__wavelength_color", B::WavelengthColor, C, &[F, I], false);
    for t in [F, C, P, V, N] {
        add("spline", B::Spline, t, &[S, F, UNSIZED(t)], false);
        add("spline", B::Spline, t, &[S, F, I, UNSIZED(t)], false);
    }
    add("splineinverse", B::SplineInverse, F, &[S, F, floats], false);
    add("splineinverse", B::SplineInverse, F, &[S, F, I, floats], false);
    add("format", B::Format, S, &[S], true);
    add("printf", B::Printf, Type::VOID, &[S], true);
    add("warning", B::Warning, Type::VOID, &[S], true);
    add("error", B::Error, Type::VOID, &[S], true);
    // `error` without the name of the unit as prefix.
    add("__error", B::Error, Type::VOID, &[S], true);
    add("fprintf", B::Fprintf, Type::VOID, &[S, S], true);
    add("raytype", B::RayType, I, &[S], false);
    add("backfacing", B::Backfacing, I, &[], false);
    add("surfacearea", B::SurfaceArea, F, &[], false);
    add("transform", B::TransformPoint, P, &[M, P], false);
    add("transform", B::TransformVector, V, &[M, V], false);
    add("transform", B::TransformNormal, N, &[M, N], false);
    // Noise without a kind is OSL's unsigned Perlin noise; the checker resolves `noise("kind", …)` to these names.
    for (name, b) in [
        ("noise", B::UPerlin),
        ("snoise", B::Perlin),
        ("cellnoise", B::Cell),
        ("hashnoise", B::HashNoise),
    ] {
        for result in [F, C, V, P, N] {
            for params in [&[F][..], &[F, F], &[P], &[P, F]] {
                add(name, b, result, params, false);
            }
        }
    }
    for (name, b) in [("__noise", B::Noise), ("__pnoise", B::PNoise)] {
        for result in [F, C, V, P, N] {
            for coordinates in [&[F][..], &[F, F], &[P], &[P, F]] {
                let periods = if b == B::PNoise { coordinates } else { &[] };
                let params = [&[S], coordinates, periods].concat();
                add(name, b, result, &params, false);
                let gabor = [&params[..], &[I, I, V, F, F], coordinates, coordinates].concat();
                add(name, b, result, &gabor, false);
            }
        }
    }
    table
}

/// Returns the name of the function that computes noise of the given kind only, if there is one.
pub fn noise_function(name: &str) -> Option<&'static str> {
    match name {
        "perlin" | "snoise" => Some("snoise"),
        "uperlin" | "noise" => Some("noise"),
        "cell" | "cellnoise" => Some("cellnoise"),
        "hash" | "hashnoise" => Some("hashnoise"),
        _ => None,
    }
}

/// Returns whether values of a type can be passed to `printf`.
pub fn is_printable(ty: Type) -> bool {
    !matches!(ty.base, Base::Void | Base::Struct(_))
}
