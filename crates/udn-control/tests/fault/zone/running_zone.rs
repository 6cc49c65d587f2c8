//! The zone controller under test: started, stopped, or killed right after something that it sent.
//!
//! Invariant: what was killed sends nothing more, to no database and not to the API server.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use ovn::Plan;
use ovsdb_net::Remote;
use tower::{BoxError, Service};
use udn_control::ZoneController;
use udn_control::zone::{Observer, Remotes, ZoneBrain, ZoneSettings};
use udn_wire::api::ReportStatus;
use udn_zone::Zone;

use super::fuse::{Fuse, Sent, Turn};
use super::meddler::Meddler;
use super::tap::Tap;

type Request = hyper::Request<Body>;
type Response = hyper::Response<Body>;

/// Where a zone controller works.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) client: Client,
    pub(crate) settings: ZoneSettings,
    /// The northbound and the southbound database.
    pub(crate) sockets: [PathBuf; 2],
    /// Who answers reports in the server's place, if anybody does.
    pub(crate) answered: Option<Answered>,
    /// Who is faster than the controller, if anybody is.
    pub(crate) meddler: Option<Meddler>,
}

/// The report that was written last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answered(Arc<Mutex<ReportStatus>>);

impl Answered {
    pub(crate) fn report(&self) -> ReportStatus {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Answers with what is to be written, as a server that agrees.
    async fn answer(&self, request: Request) -> Result<Response, BoxError> {
        let is_status = request.uri().path().ends_with("/status");
        let body = request.into_body().collect().await?.to_bytes();
        if is_status {
            let object: serde_json::Value = serde_json::from_slice(&body)?;
            let status = serde_json::from_value(object["status"].clone())?;
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = status;
        }
        Ok(Response::new(Body::from(body)))
    }
}

/// A zone controller that works.
pub(crate) struct RunningZone {
    pub(crate) controller: ZoneController,
    pub(crate) fuse: Arc<Fuse>,
    plans: Plans,
    _taps: [Tap; 2],
}

impl RunningZone {
    /// Starts a controller; what it sends meets the fates of its fuse.
    pub(crate) fn start(setting: &Setting, fuse: Fuse) -> Self {
        let ZoneSettings { node, cluster, .. } = &setting.settings;
        Self::start_with(Zone::new(node.clone(), Arc::clone(cluster)), setting, fuse)
    }

    /// The same with a brain that is not quite right.
    pub(crate) fn start_with(brain: impl ZoneBrain, setting: &Setting, fuse: Fuse) -> Self {
        let Setting { client, settings, sockets, answered, meddler } = setting.clone();
        let (fuse, plans) = (Arc::new(fuse), Plans::default());
        let taps = [0, 1].map(|it: usize| {
            let (server, socket) = (sockets[it].clone(), sockets[it].with_extension("tap"));
            // An earlier controller has left one.
            let _ = std::fs::remove_file(&socket);
            Tap::open(socket, server, Arc::clone(&fuse))
        });
        let [northbound, southbound] =
            [0, 1].map(|it: usize| Remote::Unix(taps[it].socket.clone()));
        let remotes = Remotes { northbound, southbound };
        let gate = Gate { client, fuse: Arc::clone(&fuse), answered, meddler };
        let client = Client::new(gate, "default");
        let observer = Box::new(plans.clone());
        let controller = ZoneController::start_with(brain, client, settings, remotes, observer);
        let controller = controller.expect("there are remotes");
        Self { controller, fuse, plans, _taps: taps }
    }

    /// Every plan since the last time somebody asked, by the title of what it is about.
    pub(crate) fn take_plans(&self) -> Vec<(String, Plan)> {
        std::mem::take(&mut *self.plans.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The plans that were about to be committed.
#[derive(Debug, Clone, Default)]
struct Plans(Arc<Mutex<Vec<(String, Plan)>>>);

impl Observer for Plans {
    fn planned(&mut self, title: &str, plan: &Plan) {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.push((title.to_owned(), plan.clone()));
    }
}

/// Between the controller and the API server.
#[derive(Clone)]
struct Gate {
    client: Client,
    fuse: Arc<Fuse>,
    answered: Option<Answered>,
    meddler: Option<Meddler>,
}

impl Service<Request> for Gate {
    type Response = Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let Self { client, fuse, answered, meddler } = self.clone();
        Box::pin(async move {
            if request.method() == hyper::Method::GET {
                return Ok(client.send(request).await?);
            }
            let turn = fuse.turn(Sent::Api);
            if turn == Turn::Dead {
                return std::future::pending().await;
            }
            if turn == Turn::CutBefore {
                return Err("the connection broke".into());
            }
            if let Some(meddler) = meddler {
                let place = (request.method().clone(), request.uri().path().to_owned());
                meddler.meddle(&client, place).await?;
            }
            let answer = match answered {
                Some(answered) => answered.answer(request).await,
                None => client.send(request).await.map_err(BoxError::from),
            };
            match turn {
                Turn::Last => {
                    fuse.blow();
                    std::future::pending().await
                }
                Turn::CutAfter => Err("the connection broke".into()),
                Turn::Pass | Turn::CutBefore | Turn::Dead => answer,
            }
        })
    }
}
