//! Quantities such as `500m` and `1536Mi`, in the form the server stores.
//!
//! Reads a text; returns the canonical text of the same amount, or why it is none.
//! Invariant: a canonical text is its own canonical text.

const SHAPE: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX: &str = "unable to parse quantity's suffix";

const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// How the exponent of a quantity was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Decimal,
    Binary,
    Exponent,
}

/// An amount in billionths, and how it was written.
#[derive(Clone, Copy)]
struct Amount {
    nanos: i128,
    form: Form,
    /// Whether the server takes the text itself for canonical.
    is_kept: bool,
}

/// The canonical text of a quantity; the error is the server's.
pub(super) fn canonical(text: &str) -> Result<String, &'static str> {
    let amount = parse(text)?;
    Ok(if amount.is_kept { text.to_owned() } else { write(amount) })
}

/// The canonical text of a quantity in a list of resources, which has no part of a thousandth.
pub(super) fn canonical_resource(text: &str) -> Result<String, &'static str> {
    const THOUSANDTH: i128 = 1_000_000;
    let amount = parse(text)?;
    match amount.nanos.rem_euclid(THOUSANDTH) {
        0 => canonical(text),
        rest => Ok(write(Amount { nanos: amount.nanos + THOUSANDTH - rest, ..amount })),
    }
}

/// A quantity in billionths, for comparisons.
pub(super) fn nanos(text: &str) -> Option<i128> {
    parse(text).ok().map(|amount| amount.nanos)
}

fn parse(text: &str) -> Result<Amount, &'static str> {
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'-') => (-1, &text[1..]),
        Some(b'+') => (1, &text[1..]),
        Some(_) | None => (1, text),
    };
    let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
    let (number, suffix) = rest.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() == 0 || fraction.contains('.') {
        return Err(SHAPE);
    }
    let (form, base, power) = scale(suffix)?;
    let digits: String = format!("{whole}{fraction}").trim_start_matches('0').to_owned();
    let mantissa: i128 = match digits.len() {
        0 => 0,
        1..=36 => digits.parse().map_err(|_| SHAPE)?,
        _ => i128::from(i64::MAX),
    };
    let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    let nanos = match base {
        10 => shifted(mantissa, power.saturating_add(9).saturating_sub(places)),
        _ => {
            let factor = 1024_i128.pow(power.unsigned_abs());
            shifted(mantissa.saturating_mul(factor), 9 - places)
        }
    };
    let limit = i128::from(i64::MAX) * 1_000_000_000;
    let nanos = if form == Form::Binary { nanos.min(limit) } else { nanos };
    let is_kept = is_kept(whole, fraction, (form, power));
    Ok(Amount { nanos: sign * nanos, form, is_kept })
}

/// Whether the server writes a number as it was given, though it may not be canonical.
fn is_kept(whole: &str, fraction: &str, (form, power): (Form, i32)) -> bool {
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let digits = format!("{whole}{fraction}");
    if form == Form::Binary {
        let last: Option<u64> = digits.parse().ok();
        let room = 14 - whole.len() as i64 - i64::from(power) * 3;
        return fraction.is_empty() && room >= 0 && last.is_some_and(|it| it % 8 != 0);
    }
    let scale = i64::from(power) - fraction.len() as i64;
    let is_short = digits.len() <= 18 && scale >= -9;
    is_short && scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
}

/// Form, base and power of a suffix.
fn scale(suffix: &str) -> Result<(Form, i32, i32), &'static str> {
    if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Ok((Form::Decimal, 10, *power));
    }
    if let Some(place) = BINARY.iter().position(|name| *name == suffix) {
        return Ok((Form::Binary, 1024, i32::try_from(place).expect("there are seven")));
    }
    let is_exponent = suffix.starts_with(['e', 'E']);
    let power = is_exponent.then(|| suffix[1..].parse::<i32>().ok()).flatten();
    if let Some(power) = power {
        return Ok((Form::Exponent, 10, power));
    }
    let letters = suffix.trim_end_matches(|it: char| it.is_ascii_digit());
    let letters = letters.strip_suffix(['+', '-']).unwrap_or(letters);
    match letters.chars().all(|it| "eEinumkKMGTP".contains(it)) {
        true => Err(SUFFIX),
        false => Err(SHAPE),
    }
}

/// A number times a power of ten, rounded up.
fn shifted(number: i128, power: i32) -> i128 {
    match power {
        0.. => 10_i128
            .checked_pow(power.unsigned_abs())
            .and_then(|factor| number.checked_mul(factor))
            .unwrap_or(if number == 0 { 0 } else { i128::MAX }),
        _ => match 10_i128.checked_pow(power.unsigned_abs()) {
            Some(factor) => number / factor + i128::from(number % factor != 0),
            None => i128::from(number != 0),
        },
    }
}

fn write(amount: Amount) -> String {
    const ONE: i128 = 1_000_000_000;
    let Amount { nanos, form, .. } = amount;
    if nanos == 0 {
        return "0".to_owned();
    }
    let is_binary = form == Form::Binary && nanos.abs() >= 1024 * ONE && nanos % ONE == 0;
    if is_binary {
        let mut number = nanos / ONE;
        let mut place = 0;
        while number % 1024 == 0 && place < BINARY.len() - 1 {
            number /= 1024;
            place += 1;
        }
        return format!("{number}{}", BINARY[place]);
    }
    let (mut number, mut power) = (nanos, -9);
    let top = if form == Form::Exponent { i32::MAX } else { 18 };
    while number % 1000 == 0 && power < top {
        number /= 1000;
        power += 3;
    }
    match (form, power) {
        (Form::Exponent, 0) => number.to_string(),
        (Form::Exponent, _) => format!("{number}e{power}"),
        (Form::Decimal | Form::Binary, _) => {
            let suffix = DECIMAL.iter().find(|(_, it)| *it == power).map_or("", |(name, _)| name);
            format!("{number}{suffix}")
        }
    }
}
