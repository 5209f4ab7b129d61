//! Times as milliseconds since 1970, and days, in UTC.

/// The last millisecond of the year 9999.
pub const LAST_MS: i64 = 253_402_300_799_999;

const DAY_MS: i64 = 86_400_000;

/// Reads times that are RFC 3339 text; it remembers a minute: the times of documents lie close
/// together.
#[derive(Default)]
pub struct Reader {
    /// The last time's text up to the minute, and its seconds since 1970, offsets aside.
    minute: ([u8; 17], i64),
}

impl Reader {
    /// Returns the time that text says; None for one before 1970 or behind 9999.
    pub fn read(&mut self, text: &[u8]) -> Option<i64> {
        let digits = |begin: usize, end: usize| -> Option<i64> {
            text.get(begin..end)?.iter().try_fold(0, |number, digit| {
                digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
            })
        };
        let minute: [u8; 17] = text.get(..17)?.try_into().ok()?;
        if self.minute.0 != minute {
            let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
            if !marks.iter().all(|(at, mark)| text[*at] == *mark) {
                return None;
            }
            let date = days(digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
            let seconds = date * 86_400 + digits(11, 13)? * 3600 + digits(14, 16)? * 60;
            self.minute = (minute, seconds);
        }
        let second = digits(17, 19)?;
        let mut at = 19;
        let mut fraction = 0;
        if text.get(at) == Some(&b'.') {
            let begin = at + 1;
            at = begin;
            while text.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            for place in 0..3 {
                let digit = text.get(begin + place).filter(|digit| digit.is_ascii_digit());
                fraction = fraction * 10 + digit.map_or(0, |digit| i64::from(digit - b'0'));
            }
        }
        let offset = match text.get(at)? {
            b'Z' => 0,
            sign => {
                let minutes = digits(at + 1, at + 3)? * 60 + digits(at + 4, at + 6)?;
                if *sign == b'-' { -minutes } else { minutes }
            }
        };
        let ms = (self.minute.1 + second - offset * 60) * 1000 + fraction;
        (0..=LAST_MS).contains(&ms).then_some(ms)
    }
}

// Days since 1970 and the Gregorian calendar, by eras of 400 years that begin in March.

fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns the day of a time, such as `2024-02-29`.
pub fn day_of(ms: i64) -> String {
    let days = ms / DAY_MS + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = years + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::{Reader, day_of};

    #[test]
    fn times_are_days() {
        let mut reader = Reader::default();
        let ms = reader.read(b"2024-02-29T23:59:59.123456789+08:00").unwrap();
        assert_eq!(ms, 1_709_222_399_123);
        assert_eq!(day_of(ms), "2024-02-29");
        assert_eq!(reader.read(b"2024-02-29T23:59:00Z"), Some(1_709_251_140_000));
        assert_eq!(reader.read(b"1969-12-31T23:59:59Z"), None);
    }
}
