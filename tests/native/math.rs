//! `math` against V8's `Math`, lanes against single values, tables against functions.
//!
//! `NOUS_MATH_INPUTS` sets the number of arguments for each function (default: a million).

use std::io::{BufReader, Read};
use std::process::{Command, Stdio};

use nous_wasm::math::{F64x2, exp, exp_x2, expm1, pow, tanh};
use nous_wasm::signal::{RecencyTable, SaturationTable};

const DEFAULT_INPUTS: usize = 1_000_000;

fn input_count() -> usize {
    match std::env::var("NOUS_MATH_INPUTS") {
        Ok(text) => text.parse().expect("NOUS_MATH_INPUTS is a whole number"),
        Err(_) => DEFAULT_INPUTS,
    }
}

/// Calls `check(x, v8's f(x))` for `count` arguments of a kind (see
/// `parity/inputs/math-inputs.mjs`).
fn for_each_v8_value(f: &str, kind: &str, count: usize, mut check: impl FnMut(f64, f64)) {
    let mut node = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/parity/inputs/math-oracle.mjs"))
        .args([f, kind, &count.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("`node` runs: these tests compare with V8, so Node 24 must be on the PATH");
    let mut answers = BufReader::with_capacity(1 << 20, node.stdout.take().expect("piped"));
    let mut pair = [0; 16];
    for _ in 0..count {
        answers.read_exact(&mut pair).expect("as many answers as asked for");
        let [x, value] = *pair.as_chunks::<8>().0 else { unreachable!("16 bytes are two doubles") };
        check(f64::from_le_bytes(x), f64::from_le_bytes(value));
    }
    assert!(node.wait().expect("node ends").success());
}

/// Equal bits, or both NaN: V8 may return any NaN.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn assert_same(what: &str, x: f64, ours: f64, theirs: f64) {
    assert!(
        same(ours, theirs),
        "{what}({x:?} = {:#018x}) is {ours:?} = {:#018x}, not {theirs:?} = {:#018x}",
        x.to_bits(),
        ours.to_bits(),
        theirs.to_bits(),
    );
}

fn assert_lanes(first: (f64, f64), second: (f64, f64)) {
    let [a, b] = exp_x2(F64x2::new(first.0, second.0)).to_array();
    assert_same("exp_x2, first lane", first.0, a, first.1);
    assert_same("exp_x2, second lane", second.0, b, second.1);
}

#[test]
fn exp_equals_v8_in_single_values_and_in_lanes() {
    // A lane that exp_x2 cannot take sends its neighbour the slow way too, so such arguments are
    // paired with each other.
    let mut waiting = [None; 2];
    for_each_v8_value("exp", "all", input_count(), |x, value| {
        assert_same("exp", x, exp(x), value);
        let side = usize::from((-708.0..=0.0).contains(&x));
        match waiting[side].take() {
            None => waiting[side] = Some((x, value)),
            Some(first) => assert_lanes(first, (x, value)),
        }
    });
}

#[test]
fn lanes_equal_v8_on_the_arguments_of_decay() {
    let mut waiting = None;
    for_each_v8_value("exp", "decay", input_count(), |x, value| match waiting.take() {
        None => waiting = Some((x, value)),
        Some(first) => assert_lanes(first, (x, value)),
    });
}

#[test]
fn lanes_equal_v8_where_the_reduction_changes() {
    let mut waiting = None;
    for_each_v8_value("exp", "boundaries", input_count(), |x, value| {
        if !(-708.0..=0.0).contains(&x) {
            return;
        }
        match waiting.take() {
            None => waiting = Some((x, value)),
            Some(first) => assert_lanes(first, (x, value)),
        }
    });
}

#[test]
fn a_lane_out_of_range_does_not_disturb_its_neighbour() {
    let ordinary = [-0.0, 0.0, -1e-300, -1e-9, -0.3, -1.0, -5.5, -100.25, -708.0];
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        1.0,
        700.0,
        710.0,
        -708.000_000_1,
        -740.0,
        -746.0,
        f64::MAX,
        f64::MIN,
    ];
    for x in ordinary {
        for y in odd.into_iter().chain(ordinary) {
            assert_lanes((x, exp(x)), (y, exp(y)));
            assert_lanes((y, exp(y)), (x, exp(x)));
        }
    }
}

#[test]
fn expm1_equals_v8() {
    for_each_v8_value("expm1", "all", input_count(), |x, value| {
        assert_same("expm1", x, expm1(x), value);
    });
}

#[test]
fn tanh_equals_v8() {
    for_each_v8_value("tanh", "all", input_count(), |x, value| {
        assert_same("tanh", x, tanh(x), value);
    });
}

#[test]
fn pow_equals_v8() {
    for kind in ["range", "bits", "all"] {
        let mut before: f64 = 1.0;
        for_each_v8_value("pow", kind, input_count(), |x, value| {
            let base = before.abs();
            let ours = pow(base, x);
            assert!(same(ours, value), "{base:?} to the power of {x:?} is {ours:?}, not {value:?}");
            before = x;
        });
    }
}

#[test]
fn zeros_infinities_and_nan_are_as_documented() {
    assert_same("exp", -0.0, exp(-0.0), 1.0);
    assert_same("exp", f64::NEG_INFINITY, exp(f64::NEG_INFINITY), 0.0);
    assert_same("exp", f64::INFINITY, exp(f64::INFINITY), f64::INFINITY);
    assert_same("exp", 1.0, exp(1.0), core::f64::consts::E);
    assert_same("expm1", -0.0, expm1(-0.0), -0.0);
    assert_same("expm1", f64::NEG_INFINITY, expm1(f64::NEG_INFINITY), -1.0);
    assert_same("expm1", f64::INFINITY, expm1(f64::INFINITY), f64::INFINITY);
    assert_same("tanh", -0.0, tanh(-0.0), -0.0);
    assert_same("tanh", f64::NEG_INFINITY, tanh(f64::NEG_INFINITY), -1.0);
    for f in [exp, expm1, tanh] {
        assert!(f(f64::NAN).is_nan());
    }
}

#[test]
fn pairs_compute_lane_by_lane() {
    let (a, b) = (F64x2::new(7.5, -3.0), F64x2::splat(2.0));
    assert_eq!((a + b).to_array(), [9.5, -1.0]);
    assert_eq!((a - b).to_array(), [5.5, -5.0]);
    assert_eq!((a * b).to_array(), [15.0, -6.0]);
    assert_eq!((a / b).to_array(), [3.75, -1.5]);

    let mut out = [0.0; 2];
    F64x2::load(&[1.0, 2.0]).store(&mut out);
    assert_eq!(out, [1.0, 2.0]);
}

/// Whole numbers of at least 0, in the tables and far beyond them.
fn whole_numbers() -> impl Iterator<Item = f64> {
    (0..5_000).map(f64::from).chain([1e5, 1e6, 2e9, 3e9, 5e9, 1e300])
}

#[test]
fn the_recency_table_equals_the_function() {
    let table = RecencyTable::default();
    for days in whole_numbers().flat_map(|days| [days, -days]) {
        assert_same("recency", days, table.get(days), exp(-days / 30.0));
    }
}

#[test]
fn the_saturation_table_equals_the_function() {
    let table = SaturationTable::default();
    for count in whole_numbers() {
        assert_same("saturation", count, table.get(count), tanh(count / 10.0));
    }
}

#[test]
fn saturation_is_full_from_the_documented_count_on_and_not_before() {
    let one_from = SaturationTable::ONE_FROM as f64;
    assert!(tanh((one_from - 1.0) / 10.0) < 1.0);
    // All doubles of [19.1, 22) would be too many: a fine grid, then the branch that is 1 by
    // construction.
    for step in 0..1_000_000 {
        let x = one_from / 10.0 + f64::from(step) * 2.9e-6;
        assert_same("tanh", x, tanh(x), 1.0);
    }
    assert_same("tanh", 22.0, tanh(22.0), 1.0);
}
