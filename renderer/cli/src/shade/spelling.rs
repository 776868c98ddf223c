//! Translation of `testshade`'s flag spelling: long flags with one dash, options after a colon.

use std::ffi::OsString;

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
        let Some(name) = arg
            .to_str()
            .and_then(|text| text.strip_prefix('-'))
            .filter(|name| name.starts_with(|c: char| c == '-' || c.is_alphabetic()))
        else {
            widened.push(arg);
            continue;
        };
        if name == "-" {
            widened.push(arg);
            break;
        }
        let is_long = name.starts_with('-');
        let name = name.trim_start_matches('-').to_owned();
        let stem = name.split([':', '=']).next().unwrap_or(&name);
        let values = match stem {
            _ if WITH_OPTIONS.contains(&stem) && name[stem.len()..].starts_with(':') => {
                widened.push(format!("--{stem}{OPTIONS_SUFFIX}").into());
                widened.push(name[stem.len() + 1..].into());
                flags.long.get(stem).copied().unwrap_or(0)
            }
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
            "stats" | "runstats" if name == stem => {
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
                let short = name.chars().next().filter(|_| !is_long);
                let short = short.filter(|c| {
                    // `-t4`, `-DNAME=1`, `-g`; but `-od` is no `-o`.
                    let rest = &name[c.len_utf8()..];
                    let is_value = c.is_ascii_uppercase() || rest.parse::<f64>().is_ok();
                    rest.is_empty() || flags.short.contains_key(c) && is_value
                });
                match short.filter(|_| !flags.long.contains_key(&name)) {
                    Some(short) => {
                        let values = flags.short.get(&short).copied().unwrap_or(0);
                        let attached = usize::from(name.len() > short.len_utf8());
                        widened.push(arg);
                        values.saturating_sub(attached)
                    }
                    None => {
                        widened.push(format!("--{name}").into());
                        let attached = usize::from(name.len() > stem.len());
                        let values = flags.long.get(stem).copied().unwrap_or(0);
                        values.saturating_sub(attached)
                    }
                }
            }
        };
        // Values are not flags, whatever they begin with.
        widened.extend(args.by_ref().take(values));
    }
    widened.extend(args);
    widened
}
