//! A user's model on the stage.

use std::path::Path;

use shading::Diagnostic;
use shading::syntax::ast::Expr;

use renderer_base::math::Bounds;
use renderer_import::read_model;

/// Height of the stage's subject [m].
const HEIGHT: f32 = 2.0;

/// The import of a model, whose subject is made as large as a ball and put on the floor, with the material on the stage.
pub(super) fn declarations(path: &Path) -> Result<String, Diagnostic> {
    let model = read_model(path).map_err(|error| error.diagnostic())?;
    let bounds = Bounds::of_points(model.subject_points());
    let extent = bounds.max - bounds.min;
    let refuse = |reason: &str| Diagnostic::error(format!("--on {}: {reason}", path.display()));
    if bounds.is_empty() || !(extent.max_element() > 0.0 && extent.is_finite()) {
        return Err(refuse("the model has no extent"));
    }
    let Some(name) = std::path::absolute(path).ok().and_then(|path| path.to_str().map(str::to_owned)) else {
        return Err(refuse("its name is no text"));
    };
    let scale = HEIGHT / extent.max_element();
    let center = bounds.center();
    Ok(format!(
        "import {} as body {{ lights = false; transform = scale({scale}) * translate({}, {}, {}); }}\n\
         assign body = subject;",
        Expr::string(name),
        -center.x,
        -bounds.min.y,
        -center.z,
    ))
}
