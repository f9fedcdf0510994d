// Lines and files that could not be read, with number and reason. The rest is open.

import { count } from "../../app/format.ts";
import type { Summary } from "../../memory/records.ts";
import { whyInWords } from "../../memory/why-in-words.ts";

/** A longer list is closed at first. */
const SHOWN = 10;

export function WrongLines({ summary: { wrong, wrongCount } }: { summary: Summary }) {
  if (wrongCount === 0) return null;
  const more = wrongCount - wrong.length;
  return (
    <details class="wrong" open={wrong.length <= SHOWN}>
      <summary>
        {wrongCount === 1 ? "One place" : `${count(wrongCount)} places`} could not be read. The rest
        is open.
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Place</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {wrong.map(({ file, line, of = "line", why }) => (
            <tr key={`${file} ${line}`}>
              <td>{file}</td>
              <td>{line === null ? "the file" : `${of} ${line}`}</td>
              <td>{whyInWords(why)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 ? <p class="hint">And {count(more)} more.</p> : null}
    </details>
  );
}
