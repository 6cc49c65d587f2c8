//! Answers as HTTP responses.
//!
//! Invariant: a refusal is a `Status`, and every answer says what it is.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use axum::http::{Response, StatusCode};
use serde_json::Value;

use crate::refusal::Refusal;

/// What is answered.
#[derive(Debug)]
pub(crate) struct Answer {
    code: u16,
    content: Content,
    warnings: Vec<String>,
    /// The content type, where it is not that of the content.
    kind: Option<&'static str>,
    /// Seconds after which the client may ask again.
    retry: Option<u64>,
}

#[derive(Debug)]
enum Content {
    Value(Value),
    /// JSON that is ready to send.
    Json(Vec<u8>),
    /// Anything else, sent as it is.
    Bytes(&'static [u8]),
    /// JSON that is made while it is sent.
    Stream(Body),
    Text(&'static str),
    /// No answer at all: the connection breaks.
    Cut,
}

/// How values are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    pub(crate) is_yaml: bool,
    pub(crate) is_pretty: bool,
}

/// Marks a response in whose place the connection breaks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut;

impl Answer {
    const EMPTY: Self =
        Self { code: 500, content: Content::Cut, warnings: Vec::new(), kind: None, retry: None };

    pub(crate) fn value(code: u16, value: Value) -> Self {
        Self { code, content: Content::Value(value), ..Self::EMPTY }
    }

    pub(crate) fn json(code: u16, text: Vec<u8>) -> Self {
        Self { code, content: Content::Json(text), ..Self::EMPTY }
    }

    pub(crate) fn bytes(code: u16, kind: &'static str, bytes: &'static [u8]) -> Self {
        Self { code, content: Content::Bytes(bytes), kind: Some(kind), ..Self::EMPTY }
    }

    pub(crate) fn stream(body: Body) -> Self {
        Self { code: 200, content: Content::Stream(body), ..Self::EMPTY }
    }

    pub(crate) fn text(code: u16, text: &'static str) -> Self {
        Self { code, content: Content::Text(text), ..Self::EMPTY }
    }

    pub(crate) fn cut() -> Self {
        Self::EMPTY
    }

    #[must_use]
    pub(crate) fn with_kind(mut self, kind: &'static str) -> Self {
        self.kind = Some(kind);
        self
    }

    #[must_use]
    pub(crate) fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// The same answer with a warning before all others.
    #[must_use]
    pub(crate) fn with_notice(mut self, notice: Option<&str>) -> Self {
        self.warnings.splice(..0, notice.map(str::to_owned));
        self
    }

    pub(crate) fn into_response(self, form: Form) -> Response<Body> {
        let Form { is_yaml, is_pretty } = form;
        if matches!(self.content, Content::Cut) {
            let mut response = Response::new(Body::empty());
            response.extensions_mut().insert(Cut);
            return response;
        }
        let (kind, body) = match self.content {
            Content::Value(value) if is_yaml => yaml(&value),
            Content::Value(value) if is_pretty => ("application/json", pretty(&value)),
            Content::Value(value) => ("application/json", Body::from(format!("{value}\n"))),
            Content::Json(text) if is_yaml || is_pretty => {
                let value: Value = serde_json::from_slice(&text).unwrap_or_default();
                if is_yaml { yaml(&value) } else { ("application/json", pretty(&value)) }
            }
            Content::Bytes(bytes) => ("application/octet-stream", Body::from(bytes)),
            Content::Json(mut text) => {
                text.push(b'\n');
                ("application/json", Body::from(text))
            }
            Content::Stream(body) => ("application/json", body),
            Content::Cut => ("", Body::empty()),
            Content::Text(text) => ("text/plain; charset=utf-8", Body::from(text)),
        };
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or_default();
        let headers = response.headers_mut();
        if self.code != 204 {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind.unwrap_or(kind)));
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
        if let Some(seconds) = self.retry {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        for warning in &self.warnings {
            if let Ok(value) = HeaderValue::from_str(&format!("299 - {warning:?}")) {
                headers.append(HeaderName::from_static("warning"), value);
            }
        }
        response
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        let retry = refusal.details["retryAfterSeconds"].as_u64();
        Self { retry, ..Self::value(refusal.code, refusal.status()) }
    }
}

fn pretty(value: &Value) -> Body {
    Body::from(format!("{value:#}"))
}

fn yaml(value: &Value) -> (&'static str, Body) {
    match serde_saphyr::to_string(value) {
        Ok(text) => ("application/yaml", Body::from(text)),
        Err(_) => ("application/json", Body::from(value.to_string())),
    }
}
