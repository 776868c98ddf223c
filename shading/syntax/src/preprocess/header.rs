//! OSL's standard headers by name; their texts are in `preprocess/headers/`.

use std::sync::Arc;

use crate::source::Source;

/// Headers and what of them is not built in.
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

/// What `stdosl.h` defines, so that it is read once.
pub(super) const GUARD: &str = "STDOSL_H";

/// Whether all that a header declares is built in, so that no file of its name is wanted.
pub(super) fn is_built_in(name: &str) -> bool {
    name == "stdosl.h" || name.ends_with("/stdosl.h")
}

/// A header by its name, whatever folder is named with it.
pub(super) fn find(name: &str) -> Option<Arc<Source>> {
    let file = name.rsplit(['/', '\\']).next()?;
    let (name, text) = HEADERS.iter().find(|(header, _)| *header == file)?;
    Some(Source::new(format!("<{name}>"), *text))
}
