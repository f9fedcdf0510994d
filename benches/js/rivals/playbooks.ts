// An index of playbooks by kind of anomaly in a Map, as a user writes it in JavaScript.

import type {
  AnomalyEvent,
  Playbook,
  PlaybookMatch,
  PlaybookTrigger,
} from "../../../js/reference/index.ts";

interface Entry {
  playbook: Playbook;
  place: number;
  symbols: ReadonlySet<string> | null;
  min: number;
}

/** Only for playbooks with valid triggers without conditions, and with symbols in lower case. */
export class IndexedBook {
  readonly #byKind = new Map<string, Entry[]>();

  constructor(playbooks: readonly Playbook[]) {
    for (const [place, playbook] of playbooks.entries()) {
      const { anomaly_types, symbols, min_severity } = playbook.trigger as PlaybookTrigger;
      const entry = {
        playbook,
        place,
        symbols: symbols?.length ? new Set(symbols) : null,
        min: min_severity ?? 0,
      };
      for (const kind of anomaly_types ?? []) {
        const list = this.#byKind.get(kind);
        if (list === undefined) this.#byKind.set(kind, [entry]);
        else list.push(entry);
      }
    }
  }

  match(events: readonly AnomalyEvent[]): PlaybookMatch[] {
    const found = new Map<Entry, AnomalyEvent>();
    for (const event of events) {
      const symbol = event.symbol?.toLowerCase();
      for (const entry of this.#byKind.get(event.type) ?? []) {
        if (event.severity < entry.min || found.has(entry)) continue;
        if (entry.symbols === null || (symbol && entry.symbols.has(symbol)))
          found.set(entry, event);
      }
    }
    const matches = [...found]
      .sort(([a], [b]) => a.place - b.place)
      .map(([{ playbook }, event]) => matchOf(playbook, event));
    return matches.sort((a, b) => b.relevance - a.relevance);
  }
}

function matchOf(playbook: Playbook, { type, symbol, severity }: AnomalyEvent): PlaybookMatch {
  const { id, title, action, direction, success_count, sample_size } = playbook;
  const [successes, samples] = [success_count ?? 0, sample_size ?? 0];
  const success_rate = samples === 0 ? 0 : successes / samples;
  return {
    id,
    title: title || "Untitled",
    action: action ?? "",
    direction: direction || "either",
    success_count: successes,
    sample_size: samples,
    type,
    symbol: symbol ?? null,
    severity,
    success_rate,
    relevance: success_rate * severity * Math.min(1, samples / 10),
  };
}
