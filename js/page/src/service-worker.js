// Serves the page without a network from its second visit on. The build fills in the list of files,
// whose names change with their content, and a name for the build.
//
// Only files of the page are kept. Requests to an API, also of the server that serves the page, and
// requests to other origins pass untouched.

const NAME = `nous-page-${__BUILD__}`;
const ROOT = new URL("./", self.location.href);
/** Kept when first used. nous-minilm keeps the files of the sentence model. */
const LATER =
  /^(?:assets\/(?!minilm-|asking-)[^/]+\.bin|assets\/sentence-worker-[^/]+\.js|samples\/[^/]+\.jsonl)$/;
const FILES = new Set(__FILES__);

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll([...FILES].map((file) => new URL(file, ROOT).href)))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOthers().then(() => self.clients.claim()));
});

async function removeOthers() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith("nous-page-") && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== ROOT.origin) return;
  if (!url.pathname.startsWith(ROOT.pathname)) return;
  const file = url.pathname.slice(ROOT.pathname.length);
  if (file === "" || file === "index.html") event.respondWith(newest(request));
  else if (FILES.has(file) || LATER.test(file)) event.respondWith(kept(request));
});

/**
 * The document comes from the network if there is one, so that a new version of the page is seen.
 */
async function newest(request) {
  const cache = await caches.open(NAME);
  try {
    const response = await fetch(request);
    const isPage = response.headers.get("content-type")?.startsWith("text/html");
    if (response.ok && isPage) await cache.put(ROOT.href, response.clone());
    return response;
  } catch (error) {
    const page = await cache.match(ROOT.href);
    if (page === undefined) throw error;
    return page;
  }
}

async function kept(request) {
  const cache = await caches.open(NAME);
  const found = await cache.match(request);
  if (found !== undefined) return found;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}
