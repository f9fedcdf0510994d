// A binary heap of numbers: keeps the first number by some order at hand.

/** A heap of numbers. @internal */
export class Heap {
  readonly #items: number[] = [];

  /** `precedes` returns whether a number comes before another. */
  constructor(readonly precedes: (one: number, other: number) => boolean) {}

  /** All numbers. The first is the first by the order; the others are in heap order. */
  get items(): readonly number[] {
    return this.#items;
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.precedes(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  /** Removes the first number. */
  shift(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.sink();
  }

  /** Restores the order after the first number was changed to come later. */
  sink(): void {
    const items = this.#items;
    const item = items[0]!;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      const isSecond = child + 1 < items.length && this.precedes(items[child + 1]!, items[child]!);
      const next = isSecond ? child + 1 : child;
      if (!this.precedes(items[next]!, item)) break;
      items[at] = items[next]!;
      at = next;
    }
    items[at] = item;
  }
}
