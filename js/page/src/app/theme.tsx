// Light or dark: as the system is set, until the visitor chooses.

import { effect, signal } from "@preact/signals";

const KEY = "nous-theme";
type Theme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
/** The theme that the page has. */
export const theme = signal<Theme>(kept() ?? (system.matches ? "dark" : "light"));

system.addEventListener("change", () => {
  if (kept() === undefined) theme.value = system.matches ? "dark" : "light";
});

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

/** Returns the theme that the visitor chose. Storage may be forbidden. */
function kept(): Theme | undefined {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : undefined;
  } catch {
    return undefined;
  }
}

function choose(next: Theme): void {
  theme.value = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Then the choice holds for this visit.
  }
}

export function ThemeSwitch() {
  const next = theme.value === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="icon"
      aria-label={`Switch to ${next} colours`}
      title={`Switch to ${next} colours`}
      onClick={() => choose(next)}
    >
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
        <circle cx="12" cy="12" r="8.2" fill="none" stroke="currentColor" stroke-width="1.8" />
        <path d="M12 3.8a8.2 8.2 0 0 1 0 16.4z" fill="currentColor" />
      </svg>
    </button>
  );
}
