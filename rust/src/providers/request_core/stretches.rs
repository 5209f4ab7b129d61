//! Text of a part, cut where the provider's state says.

use crate::providers::request_core::state::Item;
use crate::providers::request_core::values::says_something;

/// A stretch of a part's text, and the items that cover it in order of arrival. An item
/// between characters is a separate stretch, without text.
pub(crate) struct Stretch {
    pub text: String,
    pub items: Vec<Item>,
}

struct Span {
    start: usize,
    end: usize,
    items: Vec<Item>,
}

/// Returns a part's text in order, cut where an item begins, ends or is.
///
/// Items that overlap cover one stretch together, and what is inside of it comes behind it. An
/// item without a place covers the whole. Unless a stretch may be `blank`, white space joins the
/// stretch before it, and what covers it comes along; at the beginning it joins the next one.
pub(crate) fn stretches(text: &str, items: &[Item], blank: bool) -> Vec<Stretch> {
    if items.is_empty() {
        let whole = Stretch { text: text.to_owned(), items: Vec::new() };
        return if text.is_empty() { Vec::new() } else { vec![whole] };
    }
    let mut rest = text.chars();
    let mut found = Vec::new();
    let mut at = 0;
    for Span { start, end, items } in spans(text.chars().count(), items) {
        if start > at {
            let text = rest.by_ref().take(start - at).collect();
            found.push(Stretch { text, items: Vec::new() });
        }
        found.push(Stretch { text: rest.by_ref().take(end - start).collect(), items });
        at = end;
    }
    let text: String = rest.collect();
    if !text.is_empty() {
        found.push(Stretch { text, items: Vec::new() });
    }
    if blank { found } else { without_blanks(found) }
}

fn without_blanks(found: Vec<Stretch>) -> Vec<Stretch> {
    let mut made: Vec<Stretch> = Vec::new();
    // Number of the last one with text, and whether that is white space, since nothing else came
    // before.
    let mut last: Option<(usize, bool)> = None;
    for mut stretch in found {
        if !stretch.text.is_empty() {
            let is_blank = !says_something(&stretch.text);
            match last.and_then(|(at, only_blank)| Some((made.get_mut(at)?, at, only_blank))) {
                Some((before, _, _)) if is_blank => {
                    before.text.push_str(&stretch.text);
                    before.items.append(&mut stretch.items);
                    continue;
                }
                Some((_, at, true)) => {
                    let mut joined = made.remove(at);
                    joined.text.push_str(&stretch.text);
                    joined.items.append(&mut stretch.items);
                    stretch = joined;
                }
                _ => {}
            }
            last = Some((made.len(), is_blank));
        }
        made.push(stretch);
    }
    made
}

/// Returns the spans that items cover, empty ones too, in order; no two spans overlap.
fn spans(length: usize, items: &[Item]) -> Vec<Span> {
    let range = |item: &Item| item.span.unwrap_or((0, length));
    let mut placed: Vec<&Item> = items.iter().collect();
    placed.sort_by_key(|item| range(item).0);
    let mut covering: Vec<Span> = Vec::new();
    let mut points = Vec::new();
    for item in placed {
        let (start, end) = range(item);
        match covering.last_mut() {
            _ if start == end => points.push((start, item)),
            Some(last) if start < last.end => {
                last.end = last.end.max(end);
                last.items.push(item.clone());
            }
            _ => covering.push(Span { start, end, items: vec![item.clone()] }),
        }
    }
    let stood: Vec<Span> = points
        .into_iter()
        .map(|(point, item)| {
            let before = covering.partition_point(|span| span.start < point);
            let last = before.checked_sub(1).and_then(|last| covering.get(last));
            let at = last.map_or(point, |last| point.max(last.end));
            Span { start: at, end: at, items: vec![item.clone()] }
        })
        .collect();
    covering.extend(stood);
    // What is at a place, then what begins there.
    covering.sort_by_key(|span| (span.start, span.end));
    covering
}
