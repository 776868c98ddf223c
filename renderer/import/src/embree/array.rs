//! Arrays and colours of elements.

use super::reader::{Element, Reader};
use crate::xml;

impl<'a> Reader<'a> {
    /// Floats of the child `name`, in vectors of `width`; empty if there is none, `None` after an error.
    pub(super) fn floats(&mut self, parent: Element<'a>, name: &str, width: usize) -> Option<Vec<f32>> {
        let of_text = |text: &str| xml::number(text).map(|number| number as f32);
        let values = self.array(parent, name, width, of_text, f32::from_le_bytes)?;
        if values.iter().all(|value| value.is_finite()) {
            return Some(values);
        }
        self.error(parent, format!("<{name}> has numbers that are not finite"));
        None
    }

    /// Indices of the child `name`, as [`Reader::floats`].
    pub(super) fn indices(&mut self, parent: Element<'a>, name: &str, width: usize) -> Option<Vec<u32>> {
        let of_text = |text: &str| text.parse().map_err(|_| format!("`{text}` is not an index"));
        self.array(parent, name, width, of_text, u32::from_le_bytes)
    }

    fn array<T>(
        &mut self,
        parent: Element<'a>,
        name: &str,
        width: usize,
        of_text: impl Fn(&str) -> Result<T, String>,
        of_bytes: impl Fn([u8; 4]) -> T,
    ) -> Option<Vec<T>> {
        let Some(element) = child(parent, name) else {
            return Some(vec![]);
        };
        let read = match element.attribute("ofs") {
            Some(start) => self.range(element, start, width).map(|bytes| {
                let (words, _) = bytes.as_chunks();
                words.iter().map(|word| of_bytes(*word)).collect()
            }),
            None => {
                let words = element.text().unwrap_or_default().split_whitespace();
                words.map(of_text).collect::<Result<Vec<T>, String>>()
            }
        };
        match read {
            Ok(values) if values.len().is_multiple_of(width) => Some(values),
            Ok(values) => {
                self.error(
                    element,
                    format!("<{name}> has {} numbers, not a multiple of {width}", values.len()),
                );
                None
            }
            Err(reason) => {
                self.error(element, reason);
                None
            }
        }
    }

    /// Bytes of an array in the file of arrays.
    fn range(&self, element: Element<'a>, start: &str, width: usize) -> Result<&[u8], String> {
        let binary = self.binary.as_ref().ok_or("there is no .bin file beside the scene")?;
        let count = element.attribute("size").or(element.attribute("num")).unwrap_or_default();
        let range = start
            .parse()
            .ok()
            .zip(count.parse().ok())
            .and_then(|(start, count): (usize, usize)| {
                let length = count.checked_mul(4 * width)?;
                Some((start, start.checked_add(length)?, length))
            });
        let (start, end, length) = range.ok_or("`ofs` and `size` are whole numbers")?;
        let bytes = binary.get(start..end).ok_or_else(|| {
            format!("the array reaches beyond the .bin file, which has {} bytes", binary.len())
        })?;
        self.budget.allocate("arrays", length, 2).map_err(|excess| excess.to_string())?;
        Ok(bytes)
    }

    /// Three numbers of the child `name`; `None` after an error.
    pub(super) fn color(&mut self, parent: Element<'a>, name: &str) -> Option<[f64; 3]> {
        let found = child(parent, name).and_then(|element| three(element.text()?));
        if found.is_none() {
            self.error(
                parent,
                format!("<{}> needs <{name}> with three numbers", parent.tag_name().name()),
            );
        }
        found
    }

    /// The number of the child `name`; `None` after an error.
    pub(super) fn number(&mut self, parent: Element<'a>, name: &str) -> Option<f64> {
        let found = child(parent, name).and_then(|element| xml::number(element.text()?).ok());
        if found.is_none() {
            self.error(parent, format!("<{}> needs <{name}> with a number", parent.tag_name().name()));
        }
        found
    }
}

/// The first child of a name.
pub(super) fn child<'a>(parent: Element<'a>, name: &str) -> Option<Element<'a>> {
    parent.children().find(|child| child.tag_name().name() == name)
}

/// Three numbers of a text.
pub(super) fn three(text: &str) -> Option<[f64; 3]> {
    <[f64; 3]>::try_from(xml::numbers(text).ok()?).ok()
}
