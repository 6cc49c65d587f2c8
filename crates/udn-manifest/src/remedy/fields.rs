//! Remedies for what a schema says about a field.
//!
//! Reads the machine's reason and the detail of a field error; returns a sentence.
//! Invariant: every reason of the server has a remedy, also where the detail is not known.

/// What the server says when it did not come to the rules.
const UNCHECKED: &str = "some validation rules were not checked";

/// Whether this is only the server's remark that there may be more to find.
pub fn is_unchecked(message: &str) -> bool {
    message.contains(UNCHECKED)
}

/// What to add where a field is missing that may only have certain values.
pub fn missing(name: &str, allowed: &[&str]) -> String {
    match allowed {
        [] => format!("add `{name}`"),
        [only] => format!("add `{name}: {only}`"),
        [some @ .., last] => format!("add `{name}`: {} or {last}", some.join(", ")),
    }
}

/// What to write where a number is too small or too large.
pub fn range(minimum: f64, maximum: f64) -> String {
    format!("write a number from {minimum} to {maximum}")
}

/// What to change when the schema refuses a field.
///
/// `reason` is the one of the server's cause, such as `FieldValueRequired`; `name` is the last part
/// of the field's path.
pub fn field(reason: &str, name: &str, detail: &str) -> String {
    match reason {
        "FieldValueRequired" => missing(name, &[]),
        "FieldValueNotSupported" => not_supported(detail),
        "FieldValueTypeInvalid" => of_type(detail),
        "FieldValueInvalid" => invalid(name, detail),
        "FieldValueTooLong" => format!("shorten it; it {detail}"),
        "FieldValueTooMany" => format!("take some out; `{name}` {detail}"),
        "FieldValueDuplicate" => "remove the entry that is given a second time".to_owned(),
        "FieldValueForbidden" => "remove this field".to_owned(),
        _ => "correct the field".to_owned(),
    }
}

/// What to change when the server does not know a field.
pub fn unknown_field<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match closest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "remove this field; nothing is known here".to_owned(),
        None => format!("remove this field; known here: {}", known.join(", ")),
    }
}

/// What to change when a field is given twice.
pub fn second_field(name: &str) -> String {
    format!("remove one of the two `{name}`; kubectl would send only the last, and say nothing")
}

/// The word of several that a person most probably meant.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    let measured = known.into_iter().map(|it| (distance(&wanted, &it.to_lowercase()), it));
    let (distance, near) = measured.min()?;
    // A third of the letters may be wrong, as compilers allow.
    (distance <= word.chars().count().max(3) / 3).then_some(near)
}

fn not_supported(detail: &str) -> String {
    let words: Vec<&str> = detail.split('"').skip(1).step_by(2).collect();
    match &words[..] {
        [] => "write a value that is supported".to_owned(),
        [only] => format!("write {only}"),
        [some @ .., last] => format!("write {} or {last}", some.join(", ")),
    }
}

fn of_type(detail: &str) -> String {
    let wanted = detail.split("must be of type ").nth(1).unwrap_or("");
    let wanted = wanted.split(':').next().unwrap_or("").trim();
    match wanted {
        "string" => "put the value in quotes",
        "integer" => "write a whole number without quotes",
        "number" => "write a number without quotes",
        "boolean" => "write true or false, without quotes",
        "array" => "write a list: `- ` before each entry, or all in [brackets]",
        "object" => "write fields below it, indented further than its name",
        _ => "write a value of the type that is wanted",
    }
    .to_owned()
}

fn invalid(name: &str, detail: &str) -> String {
    // The server repeats the path: `spec.mtu in body should be greater than or equal to 576`.
    let said = detail.split(" in body ").nth(1).unwrap_or(detail);
    if let Some(bound) = said.strip_prefix("should be greater than or equal to ") {
        return format!("write a number of at least {bound}");
    }
    if let Some(bound) = said.strip_prefix("should be less than or equal to ") {
        return format!("write a number of at most {bound}");
    }
    if said == "should be at least 1 chars long" {
        return format!("write something; `{name}` may not be empty");
    }
    if let Some(pattern) = said.strip_prefix("should match ") {
        return format!("write something that matches {pattern}");
    }
    if let Some(bound) = said.strip_prefix("should have at least ") {
        return format!("add something; `{name}` should have at least {bound}");
    }
    if said.contains("RFC 1123") {
        return "use lower-case letters, digits and `-`, with a letter or digit at both ends"
            .to_owned();
    }
    if said.contains(UNCHECKED) {
        return "correct the other errors and validate again: there may be more".to_owned();
    }
    "correct the value".to_owned()
}

/// How many letters differ: inserted, left out, exchanged.
fn distance(left: &str, right: &str) -> usize {
    // Long words are compared by their beginnings; fields have no such names.
    let (left, right): (Vec<char>, Vec<char>) =
        (left.chars().take(64).collect(), right.chars().take(64).collect());
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in right.iter().enumerate() {
            let above = row[column + 1];
            let exchanged = diagonal + usize::from(letter != other);
            row[column + 1] = exchanged.min(above + 1).min(row[column] + 1);
            diagonal = above;
        }
    }
    row[right.len()]
}
