//! Reads lines of an instant, a tab and a text. Prints the expressions of each text: start, end,
//! grain and text, separated by tabs. `time ROUNDS` prints the nanoseconds of a text instead.

#[path = "../../../src/text/mod.rs"]
#[allow(dead_code, unused_imports)]
mod text;

#[cfg(feature = "scanner")]
#[path = "../../../src/times/mod.rs"]
#[allow(dead_code, unused_imports)]
mod times;

#[cfg(any(feature = "regex", feature = "regex-lite"))]
mod expressions;
#[cfg(any(feature = "regex", feature = "regex-lite"))]
use expressions as times;

/// What the modules of the crate expect of their host.
mod host {
    #[allow(dead_code)]
    pub fn lower_case(text: &str) -> String {
        text.to_lowercase()
    }
}

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

/// An expression: start, end, grain and text.
type Row<'a> = (f64, f64, &'static str, &'a str);

#[cfg(any(feature = "scanner", feature = "regex", feature = "regex-lite"))]
fn find(text: &str, now: f64) -> Vec<Row<'_>> {
    let rows = times::find(text, now).into_iter();
    rows.map(|it| (it.start, it.end, times::Grain::NAMES[it.grain as usize], it.span.of(text)))
        .collect()
}

/// Without a way to find them: the size of everything else.
#[cfg(not(any(feature = "scanner", feature = "regex", feature = "regex-lite")))]
fn find(text: &str, now: f64) -> Vec<Row<'_>> {
    let count = text::words(text).count() as f64;
    vec![(count, now, "none", text)]
}

fn main() {
    let lines: Vec<String> = std::io::stdin().lock().lines().map_while(Result::ok).collect();
    let asked: Vec<(f64, &str)> = lines
        .iter()
        .filter_map(|line| {
            let (now, text) = line.split_once('\t')?;
            Some((now.parse().ok()?, text))
        })
        .collect();
    let mut out = std::io::stdout().lock();
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some("time") {
        let rounds: u32 = args.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(100);
        let once =
            || asked.iter().map(|(now, text)| find(black_box(text), *now).len()).sum::<usize>();
        black_box(once());
        let mut best = f64::INFINITY;
        for _ in 0..rounds {
            let start = Instant::now();
            black_box(once());
            best = best.min(start.elapsed().as_nanos() as f64 / asked.len() as f64);
        }
        let _ = writeln!(out, "{best:.1}");
        return;
    }
    for (now, text) in asked {
        let rows: Vec<String> = find(text, now)
            .iter()
            .map(|(start, end, grain, found)| format!("{start}\t{end}\t{grain}\t{found}"))
            .collect();
        let _ = writeln!(out, "{}", rows.join("\t"));
    }
}
