// A full-text index as a user writes it in JavaScript: a Map from words to the texts that contain
// them, and a sorted list of words for prefix search. Only for ASCII words without stop words.

const K1 = 1.2;
const B = 0.75;

export interface Found {
  row: number;
  score: number;
}

/** The index. */
export class InvertedIndex {
  readonly #postings = new Map<string, Map<number, number>>();
  readonly #lengths = new Map<number, number>();
  #words: string[] = [];
  #total = 0;

  add(row: number, text: string): void {
    const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    for (const word of words) {
      const texts = this.#postings.get(word) ?? new Map<number, number>();
      texts.set(row, (texts.get(row) ?? 0) + 1);
      this.#postings.set(word, texts);
    }
    this.#lengths.set(row, words.length);
    this.#total += words.length;
  }

  search(terms: readonly string[], limit: number): Found[] {
    const all = this.#lengths.size;
    const average = this.#total / all;
    if (this.#words.length !== this.#postings.size) this.#words = [...this.#postings.keys()].sort();
    const counted = terms.map((term) => this.#counts(term)).filter(({ size }) => size > 0);
    const rare = counted.filter(({ size }) => 2 * size < all);
    const scores = new Map<number, number>();
    for (const counts of rare.length > 0 ? rare : counted) {
      const log = Math.log((all - counts.size + 0.5) / (counts.size + 0.5));
      const idf = log <= 0 ? 1e-6 : log;
      for (const [row, f] of counts) {
        const share = (f * (K1 + 1)) / (f + K1 * (1 - B + (B * this.#lengths.get(row)!) / average));
        scores.set(row, (scores.get(row) ?? 0) + idf * share);
      }
    }
    const found = Array.from(scores, ([row, score]) => ({ row, score }));
    return found.sort((a, b) => b.score - a.score || a.row - b.row).slice(0, limit);
  }

  /** Returns how often words with this prefix occur in each text that contains one. */
  #counts(term: string): ReadonlyMap<number, number> {
    const words = this.#words;
    let [from, to] = [0, words.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (words[middle]! < term) from = middle + 1;
      else to = middle;
    }
    if (!words[from + 1]?.startsWith(term)) {
      return words[from]?.startsWith(term) ? this.#postings.get(words[from]!)! : new Map();
    }
    const counts = new Map<number, number>();
    for (; words[from]?.startsWith(term); from++) {
      for (const [row, f] of this.#postings.get(words[from]!)!)
        counts.set(row, (counts.get(row) ?? 0) + f);
    }
    return counts;
  }
}
