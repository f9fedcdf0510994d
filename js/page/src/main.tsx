// Starts the page: opens the memory that the address names, and shows the views.

import { render } from "preact";
import { openNamed } from "./app/opening.ts";
import { App } from "./app.tsx";

void openNamed();

render(<App />, document.getElementById("app")!);

// Without HTTPS, or in private windows, there are no service workers; the page works all the same.
if ("serviceWorker" in navigator)
  navigator.serviceWorker.register("./service-worker.js").catch(() => {});
