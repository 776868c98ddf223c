//! Metadata values of image files (key-value pairs).

/// A value in an image's metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum MetaValue {
    /// Text.
    Text(String),
    /// A whole number.
    Int(i32),
    /// A number.
    Float(f64),
}

impl From<&str> for MetaValue {
    fn from(v: &str) -> MetaValue {
        MetaValue::Text(v.to_owned())
    }
}

impl From<String> for MetaValue {
    fn from(v: String) -> MetaValue {
        MetaValue::Text(v)
    }
}

impl From<f64> for MetaValue {
    fn from(v: f64) -> MetaValue {
        MetaValue::Float(v)
    }
}

impl From<u64> for MetaValue {
    /// Integers of EXR are signed 32-bit; larger ones become text.
    fn from(v: u64) -> MetaValue {
        i32::try_from(v).map_or_else(|_| MetaValue::Text(v.to_string()), MetaValue::Int)
    }
}
