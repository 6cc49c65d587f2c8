//! Plays a behaviour on a server and writes down what the server says.
//!
//! Reads a [`Behaviour`] and a [`Target`]; returns a transcript.
//! Invariant: a transcript holds nothing that differs between two runs on one server.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde_json::Value;

use super::normal::Normaliser;
use super::script::{Ask, Behaviour, Goal, Shown, Step};
use super::target::{Answer, Next, Stream, Target};
use super::words::{Message, Words};

/// How often a request is repeated.
const PAUSE: Duration = Duration::from_millis(50);

/// The headers of an answer that clients read.
const HEADERS: &[&str] = &["allow", "content-type", "location", "retry-after", "warning"];

/// A behaviour being played.
struct Stage<'a> {
    target: &'a Target,
    words: Words,
    normal: Normaliser,
    last: Value,
    streams: BTreeMap<String, Stream>,
    transcript: String,
    /// Whether something was waited for in vain, so that what follows would tell nothing.
    is_lost: bool,
}

/// Plays a behaviour in a namespace that is there.
pub(crate) async fn play(target: &Target, behaviour: &Behaviour, index: usize) -> String {
    let words = words(target, index);
    let (namespace, group) = (words.namespace.clone(), words.group.clone());
    let normal = Normaliser::new(namespace, group, behaviour.marks);
    let (last, streams, transcript) = Default::default();
    let is_lost = false;
    let mut stage = Stage { target, words, normal, last, streams, transcript, is_lost };
    for step in &behaviour.before {
        stage.prepare(step).await;
    }
    for step in &behaviour.steps {
        if !stage.is_lost {
            stage.step(step).await;
        }
    }
    stage.transcript
}

/// The words of the behaviour with this number.
pub(crate) fn words(target: &Target, index: usize) -> Words {
    let run = target.run;
    let namespace = format!("{run}-{index:03}");
    Words { namespace, group: format!("{run}.example.com"), variables: BTreeMap::new() }
}

impl Stage<'_> {
    async fn prepare(&mut self, step: &Step) {
        match step {
            Step::Send { ask, .. } => self.send(ask, Shown::Nothing).await,
            _ => self.step(step).await,
        }
    }

    async fn step(&mut self, step: &Step) {
        match step {
            Step::Send { ask, shown } => self.send(ask, *shown).await,
            Step::Until { goal, ask } => self.until(goal, ask).await,
            Step::Let { name, pointer } => {
                let text = match self.last.pointer(pointer) {
                    Some(Value::String(text)) => text.clone(),
                    Some(value) => value.to_string(),
                    None => String::new(),
                };
                self.words.variables.insert(name.clone(), text);
            }
            Step::Pick { pointer } => {
                let pointer = self.words.expand(pointer);
                let part = self.last.pointer(&pointer).cloned();
                self.show_part(&format!("pick {pointer}"), part);
            }
            Step::Find { pointer, key, value } => {
                let value = self.words.expand(value);
                let items = self.last.pointer(pointer).and_then(Value::as_array);
                let found = items
                    .into_iter()
                    .flatten()
                    .find(|item| item.pointer(key).and_then(Value::as_str) == Some(&value))
                    .cloned();
                self.show_part(&format!("find {pointer} {key}={value}"), found);
            }
            Step::Watch { name, ask } => self.watch(name, ask).await,
            Step::Read { name, count } => self.read(name, Some(*count)).await,
            Step::End { name } => self.read(name, None).await,
        }
    }

    async fn send(&mut self, ask: &Ask, shown: Shown) {
        let answer = self.ask(ask).await;
        self.last = answer.json().unwrap_or(Value::Null);
        match shown {
            Shown::All => {
                self.note(&format!("> {}", ask.line));
                self.show(&answer);
            }
            Shown::Code => self.note(&format!("> {}\n< {}", ask.line, answer.code)),
            Shown::Nothing if answer.is_success() => {}
            Shown::Nothing => {
                self.note(&format!("> {} (was to succeed)", ask.line));
                self.show(&answer);
            }
        }
    }

    async fn ask(&mut self, ask: &Ask) -> Answer {
        if ask.verb != "EDIT" {
            let message = self.words.message(ask);
            let body: Value = serde_json::from_slice(&message.body).unwrap_or(Value::Null);
            if let Some(prefix) = body["metadata"]["generateName"].as_str() {
                self.normal.expect_name(prefix);
            }
            return self.target.send(&message).await;
        }
        // What is put to `finalize` is read from the object.
        let path = ask.path.replace("/finalize", "");
        let read = Ask { verb: "GET".to_owned(), body: String::new(), path, ..ask.clone() };
        let standing = self.target.send(&self.words.message(&read)).await;
        let Some(mut object) = standing.json() else {
            return standing;
        };
        let mut message = self.words.message(&Ask { verb: "PUT".to_owned(), ..ask.clone() });
        let change = serde_json::from_slice(&message.body).expect("an edit is JSON");
        merge(&mut object, &change);
        message.body = serde_json::to_vec(&object).expect("a value is JSON");
        self.target.send(&message).await
    }

    async fn until(&mut self, goal: &Goal, ask: &Ask) {
        let (mut answer, patience) = (Answer::default(), self.target.patience);
        let wait = async {
            loop {
                answer = self.ask(ask).await;
                if self.is_reached(goal, &answer) {
                    break;
                }
                // waits: what is waited for happens in the server, which tells nobody
                tokio::time::sleep(PAUSE).await;
            }
        };
        let is_reached = tokio::time::timeout(patience, wait).await.is_ok();
        self.last = answer.json().unwrap_or(Value::Null);
        if !is_reached {
            self.is_lost = true;
            self.note(&format!("until {goal:?} {} (never)", ask.line));
            self.show(&answer);
        }
    }

    fn is_reached(&self, goal: &Goal, answer: &Answer) -> bool {
        match goal {
            Goal::Code(code) => answer.code == *code,
            Goal::Field { pointer, value } => {
                let body = answer.json().unwrap_or(Value::Null);
                let found = match body.pointer(pointer) {
                    Some(Value::String(text)) => text.clone(),
                    Some(found) => found.to_string(),
                    None => String::new(),
                };
                found == self.words.expand(value)
            }
        }
    }

    async fn watch(&mut self, name: &str, ask: &Ask) {
        self.note(&format!("watch {name} {}", ask.line));
        let message = self.words.message(ask);
        // A watch may start from a cache that lags behind; a list makes it catch up.
        let path = message.path.split('?').next().unwrap_or("").replace("/watch/", "/");
        self.target.send(&Message { path, ..message.clone() }).await;
        match self.target.stream(&message).await {
            Ok((answer, stream)) => {
                self.show_head(&answer);
                self.streams.insert(name.to_owned(), stream);
            }
            Err(answer) => self.show(&answer),
        }
    }

    /// Shows a number of events, or all until the end.
    async fn read(&mut self, name: &str, count: Option<usize>) {
        self.note(&format!("read {name}"));
        let Some(mut stream) = self.streams.remove(name) else {
            return self.note("(not open)");
        };
        let mut left = count.unwrap_or(usize::MAX);
        while left > 0 {
            match stream.next().await {
                Next::Line(line) if is_noise(&line) => {}
                // Later bookmarks come in the server's own time.
                Next::Line(line) if stream.is_bookmarked && is_bookmark(&line) => {}
                Next::Line(line) => {
                    stream.is_bookmarked |= is_bookmark(&line);
                    self.event(&line);
                    left -= 1;
                }
                Next::End => {
                    self.note("(end)");
                    break;
                }
                Next::Nothing => {
                    self.note("(nothing)");
                    break;
                }
            }
        }
        self.streams.insert(name.to_owned(), stream);
    }

    fn event(&mut self, line: &[u8]) {
        let Ok(mut event) = serde_json::from_slice::<Value>(line) else {
            return self.note(&String::from_utf8_lossy(line));
        };
        self.last = event.clone();
        if event["type"] == "BOOKMARK" {
            let version = event.pointer_mut("/object/metadata/resourceVersion");
            if let Some(version) = version {
                *version = Value::from("0#list");
            }
        }
        let event = self.normal.value(&event);
        self.note(&pretty(&event));
    }

    fn show(&mut self, answer: &Answer) {
        self.show_head(answer);
        match answer.json() {
            Some(body) => {
                let body = self.normal.value(&body);
                self.note(&pretty(&body));
            }
            None if answer.body.is_empty() => {}
            None => {
                let text = String::from_utf8_lossy(&answer.body).into_owned();
                let text = self.normal.text(&text);
                self.note(text.trim_end());
            }
        }
    }

    fn show_head(&mut self, answer: &Answer) {
        self.note(&format!("< {}", answer.code));
        let mut headers: Vec<_> =
            answer.headers.iter().filter(|(name, _)| HEADERS.contains(&name.as_str())).collect();
        headers.sort_by_key(|(name, _)| name);
        for (name, value) in headers {
            if value != "application/json" {
                let value = self.normal.text(value);
                self.note(&format!("{name}: {value}"));
            }
        }
    }

    fn show_part(&mut self, what: &str, part: Option<Value>) {
        let what = self.normal.text(what);
        let shown = part.map(|it| pretty(&self.normal.value(&it)));
        self.note(&format!("{what}\n{}", shown.unwrap_or("(nothing)".to_owned())));
    }

    fn note(&mut self, text: &str) {
        writeln!(self.transcript, "{text}").expect("a string grows");
    }
}

fn is_noise(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    text.contains("\"name\":\"kube-root-ca.crt\"")
}

fn is_bookmark(line: &[u8]) -> bool {
    String::from_utf8_lossy(line).contains("\"type\":\"BOOKMARK\"")
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value is JSON")
}

/// Puts a change over an object; null takes a field away.
fn merge(object: &mut Value, change: &Value) {
    let Value::Object(change) = change else {
        *object = change.clone();
        return;
    };
    if !object.is_object() {
        *object = Value::Object(Default::default());
    }
    for (name, value) in change {
        match (object.as_object_mut(), value) {
            (Some(fields), Value::Null) => drop(fields.remove(name)),
            (Some(fields), value) => merge(fields.entry(name).or_insert(Value::Null), value),
            (None, _) => {}
        }
    }
}
