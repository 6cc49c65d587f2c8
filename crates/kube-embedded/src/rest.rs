//! The HTTP side: from a request to its answer.
//!
//! Reads a request; finds who asks, what for, and which verb answers it.
//! Invariant: every request gets one answer, and no request of a client can stop the server.

mod accept;
mod answer;
mod asked;
mod documents;
mod identity;
mod intake;
mod list;
mod path;
mod place;
mod plain;
mod query;
mod remove;
mod sent;
mod shown;
mod special;
mod watch;
mod write;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};

use accept::Offer;
use answer::Form;
pub(crate) use answer::{Answer, Cut};
pub(crate) use asked::Asked;
use path::Route;
pub(crate) use path::Target;
pub(crate) use query::Query;
pub(crate) use remove::end;
pub(crate) use write::{Kept, insert, remove, replace};

use crate::auth::User;
use crate::core::Core;
use crate::fault::Fault;
use crate::kinds::Kind;
use crate::refusal::Refusal;

/// What the server says of a change that came too late.
pub(crate) const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// The whole API as one service.
pub(crate) fn router(core: Arc<Core>) -> Router {
    Router::new().fallback(move |request: Request<Body>| answer(core.clone(), request))
}

async fn answer(core: Arc<Core>, request: Request<Body>) -> Response<Body> {
    let query = Query::read(request.uri().query().unwrap_or(""));
    let is_pretty = query.given("pretty").is_some() && query.flag("pretty");
    let form = Form { is_yaml: accept::wants_yaml(request.headers()), is_pretty };
    let result = dispatch(core, request, query).await;
    result.unwrap_or_else(Answer::from).into_response(form)
}

async fn dispatch(
    core: Arc<Core>,
    request: Request<Body>,
    query: Query,
) -> Result<Answer, Refusal> {
    let user = core.access.identify(&core, &request)?;
    let Some(route) = Route::read(request.uri().path()) else {
        return Ok(Answer::text(400, "400 Bad Request"));
    };
    let target = match route {
        Route::Resource(target) => target,
        Route::Other(path) => {
            core.access.allow_path(&user, request.method(), request.uri().path())?;
            if documents::is_swagger_in_protobuf(&request) {
                return Ok(documents::swagger_in_protobuf());
            }
            let accepted = accept::choose(request.headers(), Offer::Documents, false)?;
            return Ok(documents::answer(&core, request.method(), &path, accepted));
        }
    };
    let verb = place::verb(request.method(), &target, &query);
    core.access.allow(&user, verb.unwrap_or(""), &target)?;
    let served = core.served();
    let Some(kind) = served.at_path(&target.group, &target.version, &target.resource) else {
        return Ok(place::nowhere(&served, &target.group));
    };
    let kind = kind.clone();
    let notice = kind.deprecation.clone();
    let answer = match place::check(&kind, &target, request.method(), verb) {
        Ok(verb) => {
            let unread = Unread { core, kind, target, query, user };
            serve(unread, verb, request).await.unwrap_or_else(Answer::from)
        }
        Err(answer) => answer,
    };
    Ok(answer.with_notice(notice.as_deref()))
}

/// A request for a resource whose body is still to come.
struct Unread {
    core: Arc<Core>,
    kind: Arc<Kind>,
    target: Target,
    query: Query,
    user: User,
}

async fn serve(unread: Unread, verb: &str, request: Request<Body>) -> Result<Answer, Refusal> {
    let Unread { core, kind, target, query, user } = unread;
    let (parts, body) = request.into_parts();
    let offer = if kind.built_in().is_some() { Offer::BuiltIn } else { Offer::Custom };
    let accepted = accept::choose(&parts.headers, offer, verb == "watch")?;
    let body = intake::read(&parts.headers, body).await?;
    let mut headers = parts.headers;
    let body = plain::plain(&kind, &target, verb, &mut headers, body)?;
    let path = parts.uri.path();
    let faults = core.faults.on_request(verb, &target.resource, path);
    let asked = Asked { core, kind, target, query, headers, body, user, accepted, stale: None };
    suffer(asked, verb, &faults).await
}

/// Performs a request with all that is to go wrong.
async fn suffer(mut asked: Asked, verb: &str, faults: &[Fault]) -> Result<Answer, Refusal> {
    let mut is_answered = true;
    for fault in faults {
        match fault {
            Fault::Delay(time) => tokio::time::sleep(*time).await,
            Fault::Refuse(code) => return Err(Refusal::busy(*code)),
            Fault::Conflict => {
                return Err(Refusal::conflict(&asked.kind, &asked.target.name, MODIFIED));
            }
            Fault::CutBefore => return Ok(Answer::cut()),
            Fault::CutAfter => is_answered = false,
            // The first answer is lost on its way.
            Fault::Twice => drop(perform(&asked, verb).await),
            Fault::Stale(changes) => asked.stale = Some(*changes),
        }
    }
    let answer = perform(&asked, verb).await;
    if is_answered { answer } else { Ok(Answer::cut()) }
}

async fn perform(asked: &Asked, verb: &str) -> Result<Answer, Refusal> {
    if verb != "create" {
        place::check_name(&asked.target.name)?;
    }
    if let Some(answer) = special::answer(asked, verb).await? {
        return Ok(answer);
    }
    match verb {
        "get" => get(asked),
        "list" => {
            shown::check_many(asked)?;
            list::list(asked)
        }
        "watch" => watched(asked),
        "create" => write::create(asked).await,
        "update" => write::update(asked).await,
        "patch" => write::patch(asked).await,
        "delete" => remove::delete(asked).await,
        "deletecollection" => remove::delete_all(asked).await,
        _ => Err(place::not_allowed()),
    }
}

fn get(asked: &Asked) -> Result<Answer, Refusal> {
    if let Some(version) = asked.query.given("resourceVersion") {
        let (wanted, newest) = (list::unguarded(version)?, asked.core.store.revision());
        if wanted > newest {
            return Err(list::too_large(wanted, newest));
        }
    }
    let Some(stored) = asked.core.store.find(&asked.key()) else {
        return Err(Refusal::not_found(&asked.kind, &asked.target.name));
    };
    shown::check_one(asked)?;
    let mut json = Vec::new();
    asked.shown()?.write(&stored, &mut json);
    Ok(Answer::json(200, json))
}

fn watched(asked: &Asked) -> Result<Answer, Refusal> {
    let Asked { core, kind, target, query, .. } = asked;
    let start = watch::read(core, kind, asked.namespace(), &target.name, query)?;
    let shown = asked.shown()?;
    Ok(watch::answer(watch::Watch::new(core.clone(), start, kind.clone(), &shown)))
}
