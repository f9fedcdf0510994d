// Draws the graph on a canvas.

import type { GraphNode } from "../../memory/spread.ts";
import { drawLabels } from "./labels.ts";
import type { Place } from "./layout.ts";
import { type Canvas, type Palette, radiusOf, type Scene, shareOf } from "./scene.ts";

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
  drawAlike(canvas, scene, at, palette);
  drawLinks(canvas, scene, at, palette);
  for (const [index, node] of graph.nodes.entries())
    drawNode(canvas, node, radiusOf(scene, index), shareOf(scene, index), at[index]!, palette);
  drawRanks(canvas, scene, at, palette);
  if (picked !== undefined && at[picked] !== undefined) {
    ring(canvas, at[picked], radiusOf(scene, picked) + 4, palette.ink, 2);
  }
  drawLabels(canvas, scene, at, palette);
}

function drawThreads(canvas: Canvas, scene: Scene, at: Place[], palette: Palette) {
  const { graph, picked, pointed } = scene;
  canvas.strokeStyle = palette.thread;
  canvas.lineJoin = "round";
  for (const { nodes } of graph.threads) {
    const isPicked = nodes.some((node) => node === picked || node === pointed);
    canvas.globalAlpha = isPicked ? 1 : 0.6;
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

function drawAlike(canvas: Canvas, scene: Scene, at: Place[], palette: Palette) {
  const { graph, picked, pointed } = scene;
  canvas.setLineDash([6, 5]);
  for (const { source, target } of graph.alike) {
    const isPicked = [picked, pointed].some((node) => node === source || node === target);
    canvas.globalAlpha = isPicked ? 1 : 0.55;
    canvas.strokeStyle = isPicked ? palette.ink : palette.link;
    canvas.lineWidth = isPicked ? 1.6 : 1;
    canvas.beginPath();
    canvas.moveTo(at[source]!.x, at[source]!.y);
    canvas.lineTo(at[target]!.x, at[target]!.y);
    canvas.stroke();
  }
  canvas.setLineDash([]);
  canvas.globalAlpha = 1;
}

function drawLinks(canvas: Canvas, scene: Scene, at: Place[], palette: Palette) {
  const { graph, picked, pointed } = scene;
  for (const { source, target } of graph.links) {
    const isPicked = [picked, pointed].some((node) => node === source || node === target);
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

/** Writes the place of each answer into its node. */
function drawRanks(canvas: Canvas, scene: Scene, at: Place[], palette: Palette) {
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  canvas.fillStyle = palette.ground;
  for (const [index, { rank }] of scene.graph.nodes.entries()) {
    const radius = radiusOf(scene, index);
    if (rank === null) continue;
    canvas.font = `600 ${Math.min(13, radius * (rank < 10 ? 1.25 : 1.05))}px ${palette.font}`;
    canvas.fillText(String(rank), at[index]!.x, at[index]!.y + 0.5);
  }
}
