//! A client that creates, updates, patches and deletes its own objects, and a field of a shared one.
//!
//! Writes until the server is gone; afterwards it is shown what there is.
//! Invariant: it knows of every object what it was answered last, and what it sent since.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, Error};
use serde_json::json;

use super::chronicle::Chronicle;
use super::content::{self, Found, SHARED};

/// Objects of each writer.
const OBJECTS: usize = 8;

pub(crate) struct Writer {
    number: usize,
    dice: Rng,
    chronicle: Arc<Chronicle>,
    next: u64,
    objects: Vec<Object>,
    /// The field of the shared object.
    field: Belief,
    answered: usize,
    unanswered: usize,
    kept: usize,
}

struct Object {
    name: String,
    belief: Belief,
    /// The last state that was answered.
    last: Option<ConfigMap>,
}

/// What must be there, as the number of its content; none if nothing.
#[derive(Debug, Default, Clone, Copy)]
struct Belief {
    answered: Option<u64>,
    /// What was sent and not answered.
    sent: Option<Option<u64>>,
}

impl Writer {
    pub(crate) fn new(number: usize, dice: Rng, chronicle: Arc<Chronicle>) -> Self {
        let name = |index| format!("writer-{number}-{index}");
        let object = |index| Object { name: name(index), belief: Belief::default(), last: None };
        let objects = (0..OBJECTS).map(object).collect();
        let field = Belief::default();
        Self {
            number,
            dice,
            chronicle,
            next: 1,
            objects,
            field,
            answered: 0,
            unanswered: 0,
            kept: 0,
        }
    }

    pub(crate) fn answered(&self) -> usize {
        self.answered
    }

    pub(crate) fn unanswered(&self) -> usize {
        self.unanswered
    }

    pub(crate) fn kept(&self) -> usize {
        self.kept
    }

    /// Writes until the server no longer answers.
    pub(crate) async fn write(mut self, client: Client) -> Self {
        let api = content::api(&client);
        loop {
            let number = self.next;
            self.next += 1;
            let is_shared = self.dice.u8(..) < 40;
            let alive = match is_shared {
                true => self.write_field(&api, number).await,
                false => self.write_object(&api, number).await,
            };
            // The revision of a deletion is in no answer.
            if alive && let Ok(newest) = content::newest(&client).await {
                self.chronicle.reach(newest);
            }
            if !alive {
                self.unanswered += 1;
                return self;
            }
            self.answered += 1;
        }
    }

    async fn write_object(&mut self, api: &Api<ConfigMap>, number: u64) -> bool {
        let place = self.dice.usize(..OBJECTS);
        let choice = self.dice.u8(..100);
        let object = &mut self.objects[place];
        let becomes = (object.last.is_none() || choice >= 20).then_some(number);
        object.belief.sent = Some(becomes);
        let answer = match &object.last {
            None => create(api, &object.name, number).await.map(Some),
            Some(_) if choice < 20 => delete(api, &object.name).await.map(|()| None),
            Some(last) if choice < 60 => update(api, last, number).await.map(Some),
            Some(_) => patch(api, &object.name, number).await.map(Some),
        };
        let Some(answer) = survived(answer) else { return false };
        if let Some(answer) = &answer {
            assert_eq!(content::number(answer), number, "another content was answered");
            self.chronicle.take(answer, false);
        }
        object.last = answer;
        object.belief = Belief { answered: becomes, sent: None };
        true
    }

    async fn write_field(&mut self, api: &Api<ConfigMap>, number: u64) -> bool {
        self.field.sent = Some(Some(number));
        let field = format!("writer-{}", self.number);
        let change = json!({"data": {field: number.to_string()}});
        let answer = loop {
            let params = PatchParams::default();
            let answer = match api.patch(SHARED, &params, &Patch::Merge(&change)).await {
                Err(Error::Api(status)) if status.code == 404 => {
                    let metadata =
                        ObjectMeta { name: Some(SHARED.into()), ..ObjectMeta::default() };
                    let empty = ConfigMap { metadata, ..ConfigMap::default() };
                    api.create(&PostParams::default(), &empty).await
                }
                answer => answer,
            };
            match answer {
                // Another writer was there first.
                Err(Error::Api(status)) if status.code == 409 => {}
                Ok(answer) if answer.data.is_none() => self.chronicle.take(&answer, false),
                answer => break answer,
            }
        };
        let Some(answer) = survived(answer) else { return false };
        self.chronicle.take(&answer, false);
        self.field = Belief { answered: Some(number), sent: None };
        true
    }

    /// Holds what is there against what it knows, and believes it.
    pub(crate) fn settle(&mut self, found: &Found) {
        for object in &mut self.objects {
            let there = found.objects.get(&object.name);
            self.kept += object.belief.settle(&object.name, there.map(content::number));
            if let (Some(there), Some(last)) = (there, &object.last) {
                assert!(content::revision(there) >= content::revision(last), "it went back");
            }
            object.last = there.cloned();
        }
        let shared = found.objects.get(SHARED).and_then(|it| it.data.as_ref());
        let field = shared.and_then(|it| it.get(&format!("writer-{}", self.number)));
        let there = field.map(|it| it.parse().expect("a number"));
        self.kept += self.field.settle(SHARED, there);
    }
}

impl Belief {
    /// Returns how many writes happened without an answer.
    fn settle(&mut self, name: &str, there: Option<u64>) -> usize {
        let happened = self.sent.is_some_and(|sent| sent == there) && there != self.answered;
        assert!(there == self.answered || happened, "{name} is {there:?}, but known is {self:?}");
        *self = Self { answered: there, sent: None };
        usize::from(happened)
    }
}

/// The answer, or nothing if the server died over it.
fn survived<T>(answer: Result<T, Error>) -> Option<T> {
    match answer {
        Ok(answer) => Some(answer),
        Err(Error::Api(status)) => panic!("a write that must succeed was refused: {status:?}"),
        Err(_) => None,
    }
}

pub(crate) async fn create(
    api: &Api<ConfigMap>,
    name: &str,
    number: u64,
) -> Result<ConfigMap, Error> {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    let data: Option<BTreeMap<_, _>> = Some(content::of(name, number));
    api.create(&PostParams::default(), &ConfigMap { metadata, data, ..ConfigMap::default() }).await
}

async fn update(api: &Api<ConfigMap>, last: &ConfigMap, number: u64) -> Result<ConfigMap, Error> {
    let name = content::name(last);
    let new = ConfigMap { data: Some(content::of(name, number)), ..last.clone() };
    api.replace(name, &PostParams::default(), &new).await
}

async fn patch(api: &Api<ConfigMap>, name: &str, number: u64) -> Result<ConfigMap, Error> {
    let change = json!({"data": content::of(name, number)});
    api.patch(name, &PatchParams::default(), &Patch::Merge(&change)).await
}

pub(crate) async fn delete(api: &Api<ConfigMap>, name: &str) -> Result<(), Error> {
    api.delete(name, &DeleteParams::default()).await.map(drop)
}
