//! Reductions of columns: the range, the greatest number, the greatest high bits. Each runs in four
//! independent chains, because a step waits for the one before it in its chain.

use super::F64x2;

/// Returns the least and the greatest number of a column, or `None` if it is empty. If it holds
/// NaN, both are NaN.
pub(crate) fn range_of(column: &[f64]) -> Option<[f64; 2]> {
    let first = *column.first()?;
    let (eights, rest) = column.as_chunks::<8>();
    // Four chains: each operation waits for the one before it in its chain.
    let mut chains = [Range::of(first); 4];
    for &[a, b, c, d, e, f, g, h] in eights {
        chains[0].take(F64x2::new(a, b));
        chains[1].take(F64x2::new(c, d));
        chains[2].take(F64x2::new(e, f));
        chains[3].take(F64x2::new(g, h));
    }
    for &number in rest {
        chains[0].take(F64x2::splat(number));
    }
    let [one, two, three, four] = chains;
    let all = one.and(two).and(three.and(four));
    let (min, max) = (all.min.to_array(), all.max.to_array());
    let [is_nan, is_nan_too] = all.sum.to_array().map(f64::is_nan);
    Some(if is_nan || is_nan_too {
        [f64::NAN; 2]
    } else {
        [min[0].min(min[1]), max[0].max(max[1])]
    })
}

/// Returns the greatest of the high 32 bits of all numbers of a column, after `of`. Equals the high
/// bits of the greatest number if no number has a sign.
#[inline(always)]
pub(crate) fn greatest_high_bits(column: &[f64], of: impl Fn(F64x2) -> F64x2) -> u32 {
    let greatest = greatest_by(column, |greatest, pair| greatest.greater_halves(of(pair)));
    let [one, other] = greatest.to_array().map(|number| (number.to_bits() >> 32) as u32);
    one.max(other)
}

/// Returns the greatest number of a column without NaN, at least 0.
pub(crate) fn greatest_of(column: &[f64]) -> f64 {
    let [one, other] = greatest_by(column, F64x2::greater).to_array();
    one.max(other)
}

/// Returns the greatest number of a column by an order whose least is 0. Four chains, because each
/// step waits for the one before it in its chain.
#[inline(always)]
fn greatest_by(column: &[f64], greater: impl Fn(F64x2, F64x2) -> F64x2) -> F64x2 {
    let (eights, rest) = column.as_chunks::<8>();
    let mut chains = [F64x2::splat(0.0); 4];
    for &[a, b, c, d, e, f, g, h] in eights {
        chains[0] = greater(chains[0], F64x2::new(a, b));
        chains[1] = greater(chains[1], F64x2::new(c, d));
        chains[2] = greater(chains[2], F64x2::new(e, f));
        chains[3] = greater(chains[3], F64x2::new(g, h));
    }
    for &number in rest {
        chains[0] = greater(chains[0], F64x2::splat(number));
    }
    let [one, two, three, four] = chains;
    greater(greater(one, two), greater(three, four))
}

/// The range of some numbers, in both lanes.
#[derive(Clone, Copy)]
struct Range {
    min: F64x2,
    max: F64x2,
    /// NaN as soon as one of the numbers is, which `least` and `most` do not show; it may become
    /// infinite.
    sum: F64x2,
}

impl Range {
    fn of(number: f64) -> Self {
        let both = F64x2::splat(number);
        Self { min: both, max: both, sum: F64x2::splat(0.0) }
    }

    fn and(self, other: Self) -> Self {
        Self {
            min: self.min.lesser(other.min),
            max: self.max.greater(other.max),
            sum: self.sum + other.sum,
        }
    }

    #[inline(always)]
    fn take(&mut self, pair: F64x2) {
        self.min = self.min.lesser(pair);
        self.max = self.max.greater(pair);
        self.sum = self.sum + pair * F64x2::splat(0.0);
    }
}
