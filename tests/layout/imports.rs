//! Imports between the files of a crate: which file names items of which other file, through re-exports and modules.

use std::collections::{BTreeMap, BTreeSet};

use crate::module::{Import, Module};

/// Target of a path.
enum Target {
    Module,
    /// An item, and the file that defines it.
    Item {
        file: usize,
        name: String,
    },
}

/// The imports between the files of a crate.
pub(super) struct Imports {
    /// The files by number, with their paths from `src` on.
    files: Vec<String>,
    /// For each file, the files whose items it names, with the items.
    needs: Vec<BTreeMap<usize, BTreeSet<String>>>,
}

impl Imports {
    /// Finds the imports between the files of a crate, from their texts.
    pub(super) fn new(sources: &[(String, String)]) -> Imports {
        let modules: Vec<Module> = sources.iter().map(|(file, text)| Module::new(file, text)).collect();
        let resolver = Resolver::new(&modules);
        Imports {
            needs: (0..modules.len()).map(|file| resolver.needs(file)).collect(),
            files: modules.into_iter().map(|module| module.file).collect(),
        }
    }

    /// Each file with a file whose items it names, and these items.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str, String)> {
        let pairs = self.files.iter().zip(&self.needs);
        let pairs = pairs.flat_map(|(file, needs)| needs.iter().map(move |need| (file, need)));
        pairs.map(|(file, (need, items))| {
            let items: Vec<&str> = items.iter().map(String::as_str).collect();
            (file.as_str(), self.files[*need].as_str(), items.join(", "))
        })
    }

    /// The groups of files that need each other, directly or not: what each takes from the others, a line for each pair.
    pub(super) fn rings(&self) -> Vec<String> {
        let reach: Vec<BTreeSet<usize>> = (0..self.files.len()).map(|file| self.reach(file)).collect();
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        let mut rings = vec![];
        for file in 0..self.files.len() {
            if !reach[file].contains(&file) || seen.contains(&file) {
                continue;
            }
            let others = reach[file].iter().filter(|&&other| reach[other].contains(&file));
            let ring: BTreeSet<&str> = others.clone().map(|&other| self.files[other].as_str()).collect();
            seen.extend(others);
            let inside = |(file, need, _): &(&str, &str, String)| ring.contains(file) && ring.contains(need);
            let lines = self.all().filter(inside);
            rings.push(
                lines
                    .map(|(file, need, items)| format!("  {file} -> {need}: {items}\n"))
                    .collect(),
            );
        }
        rings
    }

    /// All files that a file needs, directly or not.
    fn reach(&self, file: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![file];
        while let Some(next) = open.pop() {
            open.extend(self.needs[next].keys().filter(|need| reached.insert(**need)));
        }
        reached
    }
}

struct Resolver<'a> {
    modules: &'a [Module],
    by_path: BTreeMap<&'a [String], usize>,
}

impl<'a> Resolver<'a> {
    fn new(modules: &'a [Module]) -> Resolver<'a> {
        let by_path = modules
            .iter()
            .enumerate()
            .filter(|(_, module)| module.file != "main.rs")
            .map(|(file, module)| (module.path.as_slice(), file))
            .collect();
        Resolver { modules, by_path }
    }

    /// The files whose items a file names.
    ///
    /// A re-export alone is no use of the item; a re-exported item that the file's own code names is.
    fn needs(&self, file: usize) -> BTreeMap<usize, BTreeSet<String>> {
        let module = &self.modules[file];
        let used = |import: &&Import| !import.public || module.names.contains(&import.name);
        let imported = module.imports.iter().filter(used).map(|import| &import.path);
        let mut needs: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for path in imported.chain(&module.paths) {
            if let Some(Target::Item { file: need, name }) = self.resolve(file, path, 0)
                && need != file
            {
                needs.entry(need).or_default().insert(name);
            }
        }
        needs
    }

    /// Follows a path as written in a file; `None` where it leaves the crate.
    fn resolve(&self, file: usize, path: &[String], turns: usize) -> Option<Target> {
        let module = &self.modules[file];
        let mut place = module.path.as_slice();
        let mut rest = path;
        let relative = match path.first()?.as_str() {
            "crate" => {
                place = &[];
                rest = &rest[1..];
                false
            }
            "self" => {
                rest = &rest[1..];
                false
            }
            "super" => {
                while rest.first().is_some_and(|first| first == "super") {
                    place = place.split_last()?.1;
                    rest = &rest[1..];
                }
                false
            }
            _ => true,
        };
        self.look(*self.by_path.get(place)?, rest, relative, turns)
    }

    /// Follows the rest of a path inside a module.
    ///
    /// Names that are not found are those that macros make, except `relative` ones, which may be of other crates.
    fn look(&self, file: usize, path: &[String], relative: bool, turns: usize) -> Option<Target> {
        let module = &self.modules[file];
        let Some((name, rest)) = path.split_first() else {
            return Some(Target::Module);
        };
        let child = |name: &String| {
            let mut place = module.path.clone();
            place.push(name.clone());
            self.by_path.get(place.as_slice()).copied()
        };
        let item = Target::Item { file, name: name.clone() };
        // Modules and functions may have the same name.
        if !rest.is_empty()
            && let Some(child) = child(name)
        {
            return self.look(child, rest, false, turns);
        }
        if module.items.contains(name) {
            return Some(item);
        }
        // Imports of a name by its own name end here.
        if let Some(import) = module.import(name).filter(|_| turns < 16) {
            let path: Vec<String> = import.path.iter().chain(rest).cloned().collect();
            return self.resolve(file, &path, turns + 1);
        }
        if child(name).is_some() {
            return Some(Target::Module);
        }
        if relative { None } else { Some(item) }
    }
}
