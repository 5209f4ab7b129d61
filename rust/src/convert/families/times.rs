//! RFC 3339 text and milliseconds since the epoch, for every year from 0000 to 9999.

/// An instant in milliseconds since the epoch, cut; `exact` where nothing was cut off.
pub(crate) struct Instant {
    pub ms: i64,
    pub exact: bool,
}

/// Returns the instant of a valid timestamp; before the epoch it is negative.
pub(crate) fn instant_of(text: &str) -> Instant {
    let number = |from: usize, to: usize| {
        text.get(from..to).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or(0)
    };
    let is_utc = text.ends_with('Z');
    let zone = if is_utc { text.len().saturating_sub(1) } else { text.len().saturating_sub(6) };
    let fraction = text.get(20..zone).unwrap_or("");
    let mut seconds = number(11, 13) * 3600 + number(14, 16) * 60 + number(17, 19);
    if !is_utc {
        let offset = (number(zone + 1, zone + 3) * 60 + number(zone + 4, zone + 6)) * 60;
        let is_east = text.get(zone..).is_some_and(|zone| zone.starts_with('+'));
        seconds += if is_east { -offset } else { offset };
    }
    let whole = days(number(0, 4), number(5, 7), number(8, 10)) * 86_400 + seconds;
    let digit = |at: usize| {
        fraction.as_bytes().get(at).map_or(0, |digit| i64::from(digit.saturating_sub(b'0')))
    };
    let milli = digit(0) * 100 + digit(1) * 10 + digit(2);
    let rest = fraction.get(3..).unwrap_or("");
    Instant { ms: whole * 1000 + milli, exact: rest.bytes().all(|digit| digit == b'0') }
}

/// Returns milliseconds from 0 to the last that RFC 3339 can say in UTC, with a fraction only where there is one.
pub(crate) fn text_of(ms: i64) -> String {
    written(ms, ms % 1000 != 0)
}

/// Returns the same with all three digits of the fraction, always.
pub(crate) fn text_with_millis(ms: i64) -> String {
    written(ms, true)
}

/// Writes digit by digit: every delta of a stream has its time.
fn written(ms: i64, has_fraction: bool) -> String {
    let (day, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (seconds, milli) = (rest / 1000, rest % 1000);
    let (year, month, day) = date(day);
    let mut text = String::with_capacity("0000-00-00T00:00:00.000Z".len());
    put(&mut text, year / 100);
    put(&mut text, year % 100);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    for (mark, number) in [('-', month), ('-', day), ('T', hour), (':', minute), (':', second)] {
        text.push(mark);
        put(&mut text, number);
    }
    if has_fraction {
        text.push('.');
        put(&mut text, milli / 10);
        text.push(digit(milli % 10));
    }
    text.push('Z');
    text
}

/// Appends a number as two digits.
fn put(text: &mut String, number: i64) {
    text.push(digit(number / 10));
    text.push(digit(number % 10));
}

fn digit(number: i64) -> char {
    u8::try_from(number).map_or('0', |number| char::from(b'0' + number))
}

// Days since the epoch and the Gregorian calendar, by eras of 400 years that begin in March.

fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = shifted + if shifted < 10 { 3 } else { -9 };
    (years + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{instant_of, text_of};
    use crate::tables::limits::LAST_MS;

    #[test]
    fn text_and_milliseconds_are_the_same_instant() {
        let rows = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (LAST_MS, "9999-12-31T23:59:59.999Z"),
        ];
        for (ms, text) in rows {
            assert_eq!(text_of(ms), text);
            assert_eq!(instant_of(text).ms, ms);
        }
        for day in 0..4000 {
            let ms = day * 86_400_000 * 731 + 1;
            assert_eq!(instant_of(&text_of(ms)).ms, ms);
        }
    }

    #[test]
    fn zones_and_fractions_count() {
        assert_eq!(instant_of("1970-01-01T01:30:00+01:30").ms, 0);
        assert_eq!(instant_of("1969-12-31T22:30:00.5-01:30").ms, 500);
        assert_eq!(instant_of("0000-01-01T00:00:00Z").ms, -62_167_219_200_000);
        assert!(instant_of("1970-01-01T00:00:00.0010000Z").exact);
        assert!(!instant_of("1970-01-01T00:00:00.0010001Z").exact);
    }
}
