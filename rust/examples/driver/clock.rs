//! The clock of the protocol: a first reading, and how much later every further one is.

use partwire::Value;

const DAY: i64 = 86_400_000;

/// Returns a clock that reads as RFC 3339 has it, with milliseconds where there are any.
pub(crate) fn clock(given: &Value) -> Result<impl FnMut() -> String + Send + use<>, String> {
    let start = given["start"].as_str().and_then(millis).ok_or("no clock")?;
    let step = given["step_ms"].as_i64().ok_or("no clock")?;
    let mut next = start;
    Ok(move || {
        let now = next;
        next += step;
        instant(now)
    })
}

/// Returns the milliseconds since the epoch of an instant in UTC.
fn millis(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let days = days_before(number(0, 4)?, number(5, 7)?) + number(8, 10)? - 1;
    let seconds = (number(11, 13)? * 60 + number(14, 16)?) * 60 + number(17, 19)?;
    let fraction = match text.get(19..)?.strip_suffix('Z')? {
        "" => 0,
        rest => format!("{:0<3}", rest.strip_prefix('.')?).get(..3)?.parse().ok()?,
    };
    Some(days * DAY + seconds * 1000 + fraction)
}

fn instant(at: i64) -> String {
    let (days, rest) = (at.div_euclid(DAY), at.rem_euclid(DAY));
    let mut year = 1970 + days.div_euclid(366);
    while days_before(year + 1, 1) <= days {
        year += 1;
    }
    let month = (1..=12).rev().find(|month| days_before(year, *month) <= days).unwrap_or(1);
    let day = days - days_before(year, month) + 1;
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    let millis = rest % 1000;
    let fraction = if millis > 0 { format!(".{millis:03}") } else { String::new() };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Returns the days from the epoch to the first of a month.
fn days_before(year: i64, month: i64) -> i64 {
    let leaps = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, 28 + i64::from(is_leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let months: i64 = lengths.iter().take(usize::try_from(month - 1).unwrap_or(0)).sum();
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969) + months
}
