//! Values by their names and whole numbers, for the command line and for programs.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Parses the name of a value on the command line.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(values.map(|(name, _)| name));
    names.try_map(move |name| named(&name, &values).map_err(std::io::Error::other))
}

/// Parses a whole number.
///
/// # Errors
/// If it is none.
pub fn whole_number(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a whole number"))
}

/// Name of a value on the command line.
pub fn name_of(value: &impl ValueEnum) -> String {
    value
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The value of a name.
///
/// # Errors
/// The known names, if it is none of them.
pub fn named<T: Copy>(name: &str, values: &[(&str, T)]) -> Result<T, String> {
    let found = values.iter().find(|(known, _)| *known == name);
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| format!("it is one of {}", names.join(", ")))
}

/// The variant of a name.
///
/// # Errors
/// The known names, if it is none of them.
pub fn variant<T: ValueEnum + Copy>(name: &str) -> Result<T, String> {
    let values: Vec<_> = T::value_variants()
        .iter()
        .filter_map(|value| Some((value.to_possible_value()?, *value)))
        .collect();
    let values: Vec<(&str, T)> = values.iter().map(|(known, value)| (known.get_name(), *value)).collect();
    named(name, &values)
}
