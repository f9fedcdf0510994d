// The replica of an agent's playbooks: a `PlaybookBook` that is loaded from the database and
// follows its changes. It holds playbooks of every state, since soft state is ahead of the
// database: callers check the states.

import { isId, oneStep, type Steps } from "nous-memory";
import { PlaybookBook } from "nous-wasm";
import type { TextRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";

/** The subtype of playbooks. */
export const PLAYBOOK = "custom:playbook";

export class PlaybookReplica implements Consumer {
  readonly name = "playbooks";
  #book: PlaybookBook | undefined;

  /** The playbooks; a follower has to load them first. */
  get playbooks(): PlaybookBook {
    if (this.#book === undefined) throw new Error("the playbooks are not loaded");
    return this.#book;
  }

  load(storage: Storage): Steps<Record<string, unknown>> {
    return oneStep(() => {
      this.#book = new PlaybookBook();
      this.#add(storage.nodes.textsOfSubtypes([PLAYBOOK]));
      const { size, problems } = this.#book;
      return { playbooks: size, unreadable: problems.length };
    });
  }

  take({ nodes }: Taken): boolean {
    this.#add(nodes.filter(({ subtype }) => subtype === PLAYBOOK));
    this.playbooks.remove(
      nodes.filter(({ id, subtype }) => isId(id) && subtype !== PLAYBOOK).map(({ id }) => id),
    );
    return true;
  }

  remove({ nodes }: Removed): void {
    this.playbooks.remove(nodes.filter(isId));
  }

  forget(): void {
    this.#book = undefined;
  }

  #add(rows: readonly TextRow[]): void {
    const usable = rows.filter(({ id }) => isId(id));
    this.playbooks.add(
      usable.map(({ id, content_title, content_body }) => ({ id, content_title, content_body })),
    );
  }
}
