//! The query of a request.
//!
//! Invariant: a parameter that is not understood is ignored, as the server does.

use crate::kinds::FieldValidation;
use crate::refusal::Refusal;

/// Parameters in the order given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn read(text: &str) -> Self {
        let whole = text.split('&').filter(|part| is_whole(part));
        let read = whole.flat_map(|part| form_urlencoded::parse(part.as_bytes()));
        Self(read.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a parameter unless it is empty.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        self.first(name).filter(|text| !text.is_empty())
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// A flag as Go reads it from a query: anything but a clear no is yes.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.optional_flag(name).unwrap_or(false)
    }

    pub(crate) fn optional_flag(&self, name: &str) -> Option<bool> {
        let text = self.first(name)?;
        Some(!(text.eq_ignore_ascii_case("false") || text == "0"))
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>, Refusal> {
        let Some(text) = self.given(name) else {
            return Ok(None);
        };
        let why = || format!("strconv.ParseInt: parsing {text:?}: invalid syntax");
        text.parse().map(Some).map_err(|_| Refusal::bad_request(why()))
    }

    pub(crate) fn field_validation(&self) -> Option<FieldValidation> {
        match self.given("fieldValidation") {
            None | Some("Warn") => Some(FieldValidation::Warn),
            Some("Strict") => Some(FieldValidation::Strict),
            Some("Ignore") => Some(FieldValidation::Ignore),
            Some(_) => None,
        }
    }
}

/// Whether a parameter is spelled as Go wants it; others are passed over.
fn is_whole(part: &str) -> bool {
    let mut escaped = part.split('%').skip(1).map(str::as_bytes);
    !part.contains(';')
        && escaped.all(|it| it.len() >= 2 && it[..2].iter().all(u8::is_ascii_hexdigit))
}
