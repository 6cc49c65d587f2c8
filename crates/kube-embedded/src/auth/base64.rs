//! Base 64 in the two alphabets Kubernetes uses, refused in Go's words.
//!
//! Reads bytes or text; returns the other.
//! Invariant: what is encoded here is decoded here to the same bytes.

use ::base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ::base64::{DecodeError, Engine};

#[cfg(test)]
mod tests;

/// Which characters, and whether the end is filled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    /// `+/` with `=` at the end, as in JSON.
    Standard,
    /// `-_` without an end, as in tokens.
    Url,
}

/// Where the text stops being base 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("illegal base64 data at input byte {0}")]
pub(crate) struct NotBase64(pub(crate) usize);

pub(crate) fn encode(alphabet: Alphabet, bytes: &[u8]) -> String {
    match alphabet {
        Alphabet::Standard => STANDARD.encode(bytes),
        Alphabet::Url => URL_SAFE_NO_PAD.encode(bytes),
    }
}

/// Decodes; line ends are skipped in the standard alphabet, as the server skips them.
pub(crate) fn decode(alphabet: Alphabet, text: &str) -> Result<Vec<u8>, NotBase64> {
    let decoded = match alphabet {
        Alphabet::Standard if text.contains(['\r', '\n']) => {
            STANDARD.decode(text.replace(['\r', '\n'], ""))
        }
        Alphabet::Standard => STANDARD.decode(text),
        Alphabet::Url => URL_SAFE_NO_PAD.decode(text),
    };
    decoded.map_err(|why| match why {
        DecodeError::InvalidByte(place, _) => NotBase64(place),
        _ => NotBase64(text.len()),
    })
}
