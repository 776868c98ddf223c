//! Geometry attributes known at compile time.

use std::collections::BTreeSet;

/// The names of the attributes that the objects of an instance carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KnownAttributes {
    /// Those that all objects have.
    always: BTreeSet<String>,
    /// Those that some have and others do not.
    sometimes: BTreeSet<String>,
}

impl KnownAttributes {
    /// Of the names that each of the objects has; `None` where there is no object.
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

    /// Whether the objects have the attribute of that name; `None` where some do, or where the name is not one of the
    /// geometry's, as `camera:fov` is not.
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
