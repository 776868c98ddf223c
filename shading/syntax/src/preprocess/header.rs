//! OSL's standard headers by name; their texts are in `preprocess/headers/`.

use std::sync::Arc;

use crate::source::Source;

/// Headers, each with the text of the declarations that are not built in.
const HEADERS: [(&str, &str); 8] = [
    ("stdosl.h", ""),
    ("oslutil.h", include_str!("headers/oslutil.h")),
    ("componentwise.h", include_str!("headers/componentwise.h")),
    ("color2.h", include_str!("headers/color2.h")),
    ("color4.h", include_str!("headers/color4.h")),
    ("vector2.h", include_str!("headers/vector2.h")),
    ("vector4.h", include_str!("headers/vector4.h")),
    ("matrix33.h", include_str!("headers/matrix33.h")),
];

/// Include guard macro of `stdosl.h`.
pub(super) const GUARD: &str = "STDOSL_H";

/// Returns whether all declarations of a header are built in, so that no file of this name is needed.
pub(super) fn is_built_in(name: &str) -> bool {
    name == "stdosl.h" || name.ends_with("/stdosl.h")
}

/// Returns a header by its name; the folder in the name is ignored.
pub(super) fn find(name: &str) -> Option<Arc<Source>> {
    let file = name.rsplit(['/', '\\']).next()?;
    let (name, text) = HEADERS.iter().find(|(header, _)| *header == file)?;
    Some(Source::new(format!("<{name}>"), *text))
}
