// The words of a question in a memory and in the first answer, in sentences.

import type { ComponentChildren } from "preact";
import type { WordLack } from "../../memory/records.ts";

interface WordsProps {
  words: readonly WordLack[];
  /** Whether there is a first answer to compare with. */
  hasFirst: boolean;
}

export function Words({ words, hasFirst }: WordsProps) {
  const missing = words.filter(({ found }) => found === null);
  const shared = words.filter((word) => word.found !== null && isAlike(word));
  const others = hasFirst ? words.filter((word) => !isAlike(word)) : [];
  const nowhere = hasFirst ? missing.filter(({ firstFound }) => firstFound === null) : missing;
  return (
    <section class="words">
      <h2>The words of the question</h2>
      {words.length === 0 ? (
        <p class="lead">No word of the question counts.</p>
      ) : (
        <ul>
          {others.map((word) => (
            <li key={word.asked}>
              <b>{word.asked}</b>
              <span>
                {word.nearness < word.firstNearness ? (
                  <>
                    The first answer {holds(word.firstFound, word.firstNearness)}, this one{" "}
                    {word.found === null
                      ? "has no match"
                      : holds(word.found, word.nearness, "only")}
                  </>
                ) : (
                  <>
                    This one {holds(word.found, word.nearness)}, the first answer{" "}
                    {word.firstFound === null
                      ? "has no match"
                      : holds(word.firstFound, word.firstNearness, "only")}
                  </>
                )}
              </span>
            </li>
          ))}
          {shared.length === 0 ? null : (
            <li>
              <b>{namesOf(shared)}</b>
              <span>{hasFirst ? "Both memories match alike" : "It has a match"}</span>
            </li>
          )}
          {nowhere.length === 0 ? null : (
            <li>
              <b>{namesOf(nowhere)}</b>
              <span>{hasFirst ? "Neither memory has a match" : "It has no match"}</span>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

const isAlike = ({ nearness, firstNearness }: WordLack): boolean => nearness === firstNearness;

const namesOf = (words: readonly WordLack[]): string => words.map(({ asked }) => asked).join(", ");

/**
 * Returns the nearest word in a memory, with its nearness unless it is a form of the asked word.
 */
function holds(found: string | null, nearness: number, verb = "holds"): ComponentChildren {
  return (
    <>
      {verb} “{found}”{nearness >= 1 ? "" : ` (${nearness.toFixed(2)})`}
    </>
  );
}
