// A button that copies a text, and says whether it did.

import { useState } from "preact/hooks";

export function Copy({ text }: { text: string }) {
  const [told, setTold] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setTold("Copied.");
    } catch {
      setTold("The browser does not allow copying: select the text.");
    }
  };
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        Copy
      </button>
      <span class="quiet" role="status">
        {told}
      </span>
    </span>
  );
}
