//! Typed access to closures: an enum of the embedder whose variants are closures, declared by
//! [`closures!`](crate::closures).

use std::fmt;
use std::marker::PhantomData;

use crate::runtime::closure::{ClosureTree, Component, Params};
use shading_compiler::hir::{ClosureError, ClosureRegistry, ClosureSignature};

/// An enum whose variants are closures. Declare it with [`closures!`](crate::closures), which implements this.
pub trait ClosureSet {
    /// The enum with the lifetime of a closure tree, from which variants may borrow strings and closures.
    type Read<'r>;

    /// Signatures of the variants, in order.
    fn signatures() -> Vec<ClosureSignature>;

    /// Reads the parameters of the variant with an index.
    fn read<'r>(index: usize, reader: ParamReader<'r>) -> Option<Self::Read<'r>>;
}

/// The variants of a [`ClosureSet`] by their ids in a registry.
///
/// Can read components of all systems with that registry. The signature of a closure in a tree is compared with that of the
/// variant, so that components of other registries are never misread.
pub struct ClosureTypes<C> {
    /// By id.
    variants: Vec<Option<Variant>>,
    set: PhantomData<fn() -> C>,
}

#[derive(Clone, Copy, Debug)]
struct Variant {
    index: usize,
    fingerprint: u64,
}

impl<C: ClosureSet> ClosureTypes<C> {
    /// Registers all closures of the set.
    ///
    /// # Errors
    /// As for [`ClosureRegistry::register`]. The registry is unchanged then.
    pub fn register(registry: &mut ClosureRegistry) -> Result<ClosureTypes<C>, ClosureError> {
        let mut extended = registry.clone();
        for signature in C::signatures() {
            extended.register(signature)?;
        }
        *registry = extended;
        ClosureTypes::bind(registry)
    }

    /// Finds all closures of the set in a registry.
    ///
    /// # Errors
    /// If a closure name is unknown, or no closure of the name has the parameters of the variant.
    pub fn bind(registry: &ClosureRegistry) -> Result<ClosureTypes<C>, ClosureError> {
        let mut variants = vec![];
        for (index, signature) in C::signatures().iter().enumerate() {
            let fits = |known: &ClosureSignature| known.has_params_of(signature);
            let mut overloads = registry.overloads(signature.name);
            let Some((id, _)) = overloads.find(|(_, known)| fits(known)) else {
                return Err(mismatch(registry, signature));
            };
            let id = id.0 as usize;
            if variants.len() <= id {
                variants.resize(id + 1, None);
            }
            let fingerprint = signature.fingerprint();
            variants[id] = Some(Variant { index, fingerprint });
        }
        let set = PhantomData;
        Ok(ClosureTypes { variants, set })
    }

    /// Reads a component; `None` if it is not a closure of this set.
    #[inline]
    pub fn read<'r>(&self, component: &Component<'r>) -> Option<C::Read<'r>> {
        let Variant { index, fingerprint } = (*self.variants.get(component.id.0 as usize)?)?;
        if !component.params.belong_to(component.id, fingerprint) {
            return None;
        }
        let params = component.params;
        C::read(index, ParamReader { params, at: 0 })
    }
}

impl<C> fmt::Debug for ClosureTypes<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.variants.iter().flatten()).finish()
    }
}

fn mismatch(registry: &ClosureRegistry, expected: &ClosureSignature) -> ClosureError {
    let found: Vec<String> = registry
        .overloads(expected.name)
        .map(|(_, signature)| signature.to_string())
        .collect();
    if found.is_empty() {
        return ClosureError::Unknown { name: expected.name };
    }
    ClosureError::Mismatch {
        expected: expected.to_string(),
        found: found.join(" and as "),
    }
}

/// Reads the parameters of a component one after another, in the order of the signature. Only [`ClosureTypes`] creates
/// readers.
#[derive(Clone, Copy)]
pub struct ParamReader<'a> {
    params: Params<'a>,
    at: usize,
}

impl<'a> ParamReader<'a> {
    /// Returns the offset of the next value, of `bytes` bytes.
    #[inline]
    fn next(&mut self, bytes: usize) -> usize {
        let align = if bytes == 8 { 8 } else { 4 };
        let at = self.at.next_multiple_of(align);
        self.at = at + bytes;
        at
    }

    /// Reads an int.
    #[inline]
    pub fn int(&mut self) -> i32 {
        let at = self.next(4);
        self.params.int(at)
    }

    /// Reads a float.
    #[inline]
    pub fn float(&mut self) -> f32 {
        let at = self.next(4);
        self.params.float(at)
    }

    /// Reads a color, point, vector or normal.
    #[inline]
    pub fn triple(&mut self) -> [f32; 3] {
        let at = self.next(12);
        self.params.triple(at)
    }

    /// Reads a matrix, row-major.
    #[inline]
    pub fn matrix(&mut self) -> [f32; 16] {
        let at = self.next(64);
        self.params.matrix(at)
    }

    /// Reads a string.
    #[inline]
    pub fn string(&mut self) -> &'a str {
        let at = self.next(8);
        self.params.string(at)
    }

    /// Reads a closure.
    #[inline]
    pub fn closure(&mut self) -> ClosureTree<'a> {
        let at = self.next(8);
        self.params.tree(at)
    }
}

/// Declares the closures of a renderer as an enum, with the parameters written as in the language.
///
/// ```
/// use shading::{ClosureRegistry, ClosureTypes};
///
/// shading::closures! {
///     /// What surfaces of this renderer are made of.
///     #[derive(Clone, Copy, Debug)]
///     pub enum Lobe<'a> {
///         /// Lambert's reflection.
///         Matte = matte(normal n),
///         /// A mirror.
///         Mirror = mirror(normal n, float eta = 1.5, string label = ""),
///         /// A layer over another closure.
///         Coat = coat(closure base, color absorption[2]),
///     }
/// }
///
/// # fn main() -> Result<(), shading::ClosureError> {
/// let mut registry = ClosureRegistry::default();
/// let lobes = ClosureTypes::<Lobe>::register(&mut registry)?;
/// # let _ = lobes;
/// # Ok(())
/// # }
/// ```
///
/// - The name before the brackets is the one that shaders use; two variants may have the same name and different types.
/// - The types are `int`, `float`, `color`, `point`, `vector`, `normal`, `matrix`, `string` and `closure`. The fields of
///   the variants are `i32`, `f32`, `[f32; 3]` (for the four triples), `[f32; 16]`, `&'a str` and
///   [`ClosureTree<'a>`](crate::ClosureTree); an array `float w[4]` is `[f32; 4]`.
/// - Parameters with a default value come last. Shaders may omit them or give them by name: `mirror(N, "eta", 1.33)`.
/// - The enum has a lifetime if a parameter is a string or a closure.
///
/// [`ClosureTypes::register`] adds the closures to a registry, and [`ClosureTypes::read`] converts a component to a variant.
#[macro_export]
macro_rules! closures {
    ($(#[$meta:meta])* $vis:vis enum $set:ident<$life:lifetime> { $($body:tt)* }) => {
        $crate::closures! { @set [$(#[$meta])*] [$vis] $set [<$life>] [<'static>] [<'r>] $life { $($body)* } }
    };
    ($(#[$meta:meta])* $vis:vis enum $set:ident { $($body:tt)* }) => {
        $crate::closures! { @set [$(#[$meta])*] [$vis] $set [] [] [] 'static { $($body)* } }
    };
    (@set [$(#[$meta:meta])*] [$vis:vis] $set:ident [$($own:tt)*] [$($fixed:tt)*] [$($read:tt)*] $life:lifetime {
        $(
            $(#[$note:meta])*
            $variant:ident = $name:ident(
                $($ty:ident $param:ident $([$count:expr])? $(= $default:expr)?),* $(,)?
            )
        ),* $(,)?
    }) => {
        $(#[$meta])*
        $vis enum $set $($own)* {
            $(
                $(#[$note])*
                $variant {
                    $(
                        #[doc = concat!("`", stringify!($ty $param $([$count])?), "`")]
                        $param: $crate::closures!(@field $life $ty $($count)?)
                    ),*
                }
            ),*
        }

        impl $crate::ClosureSet for $set $($fixed)* {
            type Read<'r> = $set $($read)*;

            fn signatures() -> ::std::vec::Vec<$crate::ClosureSignature> {
                ::std::vec![$($crate::ClosureSignature {
                    name: stringify!($name),
                    params: ::std::vec![$($crate::ClosureParam {
                        name: stringify!($param),
                        ty: $crate::closures!(@type $ty $($count)?),
                        default: $crate::closures!(@default $ty $([$count])? $($default)?),
                    }),*],
                }),*]
            }

            #[inline]
            #[allow(unused_assignments, unused_mut, unused_variables, reason = "there may be no parameters")]
            fn read<'r>(
                index: usize,
                mut reader: $crate::ParamReader<'r>,
            ) -> ::std::option::Option<$set $($read)*> {
                let mut at = 0;
                $(
                    if index == at {
                        return ::std::option::Option::Some($set::$variant {
                            $($param: $crate::closures!(@value reader $ty $($count)?)),*
                        });
                    }
                    at += 1;
                )*
                ::std::option::Option::None
            }
        }
    };

    (@field $life:lifetime $ty:ident $count:expr) => { [$crate::closures!(@field $life $ty); $count] };
    (@field $life:lifetime int) => { i32 };
    (@field $life:lifetime float) => { f32 };
    (@field $life:lifetime color) => { [f32; 3] };
    (@field $life:lifetime point) => { [f32; 3] };
    (@field $life:lifetime vector) => { [f32; 3] };
    (@field $life:lifetime normal) => { [f32; 3] };
    (@field $life:lifetime matrix) => { [f32; 16] };
    (@field $life:lifetime string) => { &$life str };
    (@field $life:lifetime closure) => { $crate::ClosureTree<$life> };
    (@field $life:lifetime $ty:ident) => {
        ::std::compile_error!(concat!("closures have no parameters of type `", stringify!($ty), "`"))
    };

    (@type $ty:ident $count:expr) => { $crate::Type::array($crate::closures!(@type $ty).base, $count) };
    (@type int) => { $crate::Type::INT };
    (@type float) => { $crate::Type::FLOAT };
    (@type color) => { $crate::Type::COLOR };
    (@type point) => { $crate::Type::POINT };
    (@type vector) => { $crate::Type::VECTOR };
    (@type normal) => { $crate::Type::NORMAL };
    (@type matrix) => { $crate::Type::MATRIX };
    (@type string) => { $crate::Type::STRING };
    (@type closure) => { $crate::Type::CLOSURE };
    (@type $ty:ident) => { $crate::Type::VOID };

    (@default $ty:ident) => { ::std::option::Option::None };
    (@default $ty:ident [$count:expr]) => { ::std::option::Option::None };
    (@default $ty:ident [$count:expr] $value:expr) => {
        ::std::option::Option::Some($crate::Const::Array(
            $value.into_iter().map(|value| $crate::closures!(@const $ty value)).collect(),
        ))
    };
    (@default $ty:ident $value:expr) => {
        ::std::option::Option::Some($crate::closures!(@const $ty $value))
    };
    (@const int $value:expr) => { $crate::Const::Int($value) };
    (@const float $value:expr) => { $crate::Const::Float($value) };
    (@const color $value:expr) => { $crate::Const::Triple($value) };
    (@const point $value:expr) => { $crate::Const::Triple($value) };
    (@const vector $value:expr) => { $crate::Const::Triple($value) };
    (@const normal $value:expr) => { $crate::Const::Triple($value) };
    (@const matrix $value:expr) => { $crate::Const::Matrix($value) };
    (@const string $value:expr) => { $crate::Const::String($value.into()) };
    (@const $ty:ident $value:expr) => {
        ::std::compile_error!(concat!("parameters of type `", stringify!($ty), "` have no default values"))
    };

    (@value $reader:ident $ty:ident $count:expr) => {
        ::std::array::from_fn::<_, { $count }, _>(|_| $crate::closures!(@value $reader $ty))
    };
    (@value $reader:ident int) => { $reader.int() };
    (@value $reader:ident float) => { $reader.float() };
    (@value $reader:ident color) => { $reader.triple() };
    (@value $reader:ident point) => { $reader.triple() };
    (@value $reader:ident vector) => { $reader.triple() };
    (@value $reader:ident normal) => { $reader.triple() };
    (@value $reader:ident matrix) => { $reader.matrix() };
    (@value $reader:ident string) => { $reader.string() };
    (@value $reader:ident closure) => { $reader.closure() };
    (@value $reader:ident $ty:ident) => { ::std::unreachable!() };
}
