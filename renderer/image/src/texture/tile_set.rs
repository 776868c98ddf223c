//! Texture sets with a file for each unit square of texture coordinates (UDIM).

use std::path::{Path, PathBuf};

use glam::Vec2;

use renderer_base::files::{DiskFiles, Files};

/// Maximum number of squares in a row or column.
const MAX_SQUARES: u32 = 1000;

/// Numbering of the unit squares in a file name pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    /// One number of four digits: 1001 + u + 10 v.
    Udim,
    /// Two numbers that begin at this value.
    Pair { first: u32 },
}

/// Parsed file name pattern of a texture set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TilePattern {
    /// Literal parts before, between and after the numbers.
    parts: Vec<String>,
    numbers: Numbers,
}

impl TilePattern {
    /// Parses a file name pattern: `<UDIM>`, `%(UDIM)d`, `<u>` with `<v>`, `<U>` with `<V>`, `<uvtile>`, `<UVTILE>`,
    /// `_u##v##`. Capitals count from 1, the others from 0.
    pub fn parse(name: &str) -> Option<TilePattern> {
        for marker in ["<UDIM>", "%(UDIM)d"] {
            if let Some((before, after)) = name.split_once(marker) {
                return Some(TilePattern {
                    parts: vec![before.to_owned(), after.to_owned()],
                    numbers: Numbers::Udim,
                });
            }
        }
        let pairs = [("<u>", "<v>", 0), ("<U>", "<V>", 1)];
        for (u, v, first) in pairs {
            if let Some((before, rest)) = name.split_once(u)
                && let Some((between, after)) = rest.split_once(v)
            {
                return Some(TilePattern {
                    parts: vec![format!("{before}u"), format!("{between}v"), after.to_owned()],
                    numbers: Numbers::Pair { first },
                });
            }
        }
        let together = [("<uvtile>", "u", "_v", 0), ("<UVTILE>", "u", "_v", 1), ("_u##v##", "_u", "v", 0)];
        for (marker, u, v, first) in together {
            if let Some((before, after)) = name.split_once(marker) {
                return Some(TilePattern {
                    parts: vec![format!("{before}{u}"), v.to_owned(), after.to_owned()],
                    numbers: Numbers::Pair { first },
                });
            }
        }
        None
    }

    /// The square of a file name.
    fn square(&self, name: &str) -> Option<[u32; 2]> {
        let mut rest = name.strip_prefix(self.parts[0].as_str())?;
        let mut numbers = vec![];
        for part in &self.parts[1..] {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            numbers.push(rest[..digits].parse::<u32>().ok()?);
            if self.numbers == Numbers::Udim && digits != 4 {
                return None;
            }
            rest = rest[digits..].strip_prefix(part.as_str())?;
        }
        let square = match (self.numbers, numbers.as_slice()) {
            (Numbers::Udim, &[number]) => {
                let number = number.checked_sub(1001)?;
                [number % 10, number / 10]
            }
            (Numbers::Pair { first }, &[u, v]) => [u.checked_sub(first)?, v.checked_sub(first)?],
            _ => return None,
        };
        (rest.is_empty() && square.iter().all(|&n| n < MAX_SQUARES)).then_some(square)
    }

    /// Matching files of a directory with their squares, sorted by square.
    pub fn find(&self, directory: &Path) -> Vec<([u32; 2], PathBuf)> {
        self.find_in(&DiskFiles, directory)
    }

    /// Like [`TilePattern::find`], but looks in `files` instead of the disk.
    pub fn find_in(&self, files: &dyn Files, directory: &Path) -> Vec<([u32; 2], PathBuf)> {
        let names = files.list(directory).into_iter();
        let mut found: Vec<_> = names
            .filter_map(|name| Some((self.square(&name)?, directory.join(name))))
            .filter(|(_, path)| files.is_file(path))
            .collect();
        found.sort();
        found.dedup_by(|a, b| a.0 == b.0);
        found
    }
}

/// Textures by square.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileSet<T> {
    across: u32,
    textures: Vec<Option<T>>,
}

impl<T: Copy> TileSet<T> {
    /// A set of textures by square.
    pub fn new(list: &[([u32; 2], T)]) -> TileSet<T> {
        let across = list.iter().map(|([u, _], _)| u + 1).max().unwrap_or(0);
        let down = list.iter().map(|([_, v], _)| v + 1).max().unwrap_or(0);
        let mut textures = vec![None; (across * down) as usize];
        for &([u, v], texture) in list {
            textures[(v * across + u) as usize] = Some(texture);
        }
        TileSet { across, textures }
    }

    /// The texture at texture coordinates, and the coordinates in it. Negative coordinates belong to the first column
    /// and row, as in OpenImageIO.
    #[inline]
    pub fn at(&self, st: Vec2) -> Option<(T, Vec2)> {
        let corner = st.floor();
        let square = corner.max(Vec2::ZERO);
        let is_inside =
            st.is_finite() && square.max_element() < MAX_SQUARES as f32 && square.x < self.across as f32;
        if !is_inside {
            return None;
        }
        let index = square.y as usize * self.across as usize + square.x as usize;
        let texture = self.textures.get(index).copied().flatten()?;
        Some((texture, st - corner))
    }

    /// The tiles with their squares.
    pub fn squares(&self) -> impl Iterator<Item = ([u32; 2], T)> + '_ {
        let squares = (0..).zip(&self.textures);
        squares.filter_map(|(i, texture)| Some(([i % self.across, i / self.across], (*texture)?)))
    }

    /// The tiles.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.textures.iter().flatten().copied()
    }
}
