//! Labels: the names of closures, objects, lights and light groups that expressions mention.

/// Index of a label in a [`LabelTable`]; 0 is no label, or any label that no expression mentions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u8);

impl Label {
    /// No label, or one that no expression mentions.
    pub const OTHER: Label = Label(0);
}

/// The labels that expressions mention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelTable(Vec<String>);

impl LabelTable {
    /// Maximum number of labels of a film's expressions.
    pub const MAX: usize = 63;

    /// An empty table.
    pub fn new() -> LabelTable {
        LabelTable::default()
    }

    /// The label of a name, which is added if it is new; `None` if there are too many.
    pub fn insert(&mut self, name: &str) -> Option<Label> {
        if let label @ Label(1..) = self.get(name) {
            return Some(label);
        }
        if self.0.len() == LabelTable::MAX {
            return None;
        }
        self.0.push(name.to_owned());
        Some(Label(self.0.len() as u8))
    }

    /// The label of a name; [`Label::OTHER`] if no expression mentions it.
    pub fn get(&self, name: &str) -> Label {
        let index = self.0.iter().position(|known| known == name);
        index.map_or(Label::OTHER, |index| Label(index as u8 + 1))
    }

    /// The names, in the order of their labels, from 1 on.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}
