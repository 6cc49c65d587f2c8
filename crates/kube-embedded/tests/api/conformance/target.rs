//! A server that behaviours are tried on.
//!
//! Takes messages; returns what the server answers, whole or as a stream of lines.
//! Invariant: nothing here knows which server it talks to, once it runs.

use std::time::Duration;

use http_body_util::BodyExt;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::Value;
use udn_lab::kubernetes::Cluster;

use super::words::Message;

/// How long an answer or an event may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server under the name that tells its run from others.
pub(crate) struct Target {
    pub(crate) run: &'static str,
    client: Client,
    /// How long something that the server does by itself may take.
    pub(crate) patience: Duration,
}

/// What a server answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    /// Zero where no answer came.
    pub(crate) code: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// A watch that is open.
pub(crate) struct Stream {
    body: Body,
    read: Vec<u8>,
    is_ended: bool,
    /// Whether a bookmark was shown.
    pub(crate) is_bookmarked: bool,
}

/// What came next on a watch.
pub(crate) enum Next {
    Line(Vec<u8>),
    End,
    Nothing,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.code)
    }

    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

impl Target {
    /// A real server; the cluster must outlive the target.
    pub(crate) async fn real(run: &'static str, cluster: &Cluster) -> Self {
        let config = Kubeconfig::read_from(cluster.kubeconfig()).expect("it is readable");
        let options = KubeConfigOptions::default();
        let mut config =
            Config::from_custom_kubeconfig(config, &options).await.expect("it is whole");
        // A refusal is an answer, not a reason to ask again.
        config.default_retry = false;
        let client = Client::try_from(config).expect("the configuration is usable");
        // Its garbage collector looks for new kinds every half minute.
        Self { patience: Duration::from_secs(180), ..Self::new(run, client) }
    }

    /// Whatever the client reaches.
    pub(crate) fn new(run: &'static str, client: Client) -> Self {
        Self { run, client, patience: Duration::from_secs(30) }
    }

    /// Sends a message and reads the answer.
    pub(crate) async fn send(&self, message: &Message) -> Answer {
        let whole = async {
            match self.open(message).await {
                Ok((answer, body)) => match body.collect().await {
                    Ok(body) => Answer { body: body.to_bytes().to_vec(), ..answer },
                    Err(_) => Answer { body: b"(broken off)".to_vec(), ..answer },
                },
                Err(error) => Answer { body: error.into_bytes(), ..Answer::default() },
            }
        };
        let late = |_| Answer { body: b"(no end)".to_vec(), ..Answer::default() };
        tokio::time::timeout(PATIENCE, whole).await.unwrap_or_else(late)
    }

    /// Sends a message and leaves the answer open, unless it is a refusal.
    pub(crate) async fn stream(&self, message: &Message) -> Result<(Answer, Stream), Answer> {
        let late = || Answer { body: b"(no answer)".to_vec(), ..Answer::default() };
        let opened = tokio::time::timeout(PATIENCE, self.open(message)).await;
        match opened.map_err(|_| late())? {
            Ok((answer, body)) if answer.is_success() => Ok((
                answer,
                Stream { body, read: Vec::new(), is_ended: false, is_bookmarked: false },
            )),
            Ok((answer, body)) => {
                let body = body.collect_bytes().await.map(|it| it.to_vec()).unwrap_or_default();
                Err(Answer { body, ..answer })
            }
            Err(error) => Err(Answer { body: error.into_bytes(), ..Answer::default() }),
        }
    }

    async fn open(&self, message: &Message) -> Result<(Answer, Body), String> {
        let mut request = hyper::Request::builder().method(message.method.as_str());
        request = request.uri(&message.path);
        for (name, value) in &message.headers {
            request = request.header(name, value);
        }
        let request = request.body(Body::from(message.body.clone())).map_err(|e| e.to_string())?;
        let response = self.client.send(request).await.map_err(|_| "(no answer)".to_owned())?;
        let code = response.status().as_u16();
        let headers = response.headers().iter().map(|(name, value)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        let answer = Answer { code, headers: headers.collect(), body: Vec::new() };
        Ok((answer, response.into_body()))
    }
}

impl Stream {
    /// The next line, as long as one comes.
    pub(crate) async fn next(&mut self) -> Next {
        tokio::time::timeout(PATIENCE, self.line()).await.unwrap_or(Next::Nothing)
    }

    async fn line(&mut self) -> Next {
        loop {
            if let Some(at) = self.read.iter().position(|byte| *byte == b'\n') {
                let rest = self.read.split_off(at + 1);
                return Next::Line(std::mem::replace(&mut self.read, rest));
            }
            if self.is_ended {
                return Next::End;
            }
            match self.body.frame().await {
                Some(Ok(frame)) => self.read.extend(frame.into_data().unwrap_or_default()),
                Some(Err(_)) | None => self.is_ended = true,
            }
        }
    }
}
