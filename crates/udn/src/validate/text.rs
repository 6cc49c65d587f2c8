//! Shows findings to people, as compilers show mistakes.
//!
//! Reads a finding and the piece of text that it is about; returns lines for a terminal.
//! Invariant: what is shown is bounded, however long the line or the document is.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use udn_manifest::manifest::Position;
use udn_model::Severity;

use super::finding::{Excerpt, Finding, FoundBy, Unusable};

/// How many lines are shown above the one at fault.
const LINES_ABOVE: usize = 2;

/// How many characters of a line are shown on each side of what is at fault.
const WIDTH: usize = 120;

/// Shows findings in one style.
#[derive(Debug)]
pub(super) struct Artist {
    renderer: Renderer,
}

impl Artist {
    pub(super) fn new(is_coloured: bool) -> Self {
        let renderer = if is_coloured { Renderer::styled() } else { Renderer::plain() };
        Self { renderer: renderer.decor_style(DecorStyle::Ascii) }
    }

    pub(super) fn finding(&self, finding: &Finding, excerpt: Option<Excerpt<'_>>) -> String {
        if finding.is_remark() {
            let text = format!(
                "not all rules of {} were checked, because of these errors; there \
                                may be more",
                finding.object
            );
            return format!(
                "{}\n\n",
                self.renderer.render(&[Group::with_title(Level::NOTE.primary_title(text))])
            );
        }
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(headline(finding)));
        if let (Some(file), Some(line)) = (&finding.file, finding.line) {
            let beside = label(finding, excerpt.as_ref());
            group = group.elements(place(file, (line, finding.column), excerpt, beside));
        }
        group = group.element(Level::NOTE.message(format!("in {}", finding.object)));
        if let Some(help) = &finding.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        format!("{}\n\n", self.renderer.render(&[group]))
    }

    pub(super) fn unusable(&self, unusable: &Unusable, excerpt: Option<Excerpt<'_>>) -> String {
        let title = match (unusable.line, excerpt) {
            (None, _) => format!("{} {}", unusable.file, unusable.message),
            (Some(_), _) => unusable.message.clone(),
        };
        let mut group = Group::with_title(Level::ERROR.primary_title(title));
        if let Some(line) = unusable.line {
            group = group.elements(place(&unusable.file, (line, unusable.column), excerpt, None));
        }
        format!("{}\n\n", self.renderer.render(&[group]))
    }
}

/// What kubectl would print of it.
fn headline(finding: &Finding) -> String {
    let Finding { path, message, source, .. } = finding;
    match source {
        FoundBy::Schema | FoundBy::Cel if names_field(finding) => format!("{path}: {message}"),
        FoundBy::Schema | FoundBy::Cel | FoundBy::Policy | FoundBy::Cluster => message.clone(),
    }
}

/// Whether the server says the field before the message.
fn names_field(finding: &Finding) -> bool {
    !finding.path.is_empty() && finding.reason.starts_with("FieldValue")
}

/// What to write beside the mark.
fn label(finding: &Finding, excerpt: Option<&Excerpt<'_>>) -> Option<String> {
    let name = finding.path.rsplit(['.', ']']).next().unwrap_or_default();
    let is_missing = excerpt.is_some_and(|it| it.is_missing) && !name.is_empty();
    is_missing.then(|| format!("`{name}` is missing here"))
}

/// Where it is, with the lines if they are at hand.
fn place<'a>(
    file: &'a str,
    (line, column): (usize, Option<usize>),
    excerpt: Option<Excerpt<'a>>,
    label: Option<String>,
) -> Vec<Element<'a>> {
    let window = excerpt.map(Window::of);
    let is_whole = window.as_ref().is_some_and(|it| !it.is_cut);
    let mut elements = Vec::new();
    if !is_whole {
        // The renderer takes columns from what it is shown, which is not all of the line.
        let origin = Origin::path(file).line(line);
        elements.push(origin.char_column(column.unwrap_or(1)).into());
    }
    if let Some(Window { text, line, span, .. }) = window {
        let mark = AnnotationKind::Primary.span(span).label(label);
        let snippet = Snippet::source(text).line_start(line).fold(false).annotation(mark);
        elements.push(snippet.path(is_whole.then_some(file)).into());
    }
    elements
}

/// The line at fault and some above it, cut to what a person can look at.
struct Window<'a> {
    text: &'a str,
    /// The line of the file on which the text begins.
    line: usize,
    span: Range<usize>,
    /// Whether the line at fault begins before the text.
    is_cut: bool,
}

impl<'a> Window<'a> {
    fn of(excerpt: Excerpt<'a>) -> Self {
        let Excerpt { text, line, mark, .. } = excerpt;
        let Range { start: from, end: to } = mark.range();
        let Position { line: marked, .. } = Position::of(text, from, line);
        let start = line_start(text, from);
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let (left, right) = (cut_left(text, start, from), cut_right(text, from, to, end));
        let is_cut = left > start;
        let (above, lines) = if is_cut { (left, 0) } else { lines_above(text, start) };
        let span = from - above..to.clamp(from, right.max(from)) - above;
        let text = text[above..right].trim_end_matches('\r');
        Self { text, line: marked - lines, span, is_cut }
    }
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Where to begin with a line, so that what is at fault is not far.
fn cut_left(text: &str, start: usize, mark: usize) -> usize {
    let far = text[start..mark].char_indices().rev().nth(WIDTH);
    far.map_or(start, |(at, _)| start + at)
}

fn cut_right(text: &str, from: usize, to: usize, end: usize) -> usize {
    let far = |start: usize| text[start..end].char_indices().nth(WIDTH).map(|(at, _)| start + at);
    // What is at fault may be longer than what can be shown of it.
    match far(from) {
        Some(limit) if limit < to => limit,
        Some(_) | None => far(to.min(end)).unwrap_or(end),
    }
}

/// The beginning of the lines above, and how many there are.
fn lines_above(text: &str, start: usize) -> (usize, usize) {
    let mut above = (start, 0);
    while above.1 < LINES_ABOVE && above.0 > 0 {
        let before = line_start(text, above.0 - 1);
        let line = &text[before..above.0];
        if line.starts_with("---") || line.len() > 2 * WIDTH {
            break;
        }
        above = (before, above.1 + 1);
    }
    above
}
