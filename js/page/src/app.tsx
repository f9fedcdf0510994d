// The frame of the page: header, navigation, the view that is open.

import type { ComponentType } from "preact";
import { lazy, Suspense } from "preact/compat";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { linkTo, serverUrl, type View, view } from "./app/address.ts";
import { MemoryPicker } from "./app/memory-picker.tsx";
import { HERE, isUndecided } from "./app/opening.ts";
import { ThemeSwitch } from "./app/theme.tsx";
import { ChangedWeights } from "./app/weights.tsx";
import { isEmpty, isOfServer, opened } from "./memory/client.ts";
import { Loading, Nothing } from "./parts/loading.tsx";
import { LatestStored, RememberMore } from "./parts/remember.tsx";
import { Ask } from "./views/ask/ask.tsx";

const NAMES: Readonly<Record<View, string>> = {
  ask: "Ask",
  "why-not": "Why not?",
  memories: "Memories",
  context: "Prompt",
  time: "Time",
  sections: "Sections",
  graph: "Graph",
  speed: "Speed",
};

/** The places of the page, each with its views. */
const PLACES: Readonly<Record<string, readonly View[]>> = {
  Ask: ["ask", "why-not"],
  Memories: ["memories"],
  Prompt: ["context"],
  Time: ["time"],
  "Under the hood": ["sections", "graph", "speed"],
};
/** What a view is called beside the others of its place. */
const WITHIN: Readonly<Partial<Record<View, string>>> = { ask: "Answers" };

/** Views that have a box to remember at a place of their own. */
const WITH_BOX: readonly View[] = ["ask", "memories"];

/** Comes with a memory that is large. */
const Arriving = lazy(() => import("./parts/arriving.tsx"));

/** Comes after the first answer. */
const MeaningBar = lazy(() => import("./parts/meaning.tsx"));

/** Comes with the memory of a server. */
const NewsLine = lazy(() => import("./parts/news.tsx"));

let styles: Promise<void> | undefined;

/** Loads the styles of all views but the first, once. A view works without them, too. */
function viewStyles(): Promise<void> {
  styles ??= new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(__VIEW_STYLES__, document.baseURI).href;
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
  return styles;
}

/** Returns a view that comes with its styles when it is opened. */
const later = (load: () => Promise<{ default: ComponentType }>) =>
  lazy(async () => {
    const [found] = await Promise.all([load(), viewStyles()]);
    return found;
  });

/** All views but the first load when they are opened. */
const COMPONENTS: Readonly<Record<View, ComponentType>> = {
  ask: Ask,
  "why-not": later(() => import("./views/why-not/why-not.tsx")),
  context: later(() => import("./views/context/context.tsx")),
  sections: later(() => import("./views/sections/sections.tsx")),
  time: later(() => import("./views/time/time.tsx")),
  graph: later(() => import("./views/graph/graph.tsx")),
  speed: later(() => import("./views/speed/speed.tsx")),
  memories: later(() => import("./views/memories/memories.tsx")),
};

/** Whether a link was just followed: its view begins at its top. Back leads to where one was. */
let isFollowed = false;
addEventListener("click", ({ target }) => {
  isFollowed = target instanceof Element && target.closest('a[href^="#/"]') !== null;
});
addEventListener("hashchange", () => {
  setTimeout(() => {
    isFollowed = false;
  });
});

export function App() {
  const open = view.value;
  useLayoutEffect(() => {
    if (isFollowed) scrollTo(0, 0);
  }, [open]);
  const Open = COMPONENTS[open];
  document.title = `${NAMES[open]} · Nous`;
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to content
      </button>
      <header class="top">
        <a class="brand" href={linkTo("ask")} aria-label="Nous, home">
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <rect width="32" height="32" rx="8" />
            <path d="M9 23V9l14 14V9" />
          </svg>
          Nous
        </a>
        <Tabs open={open} />
        <div class="tools">
          <MemoryPicker />
          <ThemeSwitch />
        </div>
      </header>
      <ChangedWeights />
      <main id="main" tabIndex={-1}>
        <Within open={open} />
        <Content>
          <Suspense fallback={<p class="quiet">Loading the view …</p>}>
            <Open />
          </Suspense>
        </Content>
        {opened.value.state !== "open" || WITH_BOX.includes(open) ? null : (
          <>
            <RememberMore />
            <LatestStored />
          </>
        )}
      </main>
      {opened.value.state === "open" ? (
        <Suspense fallback={null}>
          {opened.value.summary.awaited > 0 ? (
            <Arriving {...opened.value.summary} />
          ) : (
            <MeaningBar />
          )}
        </Suspense>
      ) : null}
      {isOfServer() ? (
        <Suspense fallback={null}>
          <NewsLine />
        </Suspense>
      ) : null}
      <footer>
        {promise()} <a href="./THIRD-PARTY-LICENSES.txt">Licences</a>
      </footer>
    </>
  );
}

/** The views. Where they do not fit, they scroll, the open one is in sight, and the ends that go on fade. */
function Tabs({ open }: { open: View }) {
  const nav = useRef<HTMLElement>(null);
  const fade = () => {
    const { scrollLeft, scrollWidth, clientWidth, dataset } = nav.current!;
    dataset.before = String(scrollLeft > 1);
    dataset.after = String(scrollLeft + clientWidth < scrollWidth - 1);
  };
  useEffect(() => {
    const bar = nav.current!;
    const show = () => {
      const tab = bar.querySelector<HTMLElement>("[aria-current]")!;
      const left = tab.offsetLeft - bar.offsetLeft;
      bar.scrollLeft = left - (bar.clientWidth - tab.offsetWidth) / 2;
      fade();
    };
    const observer = new ResizeObserver(show);
    observer.observe(bar);
    return () => observer.disconnect();
  }, [open]);
  return (
    <nav aria-label="Views" ref={nav} onScroll={fade}>
      {Object.entries(PLACES).map(([name, views]) => (
        <a
          key={name}
          href={linkTo(views[0]!)}
          aria-current={!views.includes(open) ? undefined : views[0] === open ? "page" : "true"}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}

/** The views of a place that has several. */
function Within({ open }: { open: View }) {
  const place = Object.entries(PLACES).find(([, views]) => views.includes(open))!;
  const [name, views] = place;
  // Of an empty memory nothing can be asked.
  if (views.length === 1 || (isEmpty() && views.includes("ask"))) return null;
  return (
    <nav class="within" aria-label={`Views of ${name}`}>
      {views.map((one) => (
        <a key={one} href={linkTo(one)} aria-current={one === open ? "page" : undefined}>
          {WITHIN[one] ?? NAMES[one]}
        </a>
      ))}
    </nav>
  );
}

/** Says what leaves the page. */
function promise(): string {
  if (isUndecided()) return "";
  if (!isOfServer())
    return "Everything is computed in this page. Nothing that you ask or open leaves it.";
  const { host } = new URL(serverUrl.value === "" ? HERE : serverUrl.value);
  return `Answers are computed in this page. It reads the memory from ${host}, and sends there what you add, edit and delete. Your questions stay here.`;
}

/** Views that say nothing of a memory without contents. */
const OF_CONTENTS: readonly View[] = ["why-not", "sections", "graph"];

/** Views need a memory, except the one by which another is opened. */
function Content({ children }: { children: preact.ComponentChildren }) {
  const state = opened.value;
  if (isEmpty() && OF_CONTENTS.includes(view.value))
    return (
      <>
        <h1>{NAMES[view.value]}</h1>
        <Nothing />
      </>
    );
  if (state.state === "open" || view.value === "memories" || view.value === "speed")
    return <>{children}</>;
  if (state.state === "failed")
    return (
      <p class="problem" role="alert">
        The memory could not be opened: {state.why}
      </p>
    );
  return <Loading progress={state.progress} />;
}

function focusMain(): void {
  document.getElementById("main")?.focus();
}
