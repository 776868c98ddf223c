//! Errors: shader constructs without an equivalent in WGSL.

use shading_syntax::diagnostic::Diagnostic;

/// A construct without an equivalent in WGSL.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RasterError {
    /// A function calls itself.
    Recursion(String),
    /// A string that is unknown when the shader is compiled.
    Text(&'static str),
    /// `trace`.
    Trace,
    /// `getmessage` and `setmessage`.
    Message,
    /// `dict_find` and related functions.
    Dictionary,
    /// `pointcloud_search` and related functions.
    Cloud,
    /// An attribute of another object, or of the renderer.
    Attribute(String),
    /// Information about a texture.
    TextureInfo(String),
    /// A lookup in a kind of texture.
    Texture(&'static str),
    /// A closure without a lobe.
    Closure(String),
    /// A comparison of closures.
    ClosureArray,
    /// A built-in function.
    Function(String),
    /// An output whose type has no equivalent.
    Output { name: String, ty: String },
    /// naga rejects the generated code.
    Invalid(String),
}

impl From<RasterError> for Diagnostic {
    fn from(error: RasterError) -> Diagnostic {
        use RasterError as E;
        let (message, hint) = match error {
            E::Recursion(name) => (
                format!("function `{name}` calls itself, which raster code cannot"),
                "write it as a loop".to_owned(),
            ),
            E::Text(what) => (
                format!("{what} has no equivalent in raster code"),
                "texts must be constants when the shader is compiled".to_owned(),
            ),
            E::Trace => (
                "raster code cannot trace rays".to_owned(),
                "give what is traced as a parameter, or bake it".to_owned(),
            ),
            E::Message => (
                "raster code has no messages".to_owned(),
                "connect an output of one shader to an input of the other".to_owned(),
            ),
            E::Dictionary => (
                "raster code has no dictionaries".to_owned(),
                "give the values as parameters".to_owned(),
            ),
            E::Cloud => (
                "raster code has no point clouds".to_owned(),
                "bake their values into a texture".to_owned(),
            ),
            E::Attribute(name) => (
                format!("raster code has no attribute `{name}`"),
                "attributes of the geometry are those without an object and without a colon".to_owned(),
            ),
            E::TextureInfo(name) => (
                format!("raster code has no information `{name}` about textures"),
                "it has `exists`, `resolution` and `type`".to_owned(),
            ),
            E::Texture(what) => (
                format!("raster code cannot look up {what}"),
                "use `texture` with a constant file name".to_owned(),
            ),
            E::Closure(name) => (
                format!("closure `{name}` has no lobe in raster code"),
                "the page on raster code lists closures and their lobes".to_owned(),
            ),
            E::ClosureArray => (
                "raster code cannot compare closures".to_owned(),
                "compare the numbers that they are made of".to_owned(),
            ),
            E::Function(name) => (
                format!("function {name} has no equivalent in raster code"),
                "compute the value outside of the shader".to_owned(),
            ),
            E::Output { name, ty } => (
                format!("output `{name}` is of type {ty}, which raster code cannot return"),
                "name the outputs that are needed".to_owned(),
            ),
            E::Invalid(message) => (
                format!("the generated code is not valid: {message}"),
                "this is an error in Kiln".to_owned(),
            ),
        };
        Diagnostic::error(message).hint(hint)
    }
}
