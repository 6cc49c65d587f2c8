//! Scripts of kubectl commands.
//!
//! Reads a text; returns steps. `$` runs a command, `&` starts one that goes on, `.` with a number
//! waits for so many lines of it and ends it; `^` runs one until it succeeds, for what a server does
//! in its own time and tells nobody; `|` is what the command above reads; `~` says why the command
//! below may differ; `#` is a comment.
//! Invariant: a line that is none of these is a mistake in the script.

/// One step of a script.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) place: String,
    pub(crate) act: Act,
    /// What the command reads.
    pub(crate) input: String,
    /// Why its output may differ.
    pub(crate) excuse: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Act {
    Run(Vec<String>),
    Start(Vec<String>),
    /// Runs it until it succeeds; what it says is not looked at.
    Until(Vec<String>),
    /// Waits until the started command wrote this many lines.
    Stop(usize),
}

impl Step {
    /// The step for people.
    pub(crate) fn shown(&self) -> String {
        match &self.act {
            Act::Run(words) => format!("{} $ {}", self.place, words.join(" ")),
            Act::Start(words) => format!("{} & {}", self.place, words.join(" ")),
            Act::Until(words) => format!("{} ^ {}", self.place, words.join(" ")),
            Act::Stop(lines) => format!("{} . {lines}", self.place),
        }
    }
}

/// Reads a script.
pub(crate) fn read(name: &str, text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut excuse = None;
    for (number, line) in (1..).zip(text.lines()) {
        let place = format!("{name}:{number}");
        let mut add = |act| {
            let excuse = excuse.take();
            steps.push(Step { place: place.clone(), act, input: String::new(), excuse });
        };
        match line.split_at_checked(1) {
            None | Some(("#", _)) => {}
            Some(("$", rest)) => add(Act::Run(words(rest))),
            Some(("^", rest)) => add(Act::Until(words(rest))),
            Some(("&", rest)) => add(Act::Start(words(rest))),
            Some((".", rest)) => add(Act::Stop(rest.trim().parse().expect("a number"))),
            Some(("~", rest)) => excuse = Some(rest.trim().to_owned()),
            Some(("|", rest)) => {
                let step = steps.last_mut().expect("a command is above");
                step.input.push_str(rest.strip_prefix(' ').unwrap_or(rest));
                step.input.push('\n');
            }
            Some(_) => panic!("{place} is no line of a script: {line}"),
        }
    }
    steps
}

/// Words as a shell parts them, with single quotes alone.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for letter in text.chars() {
        match letter {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
