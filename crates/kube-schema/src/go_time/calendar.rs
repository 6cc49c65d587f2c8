//! Dates of the proleptic Gregorian calendar.
//!
//! Reads seconds since 1970; returns the parts of a date, and back.
//! Invariant: `seconds_of` undoes `at`.

const DAY: i64 = 86_400;

/// Days from the first of March of year 0 to 1970.
const MARCH_OF_YEAR_ZERO: i64 = 719_468;

/// Parts of a date and time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Civil {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    /// 0 is Sunday.
    pub weekday: i64,
    /// 0 is the first of January.
    pub day_of_year: i64,
}

impl Civil {
    pub(crate) fn at(seconds: i64) -> Self {
        let days = seconds.div_euclid(DAY);
        let rest = seconds.rem_euclid(DAY);
        let shifted = days + MARCH_OF_YEAR_ZERO;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let from_march = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * from_march + 2) / 153;
        let day = from_march - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4).rem_euclid(7),
            day_of_year: days - days_of(year, 1, 1),
        }
    }
}

/// Days since 1970 of a date.
pub(super) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let from_march = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + from_march;
    era * 146_097 + day_of_era - MARCH_OF_YEAR_ZERO
}

pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}
