//! Geometry attributes known at compile time.

use std::collections::BTreeSet;

/// Names of the attributes on the objects that use an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KnownAttributes {
    /// Attributes that all objects have.
    always: BTreeSet<String>,
    /// Attributes that only some objects have.
    sometimes: BTreeSet<String>,
}

impl KnownAttributes {
    /// Collects the attribute names of each object; `None` without objects.
    pub fn of(objects: impl IntoIterator<Item = BTreeSet<String>>) -> Option<KnownAttributes> {
        let mut objects = objects.into_iter();
        let mut always = objects.next()?;
        let mut sometimes = BTreeSet::new();
        for names in objects {
            sometimes.extend(always.symmetric_difference(&names).cloned());
            always.retain(|name| names.contains(name));
        }
        Some(KnownAttributes { always, sometimes })
    }

    /// Returns whether the objects have the attribute; `None` if only some have it, or if it is not a geometry attribute
    /// (such as `camera:fov`).
    pub fn exists(&self, name: &str) -> Option<bool> {
        match (self.always.contains(name), self.sometimes.contains(name)) {
            (true, _) => Some(true),
            (false, false) if !name.contains(':') => Some(false),
            (false, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_objects_share_is_known() {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
        let known =
            KnownAttributes::of([names(&["uv", "Cd"]), names(&["uv"]), names(&["uv", "heat"])]).unwrap();
        assert_eq!(known.exists("uv"), Some(true));
        assert_eq!(known.exists("Cd"), None);
        assert_eq!(known.exists("heat"), None);
        assert_eq!(known.exists("wear"), Some(false));
        assert_eq!(known.exists("camera:fov"), None);
        assert_eq!(KnownAttributes::of([]), None);
    }
}
