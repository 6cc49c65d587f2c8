//! YAML as Go reads it.
//!
//! Reads bytes; returns the value and the keys that were given twice, or what is wrong.
//! Invariant: of a key given twice the last value counts.

use serde_json::Value;

use super::json::Written;

/// Reads the first document of a text.
pub(crate) fn read(body: &[u8]) -> Result<Written, String> {
    let text = str::from_utf8(body).map_err(|_| "yaml: invalid leading UTF-8 octet".to_owned())?;
    let text = first_document(text);
    if text.trim().is_empty() {
        return Ok(Written::default());
    }
    let lenient = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        legacy_octal_numbers: true,
    };
    let complaints = match serde_saphyr::from_str::<Value>(text) {
        Ok(_) => Vec::new(),
        Err(why) => repeated(&why.to_string()).into_iter().collect(),
    };
    let value = serde_saphyr::from_str_with_options(text, lenient);
    let value = value.map_err(|why| complaint(&why.to_string()))?;
    Ok(Written { value, complaints })
}

/// The text up to its second document; the rest is never looked at.
fn first_document(text: &str) -> &str {
    let mut place = 0;
    let mut has_content = false;
    for line in text.split_inclusive('\n') {
        let is_mark = line.strip_prefix("---").is_some_and(|it| it.trim_start().len() < it.len());
        if is_mark && has_content {
            return &text[..place];
        }
        has_content |= !is_mark && !line.trim_start().is_empty() && !line.starts_with('#');
        place += line.len();
    }
    text
}

/// The line of a message, and what it says; none if it is not about a line.
fn located(message: &str) -> Option<(usize, &str)> {
    let first = message.lines().next()?;
    let rest = first.strip_prefix("error: ").unwrap_or(first).strip_prefix("line ")?;
    let (place, why) = rest.split_once(": ")?;
    Some((place.split(' ').next()?.parse().ok()?, why))
}

fn repeated(message: &str) -> Option<String> {
    let (line, why) = located(message)?;
    let key = why.strip_prefix("duplicate mapping key: ")?.split(", set ").next()?;
    Some(format!("line {line}: key {key:?} already set in map"))
}

/// What Go says: its scanner counts lines from one, its parser from zero, and neither names the
/// first.
fn complaint(message: &str) -> String {
    let located = located(message).map(|(line, why)| match why.split_once(", ") {
        Some((start, why)) if start.starts_with("while parsing") => (line.saturating_sub(1), why),
        Some((start, why)) if start.starts_with("while scanning") => (line, why),
        _ => (line, why),
    });
    match located {
        Some((0, why)) => format!("yaml: {why}"),
        Some((1, why)) if !message.contains("while parsing") => format!("yaml: {why}"),
        Some((line, why)) => format!("yaml: line {line}: {why}"),
        None => format!("yaml: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn a_key_given_twice_is_told_with_its_line() {
        let written = read(b"a: 1\nb:\n  c: 1\n  c: 2\n").expect("it is read");
        assert_eq!(written.value, json!({"a": 1, "b": {"c": 2}}));
        assert_eq!(written.complaints, ["line 4: key \"c\" already set in map"]);
    }

    #[test]
    fn only_the_first_document_counts() {
        let written = read(b"---\na: 1\n---\nb: 1\n").expect("it is read");
        assert_eq!(written.value, json!({"a": 1}));
    }

    #[test]
    fn faults_name_lines_after_the_first() {
        let why = "mapping values are not allowed in this context";
        assert_eq!(read(b"a: b: c"), Err(format!("yaml: {why}")));
        let why_open = "did not find expected ',' or '}'";
        assert_eq!(read(b"x: 1\na: {b: c\nd: e"), Err(format!("yaml: line 2: {why_open}")));
        assert_eq!(read(b"x: 1\na: b: c"), Err(format!("yaml: line 2: {why}")));
    }
}
