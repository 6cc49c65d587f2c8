//! One run of `udn validate`, from the first file to the review of all objects together.
//!
//! Reads sources one by one; prints findings as they come.
//! Invariant: of an object, only what the review needs outlives its file, and where it was found.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use kube_schema::Catalog;
use serde_json::Value;
use udn_cluster::World;
use udn_cluster::world::Refused;
use udn_manifest::manifest::{Document, Object, Position, Unreadable, documents};
use udn_model::Severity;

use super::finding::{Excerpt, Finding, Unusable};
use super::former::Former;
use super::identity::Identity;
use super::judge::{Judged, is_known, judge, settle_namespace};
use super::printer::{Printer, Summary};
use super::review::{Reviewed, review};
use super::sources::Source;
use crate::args::SettingsRequest;
use crate::settings::settings;

/// How many findings of one object are shown; a machine's mistake makes any number of them.
const MOST: usize = 200;

/// A run.
pub(super) struct Session<'a> {
    catalog: &'a Catalog,
    former: &'a Former,
    namespace: &'a str,
    printer: &'a mut Printer,
    summary: Summary,
    world: World,
    given: BTreeMap<Identity, Origin>,
    sources: Vec<Source>,
    /// Standard input, which cannot be read again.
    standard: Option<String>,
}

/// Where an object was found, in the order of reading.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Origin {
    source: usize,
    /// Which document of the source, from one.
    document: usize,
    /// Which object of the document, from zero.
    place: usize,
}

/// The source that was read last.
#[derive(Debug, Default)]
struct Opened {
    source: Option<usize>,
    text: String,
}

/// The object at hand, within its document.
struct Sheet<'a> {
    file: &'a str,
    document: Document<'a>,
    object: &'a Object,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        catalog: &'a Catalog,
        former: &'a Former,
        namespace: &'a str,
        printer: &'a mut Printer,
    ) -> Self {
        Self {
            catalog,
            former,
            namespace,
            printer,
            summary: Summary::default(),
            world: World::default(),
            given: BTreeMap::new(),
            sources: Vec::new(),
            standard: None,
        }
    }

    /// Whether no object was seen yet, and nothing that might have been one.
    pub(super) fn is_empty(&self) -> bool {
        let Summary { objects, other, unusable, .. } = &self.summary;
        *objects == 0 && other.is_empty() && *unusable == 0
    }

    /// Judges every object of a source.
    pub(super) fn take(&mut self, source: &Source) -> io::Result<()> {
        let text = match source.read() {
            Ok(text) => text,
            Err(unusable) => return self.leave_out(unusable, None),
        };
        self.sources.push(source.clone());
        for document in documents(&text) {
            self.take_document(&source.name(), document)?;
        }
        if *source == Source::Standard {
            self.standard = Some(text);
        }
        Ok(())
    }

    fn take_document(&mut self, file: &str, document: Document<'_>) -> io::Result<()> {
        let objects = match document.objects() {
            Ok(objects) => objects,
            Err(error) => {
                let (unusable, excerpt) = unreadable(file, document, &error);
                return self.leave_out(unusable, Some(excerpt));
            }
        };
        for (place, object) in objects.iter().enumerate() {
            let source = self.sources.len() - 1;
            let origin = Origin { source, document: document.number, place };
            self.take_object(&Sheet { file, document, object }, origin)?;
        }
        Ok(())
    }

    fn leave_out(&mut self, what: Unusable, excerpt: Option<Excerpt<'_>>) -> io::Result<()> {
        self.summary.unusable += 1;
        self.printer.unusable(what, excerpt)
    }

    fn take_object(&mut self, sheet: &Sheet<'_>, origin: Origin) -> io::Result<()> {
        let Object { api_version, kind, .. } = sheet.object;
        if api_version.is_empty() || kind.is_empty() {
            let what = "this is not a Kubernetes object; give it apiVersion and kind";
            let (unusable, excerpt) = sheet.unusable(what);
            return self.leave_out(unusable, Some(excerpt));
        }
        if !is_known(self.catalog, sheet.object) {
            *self.summary.other.entry(kind.clone()).or_default() += 1;
            return Ok(());
        }
        self.summary.objects += 1;
        let mut value = sheet.object.value.clone();
        settle_namespace(self.catalog, &mut value, self.namespace);
        let identity = Identity::of(&value);
        let judgement = judge(self.catalog, sheet.object, value, self.former.version(&identity));
        let mut findings = judgement.findings;
        if let Some(accepted) = judgement.accepted {
            findings.extend(self.remember(identity, &accepted, origin));
        }
        self.summary.bad_objects += usize::from(!findings.is_empty());
        let hidden = findings.len().saturating_sub(MOST);
        for judged in findings.drain(..findings.len() - hidden) {
            let (finding, excerpt) = sheet.locate(judged);
            self.tell(&finding, Some(excerpt))?;
        }
        if hidden > 0 {
            self.summary.errors += hidden;
            let name = Identity::of(&sheet.object.value);
            self.printer.note(&format!("{hidden} more errors in {name} are not shown"))?;
        }
        Ok(())
    }

    /// Keeps an accepted object for the review, unless it stands there already.
    fn remember(&mut self, identity: Identity, object: &Value, origin: Origin) -> Option<Judged> {
        let refused = match self.given.contains_key(&identity) {
            true => {
                let message = format!("{identity} appears a second time; remove one of the two");
                Err(Refused::Unfit { path: Vec::new(), message })
            }
            false => self.world.insert(object),
        };
        match refused {
            Ok(()) | Err(Refused::OtherKind { .. }) => {
                self.given.insert(identity, origin);
                None
            }
            Err(Refused::Unfit { path, message }) => {
                Some(Judged::of_cluster(&identity, path, "InvalidSpec", message))
            }
        }
    }

    fn tell(&mut self, finding: &Finding, excerpt: Option<Excerpt<'_>>) -> io::Result<()> {
        match finding.severity {
            // A remark on the other errors, which are counted.
            Severity::Error if finding.is_remark() => {}
            Severity::Error => self.summary.errors += 1,
            Severity::Warning => self.summary.warnings += 1,
        }
        self.printer.finding(finding, excerpt)
    }

    /// Looks at all accepted objects together, with those of the cluster if there is one.
    pub(super) fn review(&mut self, request: &SettingsRequest) -> io::Result<()> {
        let settings = settings(request, self.former.service_subnets.as_ref());
        let world = std::mem::take(&mut self.world);
        let mut reviewed = review(world, &self.given, self.former.cluster(), &settings);
        reviewed.sort_by_key(|it| self.given.get(&it.identity).cloned().unwrap_or(Origin::LAST));
        let mut bad = BTreeSet::new();
        let mut opened = Opened::default();
        for Reviewed { identity, judged } in reviewed {
            match self.given.get(&identity).cloned() {
                Some(origin) => self.tell_in_place(judged, &origin, &mut opened)?,
                None => self.tell(&judged.finding, None)?,
            }
            bad.insert(identity);
        }
        self.summary.bad_objects += bad.iter().filter(|it| self.given.contains_key(it)).count();
        Ok(())
    }

    /// Reads an object's document again to show a finding in it.
    fn tell_in_place(
        &mut self,
        judged: Judged,
        origin: &Origin,
        opened: &mut Opened,
    ) -> io::Result<()> {
        let Some(source) = self.sources.get(origin.source) else { return Ok(()) };
        let file = source.name();
        if opened.source != Some(origin.source) {
            let text = match source {
                Source::Standard => self.standard.clone().unwrap_or_default(),
                // A file that went away in between is shown without its lines.
                Source::File(_) => source.read().unwrap_or_default(),
            };
            *opened = Opened { source: Some(origin.source), text };
        }
        let document = documents(&opened.text).nth(origin.document - 1);
        let objects = document.and_then(|it| it.objects().ok()).unwrap_or_default();
        match (document, objects.get(origin.place)) {
            (Some(document), Some(object)) => {
                let (finding, excerpt) = Sheet { file: &file, document, object }.locate(judged);
                self.tell(&finding, Some(excerpt))
            }
            (_, _) => self.tell(&judged.finding, None),
        }
    }

    /// Prints what comes last.
    pub(super) fn finish(self) -> io::Result<Summary> {
        for note in &self.former.notes {
            self.printer.note(note)?;
        }
        self.printer.finish(&self.summary)?;
        Ok(self.summary)
    }
}

impl Origin {
    /// After everything that was found anywhere.
    const LAST: Self = Self { source: usize::MAX, document: 0, place: 0 };
}

fn unreadable<'a>(
    file: &str,
    document: Document<'a>,
    error: &Unreadable,
) -> (Unusable, Excerpt<'a>) {
    let Document { text, line, .. } = document;
    let Position { line: at, column } = Position::of(text, error.span.range().start, line);
    let message = format!("this document cannot be read: {error}");
    let unusable =
        Unusable { file: file.to_owned(), line: Some(at), column: Some(column), message };
    (unusable, Excerpt { text, line, mark: error.span, is_missing: false })
}

impl<'a> Sheet<'a> {
    /// Finds the place of a finding.
    fn locate(&self, judged: Judged) -> (Finding, Excerpt<'a>) {
        let Document { text, line, .. } = self.document;
        let place = self.object.place(&judged.steps);
        let mark = match (judged.is_about_key, place.key) {
            (true, Some(key)) => key,
            (true, None) | (false, _) => place.mark(text),
        };
        let Position { line: at, column } = Position::of(text, mark.range().start, line);
        let file = Some(self.file.to_owned());
        let finding = Finding { file, line: Some(at), column: Some(column), ..judged.finding };
        let is_missing = !place.is_exact;
        (finding, Excerpt { text, line, mark, is_missing })
    }

    fn unusable(&self, message: &str) -> (Unusable, Excerpt<'a>) {
        let Document { text, line, .. } = self.document;
        let mark = self.object.place(&[]).mark(text);
        let Position { line: at, column } = Position::of(text, mark.range().start, line);
        let (file, message) = (self.file.to_owned(), message.to_owned());
        let unusable = Unusable { file, line: Some(at), column: Some(column), message };
        (unusable, Excerpt { text, line, mark, is_missing: false })
    }
}
