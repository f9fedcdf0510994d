// Draws the graph on a canvas.

import { SECTIONS } from "../../app/format.ts";
import type { GraphNode, Neighbourhood } from "../../memory/spread.ts";
import { colour, tokenOf } from "../../parts/colours.ts";
import type { Place } from "./layout.ts";
import type { Size, ViewPort } from "./view-port.ts";

/** What a picture shows. */
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
}

/** The colours of the theme. */
export interface Palette {
  sections: Record<string, string>;
  ground: string;
  ink: string;
  soft: string;
  link: string;
  thread: string;
  font: string;
}

export const paletteOf = (): Palette => ({
  sections: Object.fromEntries(SECTIONS.map((section) => [section, colour(tokenOf(section))])),
  ground: colour("surface"),
  ink: colour("ink"),
  soft: colour("soft"),
  link: colour("line-strong"),
  thread: colour("g-around"),
  font: getComputedStyle(document.body).fontFamily,
});

const [SMALL, LARGE] = [3.5, 16];
const LONGEST = 26;
/** Nodes that a label may cover. */
const MOST_COVERED = 3;

/** Returns the share of the largest activation, so that small ones are still seen. */
const shareOf = ({ activation, largest }: Scene, index: number): number =>
  (activation[index]! / largest) ** 0.45;

/** Returns the radius of a node on the canvas. It grows with the picture, but less. */
export const radiusOf = (scene: Scene, index: number): number =>
  (SMALL + (LARGE - SMALL) * shareOf(scene, index)) *
  Math.min(1.5, Math.max(0.6, Math.sqrt(scene.port.scale)));

type Canvas = CanvasRenderingContext2D;

export function draw(canvas: Canvas, scene: Scene, palette: Palette): void {
  const { graph, places, port, size, picked } = scene;
  const ratio = devicePixelRatio;
  canvas.setTransform(ratio, 0, 0, ratio, 0, 0);
  canvas.clearRect(0, 0, size.width, size.height);
  const at = places.map(({ x, y }) => ({
    x: x * port.scale + port.left,
    y: y * port.scale + port.top,
  }));
  drawThreads(canvas, scene, at, palette);
  drawLinks(canvas, scene, at, palette);
  for (const [index, node] of graph.nodes.entries())
    drawNode(canvas, node, radiusOf(scene, index), shareOf(scene, index), at[index]!, palette);
  drawRanks(canvas, scene, at, palette);
  if (picked !== undefined && at[picked] !== undefined) {
    ring(canvas, at[picked], radiusOf(scene, picked) + 4, palette.ink, 2);
  }
  drawLabels(canvas, scene, at, palette);
}

function drawThreads(canvas: Canvas, { graph, picked }: Scene, at: Place[], palette: Palette) {
  canvas.strokeStyle = palette.thread;
  canvas.lineJoin = "round";
  for (const { nodes } of graph.threads) {
    const isPicked = picked !== undefined && nodes.includes(picked);
    canvas.globalAlpha = isPicked ? 0.95 : 0.5;
    canvas.lineWidth = isPicked ? 3 : 1.8;
    canvas.setLineDash([1, 4]);
    canvas.lineCap = "round";
    canvas.beginPath();
    for (const [place, node] of nodes.entries()) {
      const { x, y } = at[node]!;
      if (place === 0) canvas.moveTo(x, y);
      else canvas.lineTo(x, y);
    }
    canvas.stroke();
  }
  canvas.setLineDash([]);
  canvas.globalAlpha = 1;
}

function drawLinks(canvas: Canvas, scene: Scene, at: Place[], palette: Palette) {
  const { graph, picked } = scene;
  for (const { source, target } of graph.links) {
    const isPicked = picked === source || picked === target;
    // A link is as strong as the weaker of its ends: activation passes over it.
    const carried = Math.min(shareOf(scene, source), shareOf(scene, target));
    canvas.globalAlpha = isPicked ? 1 : 0.16 + 0.5 * carried;
    canvas.strokeStyle = isPicked ? palette.ink : palette.link;
    canvas.lineWidth = isPicked ? 1.6 : 0.8 + 1.4 * carried;
    canvas.beginPath();
    canvas.moveTo(at[source]!.x, at[source]!.y);
    canvas.lineTo(at[target]!.x, at[target]!.y);
    canvas.stroke();
  }
  canvas.globalAlpha = 1;
}

function drawNode(
  canvas: Canvas,
  { card }: GraphNode,
  radius: number,
  share: number,
  at: Place,
  palette: Palette,
) {
  const own = palette.sections[card.section]!;
  if (share > 0) {
    const reach = radius * 2.4;
    const glow = canvas.createRadialGradient(at.x, at.y, radius * 0.6, at.x, at.y, reach);
    glow.addColorStop(0, own);
    glow.addColorStop(1, "transparent");
    canvas.globalAlpha = 0.26 * share;
    canvas.fillStyle = glow;
    disc(canvas, at, reach);
    canvas.globalAlpha = 1;
  }
  canvas.fillStyle = share > 0 ? own : palette.ground;
  disc(canvas, at, radius);
  if (share === 0) ring(canvas, at, radius, own, 1.3);
}

function disc(canvas: Canvas, { x, y }: Place, radius: number) {
  canvas.beginPath();
  canvas.arc(x, y, radius, 0, 2 * Math.PI);
  canvas.fill();
}

function ring(canvas: Canvas, { x, y }: Place, radius: number, stroke: string, width: number) {
  canvas.strokeStyle = stroke;
  canvas.lineWidth = width;
  canvas.beginPath();
  canvas.arc(x, y, radius, 0, 2 * Math.PI);
  canvas.stroke();
}

/** Writes the place of each answer into its node, if there is room. */
function drawRanks(canvas: Canvas, scene: Scene, at: Place[], palette: Palette) {
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  canvas.fillStyle = palette.ground;
  for (const [index, { rank }] of scene.graph.nodes.entries()) {
    const radius = radiusOf(scene, index);
    if (rank === null || radius < 6) continue;
    canvas.font = `600 ${Math.min(13, radius * 1.15)}px ${palette.font}`;
    canvas.fillText(String(rank), at[index]!.x, at[index]!.y + 0.5);
  }
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Writes titles beside the answers and the picked node, where they cover least, if at all. */
function drawLabels(canvas: Canvas, scene: Scene, at: Place[], palette: Palette) {
  const { graph, picked, size } = scene;
  canvas.font = `12px ${palette.font}`;
  canvas.textBaseline = "middle";
  canvas.textAlign = "left";
  canvas.lineJoin = "round";
  const taken: Box[] = graph.nodes.map((_, index) => boxAround(at[index]!, radiusOf(scene, index)));
  const named = graph.nodes.flatMap(({ rank }, index) =>
    rank !== null || index === picked ? index : [],
  );
  named.sort((a, b) => Number(b === picked) - Number(a === picked));
  for (const index of named) {
    const { card } = graph.nodes[index]!;
    const text = nameOf(card.title === "" ? card.text : card.title);
    const width = canvas.measureText(text).width;
    const away = radiusOf(scene, index) + 6;
    const { x, y } = at[index]!;
    const spots = [
      [x + away, y],
      [x - away - width, y],
      [x - width / 2, y - away - 5],
      [x - width / 2, y + away + 5],
    ].map(([left, middle]) => ({
      left: left!,
      top: middle! - 8,
      right: left! + width,
      bottom: middle! + 8,
    }));
    const inside = spots.filter((box) => box.left > 2 && box.right < size.width - 2);
    const nodes = taken.slice(0, graph.nodes.length);
    const labels = taken.slice(graph.nodes.length);
    const covered = (box: Box) => nodes.filter((other) => overlaps(box, other)).length;
    const isFree = (box: Box) => !labels.some((other) => overlaps(box, other));
    const best = inside
      .filter((box) => index === picked || (isFree(box) && covered(box) <= MOST_COVERED))
      .sort((a, b) => covered(a) - covered(b))[0];
    if (best === undefined) continue;
    taken.push(best);
    canvas.strokeStyle = palette.ground;
    canvas.lineWidth = 4;
    canvas.strokeText(text, best.left, (best.top + best.bottom) / 2);
    canvas.fillStyle = index === picked ? palette.ink : palette.soft;
    canvas.fillText(text, best.left, (best.top + best.bottom) / 2);
  }
}

const boxAround = ({ x, y }: Place, radius: number): Box => ({
  left: x - radius,
  top: y - radius,
  right: x + radius,
  bottom: y + radius,
});

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const nameOf = (title: string): string =>
  title.length <= LONGEST ? title : `${title.slice(0, LONGEST - 1).trimEnd()}…`;
