//! Object attributes of scene files: numbers or a text, by name.

use std::sync::Arc;

/// Value of an [`ObjectAttributes`] entry.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectValue {
    /// Numbers, at least one: a float, a triple, a matrix or an array.
    Numbers(Vec<f32>),
    /// A text.
    Text(Arc<str>),
}

/// Attributes of an object by name. Clones share the data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectAttributes(Option<Arc<[(String, ObjectValue)]>>);

impl ObjectAttributes {
    /// Attributes with different names.
    pub fn new(list: Vec<(String, ObjectValue)>) -> ObjectAttributes {
        ObjectAttributes((!list.is_empty()).then(|| list.into()))
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = &(String, ObjectValue)> {
        self.0.iter().flat_map(|list| list.iter())
    }

    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&ObjectValue> {
        self.iter().find_map(|(own, value)| (own == name).then_some(value))
    }

    /// Returns these attributes, and those of `other` whose names these lack.
    #[must_use]
    pub fn or(&self, other: &ObjectAttributes) -> ObjectAttributes {
        match (&self.0, &other.0) {
            (_, None) => self.clone(),
            (None, _) => other.clone(),
            (Some(own), Some(_)) => {
                let rest = other.iter().filter(|(name, _)| self.get(name).is_none());
                ObjectAttributes::new(own.iter().chain(rest).cloned().collect())
            }
        }
    }

    /// The numbers at an index, padded by zeros; a single number fills the first three. `None` for a text or more than
    /// four numbers.
    pub(super) fn few_numbers(&self, index: usize) -> Option<[f32; 4]> {
        match &self.0.as_ref()?.get(index)?.1 {
            ObjectValue::Numbers(numbers) => match numbers[..] {
                [x] => Some([x, x, x, 0.0]),
                [x, y] => Some([x, y, 0.0, 0.0]),
                [x, y, z] => Some([x, y, z, 0.0]),
                [x, y, z, w] => Some([x, y, z, w]),
                _ => None,
            },
            ObjectValue::Text(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_an_instance_come_before_those_of_its_original() {
        let of = |list: &[(&str, f32)]| {
            let entry = |&(name, x): &(&str, f32)| (name.to_owned(), ObjectValue::Numbers(vec![x]));
            ObjectAttributes::new(list.iter().map(entry).collect())
        };
        let both = of(&[("wet", 1.0)]).or(&of(&[("wet", 2.0), ("dry", 3.0)]));
        assert_eq!(both, of(&[("wet", 1.0), ("dry", 3.0)]));
        assert_eq!(both.few_numbers(1), Some([3.0, 3.0, 3.0, 0.0]));
        assert_eq!(ObjectAttributes::default().or(&both), both);
        assert_eq!(both.or(&ObjectAttributes::default()), both);
    }
}
