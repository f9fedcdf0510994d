// The changes as the YAML that the server reads.

import { stringify } from "yaml";
import { weights } from "../../app/weights.tsx";
import { Copy } from "../../parts/copy.tsx";
import { edits, SIGNAL_NAMES, WHOLE } from "./edits.ts";

/** Returns the differences from the defaults, in the form of the server's configuration file. */
function yamlOfChanges(): string {
  const given = Object.entries(edits.value).filter(([, edit]) => Object.keys(edit).length > 0);
  const profiles = Object.fromEntries(
    given.map(([section, { weights, initial, active, weak, boost }]) => [
      section,
      {
        reranking_weights:
          weights === undefined
            ? undefined
            : Object.fromEntries(
                SIGNAL_NAMES.map((name, place) => [name, weights[place]! / WHOLE]),
              ),
        decay:
          (initial ?? active ?? weak) === undefined
            ? undefined
            : { initial_stability_days: initial, active_threshold: active, weak_threshold: weak },
        intent_boost: boost,
      },
    ]),
  );
  const changes = {
    ...(given.length === 0 ? {} : { sections: { profiles } }),
    ...(Object.keys(weights.value).length === 0 ? {} : { evidence: { weights: weights.value } }),
  };
  return Object.keys(changes).length === 0 ? "" : stringify(changes);
}

/** Saves the configuration as a file. */
function save(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "nous.yaml";
  link.click();
  // The browser reads it after this call.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function Export() {
  const text = yamlOfChanges();
  return (
    <section class="export" aria-labelledby="export">
      <h2 id="export">For the server</h2>
      {text === "" ? (
        <p class="note">
          Move a slider, and this shows the lines for the server’s configuration file.
        </p>
      ) : (
        <>
          <p class="note">
            These lines differ from the defaults. Save them as nous.yaml, and start{" "}
            <code>nous-server --config nous.yaml</code>.
          </p>
          <textarea
            readOnly
            aria-label="Configuration as YAML"
            spellcheck={false}
            rows={Math.min(24, text.split("\n").length)}
            value={text}
          />
          <p class="actions">
            <Copy text={text} />
            <button type="button" onClick={() => save(text)}>
              Download nous.yaml
            </button>
          </p>
        </>
      )}
    </section>
  );
}
