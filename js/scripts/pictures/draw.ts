// Draws a picture from a Vega-Lite specification. The same specification gives the same bytes.

import { Error as ErrorLevel, parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

/** Okabe and Ito's colours, which colour-blind readers can distinguish. */
export const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"] as const;

/** Returns the picture as SVG, on white. */
export async function draw(spec: object): Promise<string> {
  const whole = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "white",
    padding: 12,
    config: { font: "Helvetica, Arial, sans-serif", view: { stroke: null } },
    ...spec,
  } as TopLevelSpec;
  const view = new View(parse(compile(whole).spec), {
    renderer: "none",
    logLevel: ErrorLevel,
  });
  return `${await view.toSVG()}\n`;
}
