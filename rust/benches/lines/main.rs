//! Speed of the crate: assembling lines against decoding them, and the adapters of providers.
//!
//! Prints the section on Rust of the page on speed; `cargo bench --bench lines -- --markdown FILE`
//! writes it to a file, too. Panics where a message is not what the content says.

mod adapters;
mod assembling;
mod content;
mod streams;

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use cpu_time::ThreadTime;

const INTRODUCTION: &str = "\
Written by `make -C rust bench`. Lines are those of the other tables, decoded one by one; the **floor** \
is serde_json decoding them into the generated types: validated and typed as Python's floor is, by types \
and not by patterns, and nothing assembled. Both sides run in turn, round after round; times are those of \
the processor, and medians of the rounds.\n";

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--markdown").skip(1);
    let lines = assembling::measure();
    let adapters = adapters::measure();
    let mut page = format!("## Rust\n\n{INTRODUCTION}\n");
    page +=
        "| target | limit | measured (the worst) | where |  |\n| --- | --- | --- | --- | --- |\n";
    let targets = assembling::targets(&lines).into_iter().chain(adapters::targets(&adapters));
    for Target { what, limit, unit, measured, place } in targets {
        let met = if measured <= limit { "met" } else { "not met" };
        _ = writeln!(
            page,
            "| {what} | at most {limit} {unit} | {measured:.2} {unit} | {place} | {met} |"
        );
    }
    page += &assembling::table(&lines);
    page += &adapters::table(&adapters);
    print!("{page}");
    if let Some(file) = arguments.next() {
        fs::write(&file, &page).expect("the file can be written");
    }
}

/// One row of the table of targets: the worst case that was measured, and what it may be.
struct Target {
    what: String,
    limit: f64,
    unit: &'static str,
    measured: f64,
    place: String,
}

/// Returns how much time of the processor a call takes, over about `sample`.
fn seconds(sample: Duration, mut call: impl FnMut()) -> f64 {
    let timed = |count: u32, call: &mut dyn FnMut()| {
        let began = ThreadTime::now();
        (0..count).for_each(|_| call());
        began.elapsed().as_secs_f64() / f64::from(count)
    };
    let once = timed(1, &mut call);
    if once >= sample.as_secs_f64() {
        return once;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most a few millions
    let count = (sample.as_secs_f64() / once.max(1e-7)) as u32;
    timed(count.max(1), &mut call)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}
