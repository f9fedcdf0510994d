// The colours of tokens.css for canvases, which take no custom properties.

/** Returns a colour of the theme by the name of its token, without the dashes. */
export const colour = (token: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim();

/** Returns the name of a section's token. */
export const tokenOf = (section: string): string => section.toLowerCase();
