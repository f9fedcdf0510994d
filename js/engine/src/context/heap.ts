// Places in a heap, so that the first of them by some order is at hand, in whatever order they
// come.

/** Numbers of which the first is known. @internal */
export class Heap {
  readonly #items: number[] = [];

  /** `precedes` says whether one comes before another. */
  constructor(readonly precedes: (one: number, other: number) => boolean) {}

  /** All numbers; the first of them by the order comes first, the others in any order. */
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

  /** Takes out the first one. */
  shift(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.sink();
  }

  /** Puts the first one where it belongs, once it stands for something later. */
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
