//! Structure types: fields.

use super::Checker;
use super::error::CheckError;
use super::struct_info::{FieldInfo, StructInfo};
use crate::ty::{Length, Type};
use shading_syntax::ast;

/// Maximum number of leaves of a structure.
const MAX_LEAVES: usize = 1024;

/// Maximum length in bytes of the path to a leaf.
const MAX_PATH: usize = 512;

/// Maximum length in bytes of the paths of all structures of a file.
const MAX_PATHS: usize = 16 << 20;

impl<'a> Checker<'a> {
    pub(super) fn declare_struct(&mut self, structure: &'a ast::Struct) {
        let name = &structure.name;
        let mut info = StructInfo { name: name.text.clone(), fields: vec![], leaves: vec![] };
        for field in &structure.fields {
            if let Some(ty) = self.field_type(field, &info)
                && let Err(error) = self.add_field(&mut info, &field.name.text, ty)
            {
                self.report(name.span, error);
                self.path_bytes -= info.leaves.iter().map(|(path, _)| path.len()).sum::<usize>();
                info.leaves.clear();
                info.fields.clear();
                break;
            }
        }
        let index = self.structs.len() as u32;
        self.structs.push(info);
        if self.scopes.declare_struct(self.scope, &name.text, index).is_some() {
            let (what, name_text) = ("structure", name.text.clone());
            self.report(name.span, CheckError::Duplicate(what, name_text));
        }
    }

    /// Returns the type of a field of a structure, unless there is an error in it.
    fn field_type(&mut self, field: &'a ast::Field, info: &StructInfo) -> Option<Type> {
        let ty = self.resolve(&field.ty, field.array.as_ref())?;
        let name = &field.name;
        if info.fields.iter().any(|f| f.name == name.text) {
            let (what, text) = ("field", name.text.clone());
            self.report(name.span, CheckError::Duplicate(what, text));
            return None;
        }
        if ty == Type::VOID || ty.length == Length::Unsized {
            let found = self.show(ty);
            self.report(name.span, CheckError::BadFieldType(found));
            return None;
        }
        Some(ty)
    }

    /// Adds a field, and its leaves.
    ///
    /// # Errors
    /// If the structure becomes too large.
    fn add_field(&mut self, info: &mut StructInfo, field: &str, ty: Type) -> Result<(), CheckError> {
        for (path, leaf) in self.leaves(ty) {
            let path = format!(".{field}{path}");
            let name = || info.name.clone();
            if info.leaves.len() == MAX_LEAVES {
                let limit = MAX_LEAVES;
                return Err(CheckError::StructTooLarge(name(), limit));
            }
            if path.len() > MAX_PATH {
                let limit = MAX_PATH;
                return Err(CheckError::StructTooDeep(name(), limit));
            }
            if self.path_bytes + path.len() > MAX_PATHS {
                let limit = MAX_PATHS;
                return Err(CheckError::StructsTooLarge(name(), limit));
            }
            self.path_bytes += path.len();
            info.leaves.push((path, leaf));
        }
        info.fields.push(FieldInfo { name: field.to_owned(), ty });
        Ok(())
    }
}
