//! Definitions and references in one text.

use std::ops::Range;

/// Index of a definition in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionId(pub(crate) u32);

/// Kind of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefinitionKind {
    /// A shader unit.
    Unit,
    /// A shader group.
    Group,
    /// A function.
    Function,
    /// A structure.
    Struct,
    /// A field of a structure.
    Field,
    /// A parameter of a unit, a group or a function.
    Param,
    /// An output of a unit, a group or a function.
    Output,
    /// A variable.
    Variable,
    /// An instance of a unit in a group.
    Layer,
    /// A macro of the preprocessor.
    Macro,
    /// An object of a scene: camera, material, shape, light or import.
    Object,
    /// Another declaration of a scene, such as `film`.
    Setting,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: DefinitionKind,
    /// Bytes of the name.
    pub name_range: Range<usize>,
    /// Bytes of the whole definition.
    pub range: Range<usize>,
    /// Bytes in which the name is visible.
    pub scope: Range<usize>,
    /// Type as written; for a layer its unit; for an object or unit its keyword.
    pub ty: String,
    /// Unit, group, function or structure that contains the definition.
    pub container: Option<DefinitionId>,
    /// Metadata: names and values.
    pub metadata: Vec<(String, String)>,
    /// Default as written.
    pub default: Option<String>,
}

impl Definition {
    /// Returns the text of `[[ string help = "…" ]]`.
    pub fn help(&self) -> Option<&str> {
        self.meta("help")
    }

    /// Returns the names of `[[ string aliases = "…" ]]`, which callers may use instead of the name.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        let list = self.meta("aliases").unwrap_or_default();
        list.split(',').map(str::trim).filter(|name| !name.is_empty())
    }

    /// Returns a value of the metadata.
    pub fn meta(&self, name: &str) -> Option<&str> {
        let entry = self.metadata.iter().find(|(key, _)| key == name);
        entry.map(|(_, value)| value.as_str())
    }

    /// Returns whether the definition is an input or output of a unit, group or function.
    pub fn is_param(&self) -> bool {
        matches!(self.kind, DefinitionKind::Param | DefinitionKind::Output)
    }
}

/// Target of a reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A definition of the same text.
    Definition(DefinitionId),
    /// A variable that the text does not define: a global or a constant.
    Name(String),
    /// A function, structure, unit or closure that the text does not define.
    Call(String),
    /// A structure that the text does not define.
    Type(String),
    /// A unit or group that the text does not define.
    Unit(String),
    /// A parameter or output of a unit or group that the text does not define.
    Param {
        /// The unit.
        unit: String,
        /// The parameter.
        name: String,
    },
    /// A field of a structure that the text does not define.
    Field {
        /// The structure.
        ty: String,
        /// The field.
        name: String,
    },
    /// An object of a scene that the text does not define.
    Object(String),
    /// A key of a declaration of a scene.
    Key {
        /// The declaration.
        block: BlockName,
        /// The key.
        name: String,
    },
    /// Kind of a scene declaration: `sphere` in `shape ball : sphere`.
    Kind(BlockName),
}

/// Kind of block that determines the valid keys of a scene declaration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockName {
    /// Keyword: `camera`.
    pub keyword: String,
    /// Kind after the colon: `perspective`.
    pub kind: Option<String>,
}

/// A use of a name.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Bytes of the name.
    pub range: Range<usize>,
    /// Target of the name.
    pub target: Target,
}

/// A text that `#include` or `import` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Bytes of the file name without quotes.
    pub range: Range<usize>,
    /// File name as written.
    pub name: String,
}
