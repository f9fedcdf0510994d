//! Consolidation natively: symbols as recorded, statistics equal to SciPy, and groups, splits and
//! tests equal to plain implementations.

use crate::common::assert_is;
use nous_wasm::consolidate::{
    Counts, FIRST_NAMED, FUNDING, Groups, HOURS, SOURCES, Source, SymbolFinder, Tested, Trade,
    WEEKDAYS, bands, find_patterns, groups, q_values, sources,
};
use nous_wasm::query::KNOWN_SYMBOLS;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::Value;

const DAY: f64 = 86_400_000.0;

fn golden() -> Value {
    let path = format!("{}/tests/golden/consolidation.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("the golden file")).expect("JSON")
}

mod symbols {
    use super::*;

    /// The content of a body: the symbol of its signals, and its text.
    fn content(body: Option<&str>) -> (Option<String>, String) {
        let body = body.unwrap_or_default();
        let Ok(value) = serde_json::from_str::<Value>(body) else { return (None, body.into()) };
        let own = ["symbol", "coin"]
            .iter()
            .find_map(|name| value["signals"][name].as_str().filter(|it| !it.is_empty()));
        (own.map(str::to_uppercase), value["text"].as_str().unwrap_or_default().into())
    }

    #[test]
    fn equal_the_golden_vectors() {
        let finder = SymbolFinder::new(&KNOWN_SYMBOLS.map(String::from));
        let golden = golden();
        let rows = golden["symbol"].as_array().expect("a list");
        assert!(rows.len() > 30);
        for row in rows {
            let (own, text) = content(row["content_body"].as_str());
            let named = || {
                let title = row["content_title"].as_str().unwrap_or_default();
                let place = finder.first(title).or_else(|| finder.first(&text))?;
                Some(KNOWN_SYMBOLS[place].to_string())
            };
            assert_eq!(row["symbol"], Value::from(own.or_else(named)), "{row}");
        }
    }

    fn is_word(byte: Option<&u8>) -> bool {
        byte.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    fn first(text: &str, symbols: &[String]) -> Option<usize> {
        let bytes = text.as_bytes();
        let starts = (0..bytes.len()).filter(|&start| start == 0 || !is_word(bytes.get(start - 1)));
        let at = |start: usize, symbol: &String| {
            let end = start + symbol.len();
            let is_here = bytes
                .get(start..end)
                .is_some_and(|here| here.eq_ignore_ascii_case(symbol.as_bytes()));
            is_here && !is_word(bytes.get(end))
        };
        starts.filter_map(|start| symbols.iter().position(|symbol| at(start, symbol))).next()
    }

    proptest! {
        #[test]
        fn are_the_first_in_the_text(
            symbols in subsequence(vec!["BTC", "eth", "BTC-PERP", "a", "a-b", "a-b-a", "perp", "A.b", "1a", "aéb"], 1..10),
            words in vec(select(vec!["btc", "ETH", "-", "perp", "a", "b", ".", " ", "_", "1", "é", "É", "🚀", "\n"]), 0..20),
        ) {
            let symbols: Vec<String> = symbols.into_iter().map(String::from).collect();
            let text = words.concat();
            prop_assert_eq!(SymbolFinder::new(&symbols).first(&text), first(&text, &symbols), "{:?}", text);
        }
    }
}

mod review {
    use super::*;

    const NOW: f64 = crate::common::NOW;

    fn source() -> impl Strategy<Value = Source> {
        let days = prop_oneof![3 => 0..130i32, 1 => select(vec![-4, 56, 57, 120, 121])];
        (0..SOURCES.len(), days).prop_map(|(kind, quarters)| Source {
            kind,
            created_at: NOW - f64::from(quarters) * DAY / 4.0,
        })
    }

    /// Returns the newest fifty of each kind, of two weeks, or of thirty days if these hold fewer
    /// than eight.
    fn plain_sources(episodes: &[Source]) -> Vec<u32> {
        let mut newest: Vec<u32> = (0..episodes.len() as u32).collect();
        newest.sort_by(|&a, &b| {
            episodes[b as usize].created_at.total_cmp(&episodes[a as usize].created_at)
        });
        let kind = |place: u32| episodes[place as usize].kind;
        let within = |days: f64| -> Vec<u32> {
            let recent: Vec<u32> = newest
                .iter()
                .copied()
                .filter(|&it| episodes[it as usize].created_at >= NOW - days * DAY)
                .collect();
            let before =
                |at: usize| recent[..at].iter().filter(|&&it| kind(it) == kind(recent[at])).count();
            (0..recent.len()).filter(|&at| before(at) < 50).map(|at| recent[at]).collect()
        };
        let recent = within(14.0);
        if recent.len() < 8 { within(30.0) } else { recent }
    }

    fn plain_groups(symbols: &[u32]) -> Groups {
        let mut names: Vec<u32> = Vec::new();
        symbols.iter().for_each(|symbol| {
            if !names.contains(symbol) {
                names.push(*symbol)
            }
        });
        let places = |symbol: u32| -> Vec<u32> {
            (0..symbols.len() as u32).filter(|&place| symbols[place as usize] == symbol).collect()
        };
        let mut large: Vec<(u32, Vec<u32>)> =
            names.into_iter().map(|symbol| (symbol, places(symbol))).collect();
        large.retain(|(_, places)| places.len() >= 3);
        large.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
        let found = large.len();
        large.truncate(5);
        large.iter_mut().for_each(|(_, places)| places.truncate(15));
        Groups { found, chosen: large }
    }

    proptest! {
        #[test]
        fn takes_the_newest_of_each_kind(episodes in prop_oneof![vec(source(), 0..12), vec(source(), 200..500)]) {
            prop_assert_eq!(sources(&episodes, NOW), plain_sources(&episodes));
        }

        /// Symbols are numbered by first occurrence.
        #[test]
        fn groups_the_largest_first(names in vec(0..9u32, 0..120)) {
            let mut seen: Vec<u32> = Vec::new();
            let symbols: Vec<u32> = names.iter().map(|name| {
                let known = seen.iter().position(|it| it == name);
                known.unwrap_or_else(|| { seen.push(*name); seen.len() - 1 }) as u32
            }).collect();
            prop_assert_eq!(groups(&symbols), plain_groups(&symbols));
        }
    }
}

mod statistics {
    use super::*;

    fn close(actual: f64, expected: f64, what: &str) {
        assert!((actual - expected).abs() < 1e-12, "{what}: {actual} is not {expected}");
        assert!(
            expected == 0.0 || (actual / expected - 1.0).abs() < 1e-7,
            "{what}: {actual} is not {expected}"
        );
    }

    /// `binomtest(wins, n, rest_wins / rest_n)`, `fisher_exact`, `proportion_ci(0.95,
    /// method="wilson")` of SciPy.
    #[test]
    fn equal_scipy() {
        for (counts, [binomial, fisher, low, high]) in [
            (
                [40, 30, 160, 80],
                [
                    0.0022214337732293643,
                    0.0045793064366901354,
                    0.5980603857923197,
                    0.858128813609037,
                ],
            ),
            ([5, 5, 7, 3], [0.014458261438686257, 0.0808080808080808, 0.5655175352168251, 1.0]),
            ([5, 0, 10, 9], [9.999999999999989e-6, 0.001998001998001998, 0.0, 0.43448246478317476]),
            (
                [9, 7, 1000, 400],
                [0.035112448000000004, 0.03513098003370869, 0.4525889691069889, 0.9367748928821533],
            ),
            ([12, 0, 8, 0], [1.0, 1.0, 0.0, 0.24249400665524085]),
            ([12, 12, 8, 8], [1.0, 1.0, 0.7575059933447592, 1.0]),
            ([6, 5, 9, 9], [0.0, 0.4, 0.43649717781352976, 0.9699466302516933]),
            (
                [5000, 2500, 5000, 2600],
                [
                    0.0048495021595452515,
                    0.04765361355524053,
                    0.48614628258320963,
                    0.5138537174167904,
                ],
            ),
        ] {
            let [n, wins, rest_n, rest_wins] = counts;
            let counts = Counts { n, wins, rest_n, rest_wins };
            let what = format!("{counts:?}");
            close(counts.binomial_test(), binomial, &what);
            close(counts.fisher_test(), fisher, &what);
            let (own_low, own_high) = counts.wilson_interval();
            close(own_low, low, &what);
            close(own_high, high, &what);
            assert_is(
                counts.p_value(),
                f64::max(counts.binomial_test(), counts.fisher_test()),
                what,
            );
        }
        // `false_discovery_control(ps, method="bh")`.
        let expected =
            [0.004, 0.064, 0.06, 0.6857142857142856, 0.06, 0.004, 1.0, 0.26666666666666666];
        // Two of eight lie above one half, so (2 + 1) · 2 are estimated as true nulls. No q value
        // is below its p value.
        let p_values = [0.001, 0.04, 0.03, 0.6, 0.03, 0.0007, 1.0, 0.2];
        for ((q, p), of_all) in q_values(&p_values).into_iter().zip(p_values).zip(expected) {
            close(q, f64::max(of_all * 6.0 / 8.0, p), "q");
        }
    }
}

mod patterns {
    use super::*;

    #[test]
    fn bands_are_numbered_before_names() {
        let thursday = bands(Some(0.0), Some(0.0)).collect::<Vec<u32>>();
        let all = [&WEEKDAYS[..], &HOURS, &FUNDING].concat();
        let names =
            |codes: &[u32]| codes.iter().map(|&code| all[code as usize]).collect::<Vec<&str>>();
        assert_eq!(names(&thursday), ["Thursday", "00-06", "neutral"]);
        assert_eq!(FIRST_NAMED as usize, all.len());
        let last = bands(Some(-1.0), Some(f64::INFINITY)).collect::<Vec<u32>>();
        assert_eq!(names(&last), ["Wednesday", "18-24", "extreme"]);
        // The last moment before midnight, so close that rounding reaches the next day.
        assert_eq!(
            names(&bands(Some(-1e-9), Some(-1.0)).collect::<Vec<u32>>())[1..],
            ["18-24", "deeply negative"]
        );
        assert_eq!(bands(None, None).count(), 0);
    }

    fn trade() -> impl Strategy<Value = Trade> {
        let moment = prop_oneof![4 => 0..1000i32, 1 => 0..5i32];
        let conditions = subsequence(vec![16, 17, 18, 19, 20], 0..5);
        (0..2u32, moment, -4..5i32, any::<bool>(), conditions).prop_map(
            |(symbol, at, half, flat, mut conditions)| {
                // Two sides, and two conditions that always hold together.
                conditions.push(if half % 2 == 0 { 30 } else { 31 });
                if conditions.contains(&17) {
                    conditions.extend([40, 17]);
                }
                Trade {
                    symbol,
                    closed_at: at.into(),
                    return_pct: f64::from(half) / 2.0,
                    flat: flat && half > 3,
                    conditions,
                }
            },
        )
    }

    /// Returns the places of a group's trades for which a condition holds, and the others.
    fn split(group: &[&Trade], condition: u32) -> (Vec<usize>, Vec<usize>) {
        (0..group.len()).partition(|&place| group[place].conditions.contains(&condition))
    }

    /// Returns the splits of a group: conditions, and the places for which they hold.
    fn plain_splits(group: &[&Trade]) -> Vec<(Vec<u32>, Vec<usize>)> {
        let mut seen: Vec<u32> = Vec::new();
        for trade in group {
            trade.conditions.iter().for_each(|it| {
                if !seen.contains(it) {
                    seen.push(*it)
                }
            });
        }
        let mut splits: Vec<(Vec<u32>, Vec<usize>)> = Vec::new();
        for condition in seen {
            let (places, others) = split(group, condition);
            if places.len() < 5 || others.len() < 5 {
                continue;
            }
            match splits.iter_mut().find(|(_, known)| *known == places) {
                Some((conditions, _)) => conditions.push(condition),
                None => splits.push((vec![condition], places)),
            }
        }
        let asks = |order: usize, places: &[usize]| {
            let others: Vec<usize> =
                (0..group.len()).filter(|place| !places.contains(place)).collect();
            let opposite = splits.iter().position(|(_, known)| *known == others);
            opposite.is_none_or(|it| {
                places.len() < others.len() || (places.len() == others.len() && order < it)
            })
        };
        let asked = splits.iter().enumerate().filter(|(order, (_, places))| asks(*order, places));
        asked.map(|(_, split)| split.clone()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn equal_the_plain_implementation(trades in vec(trade(), 0..70)) {
            let mut by_time: Vec<usize> = (0..trades.len()).collect();
            by_time.sort_by(|&a, &b| trades[a].closed_at.total_cmp(&trades[b].closed_at));
            let mut symbols: Vec<u32> = Vec::new();
            by_time.iter().for_each(|&at| if !symbols.contains(&trades[at].symbol) { symbols.push(trades[at].symbol) });
            let tested = find_patterns(&trades);
            let mut q_values = q_values(&tested.iter().map(|it| it.p_value).collect::<Vec<f64>>()).into_iter();
            let mut tested = tested.into_iter();
            for symbol in symbols {
                let places: Vec<usize> = by_time.iter().copied().filter(|&at| trades[at].symbol == symbol).collect();
                let group: Vec<&Trade> = places.iter().map(|&at| &trades[at]).collect();
                let won = |trade: &Trade| trade.return_pct > 0.0 && !trade.flat;
                let all_wins = group.iter().filter(|trade| won(trade)).count();
                for (conditions, chosen) in plain_splits(&group) {
                    let found: Tested = tested.next().expect("as many as there are");
                    prop_assert_eq!(found.symbol, symbol);
                    prop_assert_eq!(&found.conditions, &conditions);
                    let own: Vec<u32> = chosen.iter().map(|&place| places[place] as u32).collect();
                    prop_assert_eq!(&found.trades, &own);
                    let wins = chosen.iter().filter(|&&place| won(group[place])).count();
                    let [n, rest_n] = [chosen.len(), group.len() - chosen.len()].map(|count| count as u32);
                    let rest_wins = (all_wins - wins) as u32;
                    prop_assert_eq!(found.counts, Counts { n, wins: wins as u32, rest_n, rest_wins });
                    assert_is(found.p_value, found.counts.p_value(), "p value");
                    assert_is(found.q_value, q_values.next().expect("one for each"), "q value");
                    prop_assert_eq!(found.kept(), found.q_value <= 0.1);
                    for &condition in &found.opposite {
                        prop_assert_eq!(split(&group, condition).1, chosen.clone());
                    }
                }
            }
            prop_assert_eq!(tested.next(), None);
        }
    }
}
