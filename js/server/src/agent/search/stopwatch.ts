// Measures the times in the metrics of a search.

/** Returns a function that measures the milliseconds since its last call, to the microsecond. */
export function stopwatch(): { (): number; total(): number } {
  const start = performance.now();
  let last = start;
  const rounded = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000;
  const look = () => {
    const now = performance.now();
    const since = now - last;
    last = now;
    return rounded(since);
  };
  return Object.assign(look, { total: () => rounded(performance.now() - start) });
}
