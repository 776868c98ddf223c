//! The order-dependent arguments of `kiln shade`: shaders with their parameters and connections.

use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Id};

/// Shaders with their parameters and connections, in the order of the command line. As in `testshade`, arguments before
/// a shader apply to it; parameters after the last shader apply to the last one too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// Each flag and each shader.
    pub steps: Vec<Step>,
}

impl Setup {
    /// Names of the attributes that the geometry has.
    pub fn userdata_names(&self) -> Vec<String> {
        let names = self.steps.iter().filter_map(|step| match step {
            Step::Userdata(assignment) => Some(assignment.name.clone()),
            _ => None,
        });
        names.collect()
    }
}

/// Converts the values of an argument to steps.
type Meaning = fn(&[String]) -> Vec<Step>;

/// A part of a [`Setup`].
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The name of the next shader's layer.
    Layer(String),
    /// A value for an input of the next shader.
    Param(Assignment),
    /// A file, `FILE:NAME`, or the name of a shipped unit or group.
    Shader(String),
    /// A shader of a source text, by its name; the last one without a name.
    Source(Arc<str>, Option<String>),
    /// Statements that set `result` and `alpha`.
    Expr(String),
    /// An output of a layer and the input of another that it feeds.
    Connect([String; 4]),
    /// A serialised group: a file or its text.
    Group(String),
    /// A value that an input of a layer has from the second iteration on.
    Reparam {
        /// The layer.
        layer: String,
        /// The input and its value.
        assignment: Assignment,
    },
    /// An attribute of the geometry.
    Userdata(Assignment),
}

/// A value for a name, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// The name that gets the value.
    pub name: String,
    /// The value.
    pub value: String,
    /// The options after the flag's colon: `type=float:interpolated=1`.
    pub options: String,
}

impl Assignment {
    /// A value for a name.
    pub fn new(name: &str, value: &str, options: &str) -> Assignment {
        let [name, value, options] = [name, value, options].map(str::to_owned);
        Assignment { name, value, options }
    }

    /// The value of an option.
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.split(':').filter_map(|option| option.split_once('='));
        options.find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// Flags that take options behind a colon.
pub const WITH_OPTIONS: &[&str] = &["param", "reparam", "userdata"];
/// Suffix of the internal names of these flags when they have options; the options become their first value.
pub const OPTIONS_SUFFIX: &str = "-with";

impl Setup {
    /// The order-sensitive arguments and their meanings. The options of [`WITH_OPTIONS`] are the first value.
    fn arguments() -> Vec<(Arg, Meaning)> {
        let flag = |name: &'static str, values: &[&'static str], help: &'static str| {
            let arg = Arg::new(name).long(name).num_args(values.len()).value_names(values.to_vec());
            let arg = arg.allow_hyphen_values(true).action(ArgAction::Append);
            // Without a help text it is the internal name of another.
            arg.help(help).hide(help.is_empty())
        };
        let shader = Arg::new("shaders").value_name("SHADER").num_args(0..).action(ArgAction::Append).help(
            "A source file (its last unit or group; FILE:NAME picks another) or the name of a shipped unit or group; \
             several are layers of a group",
        );
        let param: Meaning = |v| vec![Step::Param(Assignment::new(&v[1], &v[2], &v[0]))];
        let reparam: Meaning = |v| {
            let assignment = Assignment::new(&v[2], &v[3], &v[0]);
            vec![Step::Reparam { layer: v[1].clone(), assignment }]
        };
        let userdata: Meaning = |v| vec![Step::Userdata(Assignment::new(&v[1], &v[2], &v[0]))];
        let param_help = "Sets an input; components are given as one argument: --param Kd 1,0,0";
        let reparam_help = "Sets an input of a layer again before the second iteration (with --iters)";
        let userdata_help = "Gives the geometry an attribute; --userdata:type=color says of which type";
        let group_help = "Runs a serialised group: `param …; shader NAME LAYER; connect A.x B.y;`";
        let expr_help = "Runs statements that set `color result` and `float alpha`";
        vec![
            (shader, |v| v.iter().map(|v| Step::Shader(v.clone())).collect()),
            (flag("param", &["NAME", "VALUE"], param_help), param),
            (flag("param-with", &["OPTIONS", "NAME", "VALUE"], ""), param),
            (flag("reparam", &["LAYER", "NAME", "VALUE"], reparam_help), reparam),
            (flag("reparam-with", &["OPTIONS", "LAYER", "NAME", "VALUE"], ""), reparam),
            (flag("userdata", &["NAME", "VALUE"], userdata_help), userdata),
            (flag("userdata-with", &["OPTIONS", "NAME", "VALUE"], ""), userdata),
            (flag("group", &["FILE|TEXT"], group_help), |v| vec![Step::Group(v[0].clone())]),
            (flag("layer", &["NAME"], "Names the layer of the next shader"), |v| {
                vec![Step::Layer(v[0].clone())]
            }),
            (flag("shader", &["SHADER", "LAYER"], "Adds a shader and names its layer"), |v| {
                vec![Step::Layer(v[1].clone()), Step::Shader(v[0].clone())]
            }),
            (flag("expr", &["STATEMENTS"], expr_help), |v| vec![Step::Expr(v[0].clone())]),
            (
                flag(
                    "connect",
                    &["LAYER", "OUTPUT", "TO_LAYER", "INPUT"],
                    "Feeds an input of a layer",
                ),
                |v| vec![Step::Connect([0, 1, 2, 3].map(|i| v[i].clone()))],
            ),
        ]
    }
}

impl Args for Setup {
    fn augment_args(command: Command) -> Command {
        command.args(Setup::arguments().into_iter().map(|(arg, _)| arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Setup::augment_args(command)
    }
}

impl FromArgMatches for Setup {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Setup, clap::Error> {
        let mut steps = vec![];
        for (arg, meaning) in Setup::arguments() {
            let id: &Id = arg.get_id();
            let (Some(occurrences), Some(indices)) =
                (matches.get_occurrences::<String>(id.as_str()), matches.indices_of(id.as_str()))
            else {
                continue;
            };
            let mut indices = indices;
            for occurrence in occurrences {
                let mut values: Vec<String> = occurrence.cloned().collect();
                let positions: Vec<usize> = indices.by_ref().take(values.len()).collect();
                if WITH_OPTIONS.contains(&id.as_str()) {
                    values.insert(0, String::new());
                }
                if id == "shaders" {
                    steps.extend(positions.into_iter().zip(meaning(&values)));
                } else {
                    steps.extend(meaning(&values).into_iter().map(|step| (positions[0], step)));
                }
            }
        }
        // Stable, so that both steps of one flag stay in order.
        steps.sort_by_key(|(position, _)| *position);
        let setup = Setup { steps: steps.into_iter().map(|(_, step)| step).collect() };
        if setup
            .steps
            .iter()
            .any(|step| matches!(step, Step::Shader(_) | Step::Expr(_) | Step::Group(_)))
        {
            return Ok(setup);
        }
        let message = "no shader is given\n\nUsage: kiln shade [OPTIONS] SHADER…\n";
        Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, message))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Setup::from_arg_matches(matches)?;
        Ok(())
    }
}
