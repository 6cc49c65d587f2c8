//! Base 64 with the alphabet of URLs, read as Go's `encoding/base64` reads it.
//!
//! Reads text; returns bytes, or where the text goes wrong.
//! Invariant: what is decoded was padded to its end.

/// Decodes a text; the error is the place that Go tells. Line ends are skipped.
// compat: encoding/base64, URLEncoding.Decode
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let text = text.as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for (at, byte) in text.iter().enumerate() {
        let Some(sextet) = sextet(*byte) else {
            match byte {
                b'\n' | b'\r' => continue,
                b'=' => check_padding(text, at, count)?,
                _ => return Err(at),
            }
            // Of the bits that fill up the last character nothing is asked.
            let whole = (bits << (6 * (4 - count))).to_be_bytes();
            bytes.extend(&whole[1..count]);
            return Ok(bytes);
        };
        (bits, count) = (bits << 6 | u32::from(sextet), count + 1);
        if count == 4 {
            bytes.extend(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    // Without its padding the end is told to be as many bytes away as it has characters.
    if count == 0 { Ok(bytes) } else { Err(text.len() - count) }
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'-' => Some(62),
        b'_' => Some(63),
        _ => None,
    }
}

/// Checks that the `=` at `at`, behind `count` characters of the last four, ends the text rightly.
fn check_padding(text: &[u8], at: usize, count: usize) -> Result<(), usize> {
    let behind_line_ends = |from: usize| {
        let is_line_end = |byte: &&u8| matches!(byte, b'\n' | b'\r');
        from + text[from..].iter().take_while(is_line_end).count()
    };
    let end = match count {
        0 | 1 => return Err(at),
        2 => {
            let second = behind_line_ends(at + 1);
            match text.get(second) {
                None => return Err(text.len()),
                Some(b'=') => second + 1,
                Some(_) => return Err(second - 1),
            }
        }
        _ => at + 1,
    };
    let rest = behind_line_ends(end);
    if rest == text.len() { Ok(()) } else { Err(rest) }
}

#[cfg(test)]
mod tests;
