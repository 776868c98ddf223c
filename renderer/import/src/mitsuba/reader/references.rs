//! Resolution of references to objects by id.

use shading::{Diagnostic, Span};

use super::super::document::{Property, PropertyValue};
use super::Reader;

impl Reader<'_> {
    pub(super) fn report_unknown(&mut self, id: &str, place: Span) {
        let diagnostic = Diagnostic::error(format!("there is no object `{id}`"))
            .at(&self.document.sources, place, "")
            .nearest(id, self.ids.keys().map(String::as_str));
        self.diagnostics.push(diagnostic);
    }

    /// Replaces references by objects, and reports objects that contain themselves.
    pub(super) fn follow_references(&mut self) {
        for index in 0..self.document.objects.len() {
            for property in 0..self.document.objects[index].properties.len() {
                let Property { value: PropertyValue::Reference(id), place, .. } =
                    &self.document.objects[index].properties[property]
                else {
                    continue;
                };
                let (id, place) = (id.clone(), *place);
                match self.ids.get(&id) {
                    Some(&object) => {
                        self.document.objects[index].properties[property].value =
                            PropertyValue::Object(object);
                    }
                    None => self.report_unknown(&id, place),
                }
            }
        }
        self.look_for_cycles();
    }

    // Iterative: a chain of references can be as long as the file.
    fn look_for_cycles(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.document.objects.len()];
        for start in 0..marks.len() {
            if marks[start] != Mark::New {
                continue;
            }
            marks[start] = Mark::Open;
            let mut open = vec![(start, 0)];
            while let Some((object, next)) = open.last_mut() {
                let object = *object;
                let Some(property) = self.document.objects[object].properties.get(*next) else {
                    marks[object] = Mark::Done;
                    open.pop();
                    continue;
                };
                *next += 1;
                let PropertyValue::Object(part) = property.value else {
                    continue;
                };
                match marks[part.0 as usize] {
                    Mark::New => {
                        marks[part.0 as usize] = Mark::Open;
                        open.push((part.0 as usize, 0));
                    }
                    Mark::Open => {
                        let name = self.document.object(part).id.clone().unwrap_or_default();
                        let place = property.place;
                        self.error(place, format!("`{name}` is a part of itself"));
                        return;
                    }
                    Mark::Done => {}
                }
            }
        }
    }
}
