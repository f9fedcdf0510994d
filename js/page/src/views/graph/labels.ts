// Titles beside the nodes of the graph, and names of runs on their threads.
//
// A label stands in the nearest free spot around its node, on no node and on no other label. If the
// spot is not beside the node, a line joins them. A node without a free spot has no label, unless
// it is picked or under the mouse. Cost: labels · spots · nodes, some hundred thousand comparisons
// for a picture.

import { byImportance, type Place } from "./layout.ts";
import { type Canvas, type Palette, radiusOf, type Scene } from "./scene.ts";
import type { Size } from "./view-port.ts";

const FONT_SIZE = 12;
const LINE = 14.5;
/** The longest line, in pixels; the second value for narrow pictures. */
const [LONGEST, LONGEST_NARROW] = [150, 112];
const NARROW = 480;
const MAX_LINES = 2;
/** Pixels of the picture for each label, and how many there are at least. */
const AREA = 24_000;
const MIN = 6;
/** Where a label may stand: angles from the right, clockwise, and distances to the node. */
const ANGLES = [0, 4, 2, 6, 1, 3, 7, 5].map((eighth) => (eighth * Math.PI) / 4);
const DISTANCES = [5, 14, 26, 42];
/** And of the most important ones, which may need to reach out of a crowd. */
const FARTHER = [...DISTANCES, 62, 84, 108, 134];
const IMPORTANT = 6;
/** Names of runs in a picture, those with the most nodes first. */
const MAX_RUNS = 6;
/** From this distance on a line joins label and node. */
const FAR = 10;
/** The buttons that stand over the picture. */
const BUTTONS = { width: 140, height: 48 };

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Spot extends Box {
  distance: number;
}

/** A label that looks for a spot. */
interface Wanted {
  width: number;
  height: number;
  distances: readonly number[];
}

/** Writes titles beside the nodes: the picked one, the first answers, and the most active ones. */
export function drawLabels(canvas: Canvas, scene: Scene, at: Place[], palette: Palette): void {
  const { graph, picked, pointed, size } = scene;
  canvas.font = `${FONT_SIZE}px ${palette.font}`;
  canvas.textBaseline = "middle";
  canvas.lineJoin = "round";
  const nodes = graph.nodes.map((_, index) => boxAround(at[index]!, radiusOf(scene, index) + 1));
  const labels: Box[] = [
    {
      left: size.width - BUTTONS.width,
      top: size.height - BUTTONS.height,
      right: size.width,
      bottom: size.height,
    },
  ];
  const longest = size.width < NARROW ? LONGEST_NARROW : LONGEST;
  const max = Math.max(MIN, Math.floor((size.width * size.height) / AREA));
  for (const [place, index] of inOrder(scene).slice(0, max).entries()) {
    const isChosen = index === picked || index === pointed;
    const { card } = graph.nodes[index]!;
    const lines = linesOf(canvas, card.title === "" ? card.text : card.title, longest);
    if (isChosen) for (const name of runsOf(scene, index)) lines.push(cut(canvas, name, longest));
    const width = Math.max(...lines.map((line) => canvas.measureText(line).width));
    const spots = spotsAround(at[index]!, radiusOf(scene, index), {
      width,
      height: lines.length * LINE,
      distances: place < IMPORTANT ? FARTHER : DISTANCES,
    });
    const inside = spots.filter((box) => isInside(box, size));
    const covered = (box: Box) => nodes.filter((other) => overlaps(box, other)).length;
    const isFree = (box: Box) => !labels.some((other) => overlaps(box, other));
    const spot =
      inside.find((box) => isFree(box) && covered(box) === 0) ??
      (isChosen ? inside.sort((a, b) => covered(a) - covered(b))[0] : undefined);
    if (spot === undefined) continue;
    labels.push(spot);
    write(canvas, lines, spot, at[index]!, radiusOf(scene, index), palette, isChosen);
  }
  nameThreads(canvas, scene, at, palette, [...labels, ...nodes]);
}

/** Writes names of runs on the longest stretch of their threads, where nothing else stands. */
function nameThreads(
  canvas: Canvas,
  { graph, size }: Scene,
  at: Place[],
  palette: Palette,
  taken: Box[],
): void {
  canvas.font = `italic ${FONT_SIZE - 1}px ${palette.font}`;
  canvas.textAlign = "center";
  const longest = size.width < NARROW ? LONGEST_NARROW : LONGEST;
  const named = graph.threads.filter(({ name }) => name !== "");
  named.sort((a, b) => b.nodes.length - a.nodes.length);
  for (const { name, nodes } of named.slice(0, MAX_RUNS)) {
    const text = cut(canvas, name, longest);
    const width = canvas.measureText(text).width;
    const spot = stretchesOf(nodes.map((node) => at[node]!))
      .map(({ x, y }) => ({
        ...{ left: x - width / 2, right: x + width / 2 },
        ...{ top: y - LINE / 2, bottom: y + LINE / 2 },
      }))
      .find((box) => isInside(box, size) && !taken.some((other) => overlaps(box, other)));
    if (spot === undefined) continue;
    taken.push(spot);
    canvas.fillStyle = palette.ground;
    canvas.fillRect(spot.left - 2, spot.top, width + 4, LINE);
    canvas.fillStyle = palette.soft;
    canvas.fillText(text, spot.left + width / 2, spot.top + LINE / 2);
  }
}

/** Returns the middles of the stretches between places, that of the longest first. */
function stretchesOf(places: readonly Place[]): Place[] {
  return places
    .slice(1)
    .map(({ x, y }, before) => {
      const from = places[before]!;
      const length = Math.hypot(x - from.x, y - from.y);
      return { x: (x + from.x) / 2, y: (y + from.y) / 2, length };
    })
    .sort((a, b) => b.length - a.length);
}

/**
 * Returns the nodes in the order in which they get a label: chosen ones, then as `byImportance`.
 */
function inOrder({ graph, picked, pointed }: Scene): number[] {
  const first = (index: number) => (index === pointed ? 2 : index === picked ? 1 : 0);
  return byImportance(graph).sort((a, b) => first(b) - first(a));
}

/** Returns the names of the runs of a node. */
const runsOf = ({ graph }: Scene, index: number): string[] =>
  graph.threads.flatMap(({ name, nodes }) =>
    nodes.includes(index) && name !== "" ? `run: ${name}` : [],
  );

function write(
  canvas: Canvas,
  lines: readonly string[],
  spot: Spot,
  node: Place,
  radius: number,
  palette: Palette,
  isChosen: boolean,
) {
  const near = {
    x: Math.min(Math.max(node.x, spot.left), spot.right),
    y: Math.min(Math.max(node.y, spot.top), spot.bottom),
  };
  if (spot.distance > FAR) {
    const away = Math.hypot(near.x - node.x, near.y - node.y);
    canvas.strokeStyle = palette.soft;
    canvas.lineWidth = 0.8;
    canvas.beginPath();
    canvas.moveTo(
      node.x + ((near.x - node.x) * radius) / away,
      node.y + ((near.y - node.y) * radius) / away,
    );
    canvas.lineTo(near.x, near.y);
    canvas.stroke();
  }
  const isRight = spot.left >= node.x;
  const isLeft = spot.right <= node.x;
  canvas.textAlign = isRight ? "left" : isLeft ? "right" : "center";
  const x = isRight ? spot.left : isLeft ? spot.right : (spot.left + spot.right) / 2;
  canvas.strokeStyle = palette.ground;
  canvas.lineWidth = 3.5;
  canvas.fillStyle = isChosen ? palette.ink : palette.label;
  for (const [place, line] of lines.entries()) {
    const y = spot.top + (place + 0.5) * LINE;
    canvas.strokeText(line, x, y);
    canvas.fillText(line, x, y);
  }
}

/** Returns where a label of a size may stand, the nearest first. */
function spotsAround({ x, y }: Place, radius: number, label: Wanted): Spot[] {
  const { width, height, distances } = label;
  return distances.flatMap((distance) =>
    ANGLES.map((angle) => {
      const away = radius + distance;
      // Of a circle, so that a label beside the node stands as near as one above it.
      const left = x + Math.cos(angle) * away + ((Math.cos(angle) - 1) / 2) * width;
      const top = y + Math.sin(angle) * away + ((Math.sin(angle) - 1) / 2) * height;
      return { left, top, right: left + width, bottom: top + height, distance };
    }),
  );
}

/** Lines of titles that were measured: a picture in motion needs them with each frame. */
const measured = new Map<string, string[]>();
const MAX_MEASURED = 1_000;

/** Returns a title in lines, as `wrapped`. */
function linesOf(canvas: Canvas, title: string, longest: number): string[] {
  const key = `${longest} ${canvas.font} ${title}`;
  let lines = measured.get(key);
  if (lines === undefined) {
    if (measured.size >= MAX_MEASURED) measured.clear();
    lines = wrapped(canvas, title, longest);
    measured.set(key, lines);
  }
  return [...lines];
}

/** Returns a title in lines. Words that do not fit are left out. */
function wrapped(canvas: Canvas, title: string, longest: number): string[] {
  const lines: string[] = [];
  let rest = title.replaceAll(/\s+/g, " ").trim();
  while (rest !== "" && lines.length < MAX_LINES) {
    const isLast = lines.length === MAX_LINES - 1;
    const line = isLast ? cut(canvas, rest, longest) : fitting(canvas, rest, longest);
    lines.push(line);
    rest = isLast ? "" : rest.slice(line.length).trim();
  }
  return lines;
}

/** Returns the text if it fits, else as many words as fit, with an ellipsis. */
function cut(canvas: Canvas, text: string, longest: number): string {
  if (canvas.measureText(text).width <= longest) return text;
  return `${fitting(canvas, text, longest - canvas.measureText(" …").width)} …`;
}

/** Returns the first words that fit into a line. A long word is cut. */
function fitting(canvas: Canvas, text: string, longest: number): string {
  const words = text.split(" ");
  let line = words[0]!;
  while (line.length > 1 && canvas.measureText(line).width > longest) line = line.slice(0, -1);
  if (line !== words[0]) return line;
  for (const word of words.slice(1)) {
    if (canvas.measureText(`${line} ${word}`).width > longest) break;
    line = `${line} ${word}`;
  }
  return line;
}

const boxAround = ({ x, y }: Place, radius: number): Box => ({
  left: x - radius,
  top: y - radius,
  right: x + radius,
  bottom: y + radius,
});

/** Whether a box stands in the picture, a little away from its edges. */
const isInside = ({ left, top, right, bottom }: Box, { width, height }: Size): boolean =>
  left > 3 && right < width - 3 && top > 3 && bottom < height - 3;

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
