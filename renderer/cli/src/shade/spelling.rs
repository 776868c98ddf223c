//! Translation of `testshade`'s flag spelling: long flags with one dash, options after a colon.

use std::ffi::{OsStr, OsString};

use clap::{Args, Command};
use rustc_hash::FxHashMap;

use super::ShadeArgs;
use renderer_inputs::shade_request::steps::{OPTIONS_SUFFIX, WITH_OPTIONS};

/// Flags of `kiln shade`, with their numbers of values.
struct Flags {
    long: FxHashMap<String, usize>,
    short: FxHashMap<char, usize>,
}

impl Flags {
    fn new() -> Flags {
        let mut command = ShadeArgs::augment_args(Command::new("shade"));
        command.build();
        let (mut long, mut short) = (FxHashMap::default(), FxHashMap::default());
        for arg in command.get_arguments().filter(|arg| !arg.is_positional()) {
            let takes_values = arg.get_action().takes_values();
            // A value that may be left out stands behind `=`.
            let least = arg.get_num_args().map_or(1, |range| range.min_values());
            let values = if takes_values { least } else { 0 };
            let aliases = arg.get_all_aliases().unwrap_or_default();
            long.extend(arg.get_long().into_iter().chain(aliases).map(|name| (name.to_owned(), values)));
            short.extend(arg.get_short().map(|name| (name, values)));
        }
        Flags { long, short }
    }
}

/// Converts the spelling of `testshade` to that of Kiln: `-od half`, `-param:type=color Kd 1,0,0`, `-vparam Kd 1 0 0`,
/// `--stats FILE.json`.
pub(crate) fn widen(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let flags = Flags::new();
    let mut args = args.into_iter().peekable();
    let mut widened: Vec<OsString> = vec![];
    while let Some(arg) = args.next() {
        let Some(name) = flag_name(&arg) else {
            widened.push(arg);
            continue;
        };
        if name == "-" {
            widened.push(arg);
            break;
        }
        let stem = name.trim_start_matches('-').split([':', '=']).next().unwrap_or_default();
        let values = match stem {
            "fparam" | "iparam" | "sparam" => {
                widened.push("--param".into());
                2
            }
            "vparam" => {
                widened.push("--param".into());
                widened.extend(args.next());
                let values = args.by_ref().take(3);
                let values: Vec<String> = values.map(|value| value.to_string_lossy().into_owned()).collect();
                widened.push(values.join(",").into());
                0
            }
            "stats" | "runstats" if name.trim_start_matches('-') == stem => {
                let file = args.next_if(|next| next.to_str().is_some_and(|next| next.ends_with(".json")));
                let mut flag = OsString::from("--stats");
                if let Some(file) = file {
                    flag.push("=");
                    flag.push(file);
                }
                widened.push(flag);
                0
            }
            _ => {
                let (words, values) = flags.widen(name, stem);
                widened.extend(words);
                values
            }
        };
        // Values are not flags, whatever they begin with.
        widened.extend(args.by_ref().take(values));
    }
    widened.extend(args);
    widened
}

/// The word behind the first dash of a flag.
fn flag_name(arg: &OsStr) -> Option<&str> {
    let name = arg.to_str()?.strip_prefix('-')?;
    name.starts_with(|c: char| c == '-' || c.is_alphabetic()).then_some(name)
}

impl Flags {
    /// A flag in the spelling of Kiln, and the number of its values that follow. `stem` is the part of `word` before its
    /// options.
    fn widen(&self, word: &str, stem: &str) -> (Vec<OsString>, usize) {
        let name = word.trim_start_matches('-');
        let options = &name[stem.len()..];
        let values = self.long.get(stem).copied().unwrap_or(0);
        if let Some(options) = options.strip_prefix(':')
            && WITH_OPTIONS.contains(&stem)
        {
            return (vec![format!("--{stem}{OPTIONS_SUFFIX}").into(), options.into()], values);
        }
        if !word.starts_with('-')
            && let Some(short) = self.short_of(name)
        {
            let values = self.short.get(&short).copied().unwrap_or(0);
            let attached = usize::from(name.len() > short.len_utf8());
            return (vec![format!("-{name}").into()], values.saturating_sub(attached));
        }
        let attached = usize::from(!options.is_empty());
        (vec![format!("--{name}").into()], values.saturating_sub(attached))
    }

    /// The short flag of a word, as in `-t4`, `-DNAME=1` and `-g`; but `-od` is no `-o`.
    fn short_of(&self, name: &str) -> Option<char> {
        let short = name.chars().next().filter(|_| !self.long.contains_key(name))?;
        let rest = &name[short.len_utf8()..];
        let is_value = short.is_ascii_uppercase() || rest.parse::<f64>().is_ok();
        (rest.is_empty() || self.short.contains_key(&short) && is_value).then_some(short)
    }
}
