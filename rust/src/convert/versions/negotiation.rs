//! Which version two peers speak: the best one that both know.
//!
//! Versions are ordered, and each takes in the older ones, so the best is the newest that both
//! know. A peer that wants it otherwise says so by weights, as HTTP's Accept has them (RFC 9110,
//! 12.4.2): `v0.2;q=0.5, v0.1`. A weight of 0 excludes; `*` means every version that is not
//! named.

use std::collections::HashMap;

use crate::json::json;

use crate::errors::{Error, Finding, clip_text};
use crate::tables::limits::MOST_OFFERS;

const SPACE: [char; 2] = [' ', '\t'];

/// What the other side speaks: a list of versions, or one text with commas between them; each may
/// have a weight. Their order says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offers<'a> {
    offers: Vec<&'a str>,
    is_text: bool,
}

impl<'a> From<&'a str> for Offers<'a> {
    fn from(text: &'a str) -> Self {
        Self { offers: text.split(',').collect(), is_text: true }
    }
}

impl<'a, S: AsRef<str>> From<&'a [S]> for Offers<'a> {
    fn from(offers: &'a [S]) -> Self {
        Self { offers: offers.iter().map(AsRef::as_ref).collect(), is_text: false }
    }
}

impl<'a, S: AsRef<str>, const N: usize> From<&'a [S; N]> for Offers<'a> {
    fn from(offers: &'a [S; N]) -> Self {
        Self::from(offers.as_slice())
    }
}

impl<'a, S: AsRef<str>> From<&'a Vec<S>> for Offers<'a> {
    fn from(offers: &'a Vec<S>) -> Self {
        Self::from(offers.as_slice())
    }
}

/// Returns the version that both sides know: the greatest weight, then the newest.
///
/// `supported` are the versions of this side. Fails with [`Error::Negotiation`]
/// `negotiate/no-common-version` and `negotiate/invalid-offer`, and with [`Error::Usage`]
/// `usage/invalid-argument` for what is not a version among `supported`.
///
/// ```
/// use partwire::convert::versions::negotiate;
///
/// assert_eq!(negotiate("v0.9, v0.2;q=0.5, v0.1", &["v0.1", "v0.2"])?, "v0.1");
/// # Ok::<(), partwire::Error>(())
/// ```
pub fn negotiate<'a, 's, S: AsRef<str>>(
    offers: impl Into<Offers<'a>>,
    supported: &'s [S],
) -> Result<&'s str, Error> {
    let mut mine = Vec::new();
    for version in supported {
        let version = version.as_ref();
        let Some(numbers) = numbers(version) else {
            let (message, expected) = ("Not a list of versions", "versions such as v0.2");
            return Err(Error::argument(message, expected, &json!(version)));
        };
        mine.push((version, numbers));
    }
    let offers = offers.into();
    let weights = weights(&offers)?;
    let others = weights.get("*").copied().unwrap_or(0);
    let wanted = |version: &str| weights.get(version).copied().unwrap_or(others);
    let best = mine.iter().max_by_key(|(version, numbers)| (wanted(version), *numbers));
    match best {
        Some((version, _)) if wanted(version) > 0 => Ok(version),
        _ => {
            mine.sort_by_key(|(_, numbers)| *numbers);
            let known: Vec<&str> = mine.iter().map(|(version, _)| *version).collect();
            let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
            let message = "No offered version is supported";
            let finding = Finding::error("negotiate/no-common-version", "", message);
            let actual = clip_text(&offers.offers.join(","));
            Err(Error::Negotiation(vec![finding.expected(known).actual(actual)]))
        }
    }
}

/// Returns the greatest weight of each version, in thousandths.
fn weights<'a>(offers: &Offers<'a>) -> Result<HashMap<&'a str, u32>, Error> {
    let mut found: HashMap<&str, u32> = HashMap::new();
    for (count, offer) in offers.offers.iter().enumerate() {
        if offers.is_text && offer.trim_matches(SPACE).is_empty() {
            continue; // RFC 9110 has readers pass over empty elements
        }
        let Some((version, weight)) = weighed(offer).filter(|_| count < MOST_OFFERS) else {
            let expected = if count < MOST_OFFERS {
                "a version such as v0.2, and ;q=0.5 for a weight".to_owned()
            } else {
                format!("at most {MOST_OFFERS} offers")
            };
            let finding =
                Finding::error("negotiate/invalid-offer", "", "Not an offer of a version");
            return Err(Error::Negotiation(vec![
                finding.expected(expected).actual(clip_text(offer)),
            ]));
        };
        let known = found.entry(version).or_default();
        *known = weight.max(*known);
    }
    Ok(found)
}

/// Returns the version of an offer and its weight in thousandths.
fn weighed(offer: &str) -> Option<(&str, u32)> {
    let (version, weight) = match offer.split_once(';') {
        Some((version, weight)) => {
            let weight = weight.trim_matches(SPACE);
            let digits = weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="))?;
            (version, thousandths(digits)?)
        }
        None => (offer, 1000),
    };
    let version = version.trim_matches(SPACE);
    (version == "*" || numbers(version).is_some()).then_some((version, weight))
}

fn thousandths(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let part = format!("{fraction:0<3}").parse::<u32>().ok().filter(|_| is_digits)?;
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(1000),
        _ => None,
    }
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.strip_prefix('v')?.split_once('.')?;
    Some((number(major)?, number(minor)?))
}

fn number(digits: &str) -> Option<u32> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (1..=6).contains(&digits.len())
        && (digits.len() == 1 || !digits.starts_with('0'));
    if is_number { digits.parse().ok() } else { None }
}
