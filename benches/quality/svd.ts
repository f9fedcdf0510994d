// The largest singular values of a sparse matrix, with their right singular vectors, by randomized
// subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4, then 5.1 by the Gram matrix
// of the remainder).

import type { Random } from "../../js/sample/trader/random.ts";

/** A sparse row: columns, each at most once, and their values. */
export interface SparseRow {
  columns: readonly number[];
  values: readonly number[];
}

/**
 * Singular values in descending order, and their right singular vectors: orthonormal, one component
 * for each column.
 */
export interface LeadingVectors {
  values: Float64Array;
  vectors: Float64Array[];
}

/**
 * Vectors sampled beyond the wanted ones, and rounds of iteration. Both make the last wanted
 * vectors accurate.
 */
const OVERSAMPLING = 10;
const ROUNDS = 4;
/**
 * The share below which a remainder is rounding error: of a vector outside the span of those before
 * it, and of the largest singular value, because the Gram matrix holds squares.
 */
const NEGLIGIBLE = 1e-7;
/**
 * A matrix counts as diagonal if its off-diagonal entries together are below this share of the
 * whole.
 */
const BESIDE = 1e-12;

/** Returns at most `rank` vectors; fewer if the matrix has fewer singular values other than 0. */
export function leadingVectors(
  rows: readonly SparseRow[],
  columns: number,
  rank: number,
  random: Random,
): LeadingVectors {
  const sampled = Math.min(rank + OVERSAMPLING, columns, rows.length);
  const start = Array.from({ length: sampled }, () =>
    Float64Array.from({ length: columns }, () => random.normal()),
  );
  let range = orthonormal(start.map((vector) => times(rows, vector)));
  for (let round = 0; round < ROUNDS; round++) {
    const back = orthonormal(range.map((vector) => transposedTimes(rows, columns, vector)));
    range = orthonormal(back.map((vector) => times(rows, vector)));
  }
  // Projected onto the range, the matrix is small and wide. The eigenvectors of its Gram matrix are
  // its left singular vectors.
  const small = range.map((vector) => transposedTimes(rows, columns, vector));
  const gram = small.map((one) => Float64Array.from(small, (other) => dot(one, other)));
  const pairs = eigenpairs(gram).slice(0, rank);
  const min = (pairs[0]?.value ?? 0) * NEGLIGIBLE ** 2;
  const kept = pairs.filter(({ value }) => value > min);
  return {
    values: Float64Array.from(kept, ({ value }) => Math.sqrt(value)),
    vectors: kept.map(({ value, vector }) => {
      const right = new Float64Array(columns);
      small.forEach((row, i) => {
        addScaled(right, row, vector[i]! / Math.sqrt(value));
      });
      return right;
    }),
  };
}

function times(rows: readonly SparseRow[], vector: Float64Array): Float64Array {
  return Float64Array.from(rows, ({ columns, values }) => {
    let sum = 0;
    for (let i = 0; i < columns.length; i++) sum += values[i]! * vector[columns[i]!]!;
    return sum;
  });
}

function transposedTimes(
  rows: readonly SparseRow[],
  width: number,
  vector: Float64Array,
): Float64Array {
  const result = new Float64Array(width);
  rows.forEach(({ columns, values }, row) => {
    const factor = vector[row]!;
    for (let i = 0; i < columns.length; i++) result[columns[i]!]! += factor * values[i]!;
  });
  return result;
}

/**
 * Returns an orthonormal basis of the span of the vectors, by Gram-Schmidt, twice to recover the
 * digits that the first pass loses. Overwrites the vectors.
 */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const vector of vectors) {
    const before = Math.sqrt(dot(vector, vector));
    for (let pass = 0; pass < 2; pass++)
      for (const one of basis) addScaled(vector, one, -dot(vector, one));
    const length = Math.sqrt(dot(vector, vector));
    if (length > before * NEGLIGIBLE) basis.push(vector.map((component) => component / length));
  }
  return basis;
}

/**
 * Returns the eigenvalues of a symmetric matrix in descending order, with their vectors, by Jacobi
 * rotations. Overwrites the matrix.
 */
function eigenpairs(matrix: Float64Array[]): { value: number; vector: Float64Array }[] {
  const size = matrix.length;
  // Vectors as rows.
  const vectors = matrix.map((_, i) =>
    Float64Array.from({ length: size }, (_, j) => (i === j ? 1 : 0)),
  );
  const whole = matrix.reduce((sum, row) => sum + dot(row, row), 0);
  const beside = () =>
    matrix.reduce((sum, row, i) => sum + dot(row.subarray(0, i), row.subarray(0, i)), 0);
  while (beside() > whole * BESIDE ** 2) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const off = matrix[p]![q]!;
        if (off === 0) continue;
        const theta = (matrix[q]![q]! - matrix[p]![p]!) / (2 * off);
        const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const cosine = 1 / Math.sqrt(tangent * tangent + 1);
        const sine = tangent * cosine;
        for (const row of matrix) {
          const [one, other] = [row[p]!, row[q]!];
          row[p] = cosine * one - sine * other;
          row[q] = sine * one + cosine * other;
        }
        rotate(matrix[p]!, matrix[q]!, cosine, sine);
        rotate(vectors[p]!, vectors[q]!, cosine, sine);
      }
    }
  }
  return vectors
    .map((vector, i) => ({ value: matrix[i]![i]!, vector }))
    .sort((one, other) => other.value - one.value);
}

function rotate(one: Float64Array, other: Float64Array, cosine: number, sine: number): void {
  for (let i = 0; i < one.length; i++) {
    const [a, b] = [one[i]!, other[i]!];
    one[i] = cosine * a - sine * b;
    other[i] = sine * a + cosine * b;
  }
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return sum;
}

function addScaled(target: Float64Array, vector: Float64Array, factor: number): void {
  for (let i = 0; i < target.length; i++) target[i]! += factor * vector[i]!;
}
