//! Writes findings as they are found, for people or for programs.
//!
//! Invariant: no finding is kept after it was written, so that memory does not grow with them.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use super::finding::{Excerpt, Finding, Unusable};
use super::text::Artist;
use crate::args::Output;

/// Standard output with a form.
#[derive(Debug)]
pub(super) struct Printer {
    out: BufWriter<StdoutLock<'static>>,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Text(Artist),
    Json { findings: usize, unusable: Vec<Unusable> },
}

/// What was found in all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) objects: usize,
    pub(super) bad_objects: usize,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    /// Objects of kinds that nothing is known about, by kind.
    pub(super) other: BTreeMap<String, usize>,
    pub(super) unusable: usize,
}

impl Printer {
    pub(super) fn new(output: Output) -> io::Result<Self> {
        let mut out = BufWriter::new(io::stdout().lock());
        let form = match output {
            Output::Text => Form::Text(Artist::new(is_coloured())),
            Output::Json => {
                out.write_all(b"{\"findings\":[")?;
                Form::Json { findings: 0, unusable: Vec::new() }
            }
        };
        Ok(Self { out, form })
    }

    pub(super) fn finding(
        &mut self,
        finding: &Finding,
        excerpt: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        match &mut self.form {
            Form::Text(artist) => self.out.write_all(artist.finding(finding, excerpt).as_bytes()),
            Form::Json { findings, .. } => {
                self.out.write_all(if *findings == 0 { b"\n  " } else { b",\n  " })?;
                *findings += 1;
                serde_json::to_writer(&mut self.out, finding).map_err(io::Error::from)
            }
        }
    }

    pub(super) fn unusable(
        &mut self,
        what: Unusable,
        excerpt: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        match &mut self.form {
            Form::Text(artist) => self.out.write_all(artist.unusable(&what, excerpt).as_bytes()),
            Form::Json { unusable, .. } => {
                unusable.push(what);
                Ok(())
            }
        }
    }

    pub(super) fn note(&mut self, note: &str) -> io::Result<()> {
        match &self.form {
            Form::Text(_) => writeln!(self.out, "note: {note}"),
            Form::Json { .. } => writeln!(io::stderr().lock(), "note: {note}"),
        }
    }

    /// Writes what comes after the last finding.
    pub(super) fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if let Some(note) = summary.other_kinds() {
            self.note(&note)?;
        }
        if let Form::Text(_) = &self.form {
            writeln!(self.out, "{}", summary.sentence())?;
        }
        self.close()
    }

    /// Ends early, with the reason.
    pub(super) fn stop(&mut self, what: Unusable) -> io::Result<()> {
        if let Form::Json { unusable, .. } = &mut self.form {
            unusable.push(what);
        }
        self.close()
    }

    fn close(&mut self) -> io::Result<()> {
        if let Form::Json { findings, unusable } = &self.form {
            self.out.write_all(if *findings == 0 { b"]" } else { b"\n]" })?;
            if !unusable.is_empty() {
                self.out.write_all(b",\"unusable\":")?;
                serde_json::to_writer(&mut self.out, unusable)?;
            }
            self.out.write_all(b"}\n")?;
        }
        self.out.flush()
    }
}

/// Whether the output is looked at by a person who wants colours.
fn is_coloured() -> bool {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !is_refused
}

impl Summary {
    fn other_kinds(&self) -> Option<String> {
        let total: usize = self.other.values().sum();
        let kinds: Vec<String> =
            self.other.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
        let [objects, were] = if total == 1 { ["object", "was"] } else { ["objects", "were"] };
        (total > 0).then(|| {
            let kinds = kinds.join(", ");
            format!("{total} {objects} of other kinds {were} not checked: {kinds}")
        })
    }

    fn sentence(&self) -> String {
        let counted = |count: usize, word: &str| match count {
            1 => format!("1 {word}"),
            count => format!("{count} {word}s"),
        };
        let mut parts = Vec::new();
        if self.errors > 0 || self.warnings == 0 {
            parts.push(match self.errors {
                0 => "no errors".to_owned(),
                errors => counted(errors, "error"),
            });
        }
        if self.warnings > 0 {
            parts.push(counted(self.warnings, "warning"));
        }
        let found = parts.join(" and ");
        let objects = counted(self.objects, "object");
        let mut sentence = match (self.bad_objects, self.objects) {
            (0, _) => format!("{found} in {objects}"),
            (bad, all) if bad == all => format!("{found} in {objects}"),
            (bad, _) => format!("{found} in {bad} of {objects}"),
        };
        if self.unusable > 0 {
            let [things, were] =
                if self.unusable == 1 { ["thing", "was"] } else { ["things", "were"] };
            sentence.push_str(&format!(
                "; {} {things} could not be read and {were} left out",
                self.unusable
            ));
        }
        sentence
    }
}
