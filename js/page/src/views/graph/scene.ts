// The scene on the canvas of the graph: nodes with sizes and colours.

import { SECTIONS } from "../../app/format.ts";
import type { Neighbourhood } from "../../memory/spread.ts";
import { colour, tokenOf } from "../../parts/colours.ts";
import type { Place } from "./layout.ts";
import type { Size, ViewPort } from "./view-port.ts";

/** The content of a picture. */
export interface Scene {
  graph: Neighbourhood;
  places: readonly Place[];
  /** The activation of each node, from 0. Between two hops while they change. */
  activation: readonly number[];
  /** The largest activation after any hop. */
  largest: number;
  port: ViewPort;
  size: Size;
  /** The node that is picked out, with its links; undefined for none. */
  picked: number | undefined;
  /** The node under the mouse; undefined for none. */
  pointed: number | undefined;
}

/** The colours of the theme. */
export interface Palette {
  sections: Record<string, string>;
  ground: string;
  ink: string;
  soft: string;
  label: string;
  link: string;
  thread: string;
  font: string;
}

export const paletteOf = (): Palette => ({
  sections: Object.fromEntries(SECTIONS.map((section) => [section, colour(tokenOf(section))])),
  ground: colour("surface"),
  ink: colour("ink"),
  soft: colour("soft"),
  label: colour("ink"),
  link: colour("line-strong"),
  thread: colour("g-around"),
  font: getComputedStyle(document.body).fontFamily,
});

const [SMALL, LARGE] = [3.5, 16];
/** The least radius of an answer: it holds the number of its place. */
const NUMBERED = 8.5;

/** Returns the share of the largest activation, so that small ones are still seen. */
export const shareOf = ({ activation, largest }: Scene, index: number): number =>
  (activation[index]! / largest) ** 0.45;

/** Returns the radius of a node on the canvas. It grows with the picture, but less. */
export function radiusOf(scene: Scene, index: number): number {
  const radius =
    (SMALL + (LARGE - SMALL) * shareOf(scene, index)) *
    Math.min(1.5, Math.max(0.6, Math.sqrt(scene.port.scale)));
  return scene.graph.nodes[index]!.rank === null ? radius : Math.max(NUMBERED, radius);
}

export type Canvas = CanvasRenderingContext2D;
