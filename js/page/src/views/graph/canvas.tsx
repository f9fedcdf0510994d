// The canvas: size, eased changes, pan and zoom by mouse, touch and keyboard.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { theme } from "../../app/theme.tsx";
import type { Neighbourhood } from "../../memory/spread.ts";
import { draw } from "./draw.ts";
import { layoutOf, type Place } from "./layout.ts";
import { paletteOf, radiusOf } from "./scene.ts";
import { fitting, panned, type Size, type ViewPort, zoomed } from "./view-port.ts";

/** How long activation takes to change from one hop to another. */
const EASE = 450;
const STEP = 48;
const ZOOM = 1.25;
/** How near to a node the mouse must be. */
const NEAR = 9;

interface CanvasProps {
  graph: Neighbourhood;
  hop: number;
  picked: number | undefined;
  label: string;
  onPick: (node: number | undefined) => void;
}

export function GraphCanvas({ graph, hop, picked, label, onPick }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const aspect = size.height === 0 ? 1 : Math.round((10 * size.width) / size.height) / 10;
  const places = useMemo(() => layoutOf(graph, aspect), [graph, aspect]);
  const [pointed, setPointed] = useState<number>();
  const [chosen, setPort] = useState<ViewPort>();
  const port = chosen ?? fitting(places, size);
  const activation = useEased(graph, hop);
  const largest = useMemo(
    () => Math.max(1, ...graph.nodes.flatMap((node) => node.activation)),
    [graph],
  );
  const scene = { graph, places, activation, largest, port, size, picked, pointed };
  const drawn = theme.value;
  const palette = useMemo(paletteOf, [drawn]);

  useEffect(() => {
    setPort(undefined);
    setPointed(undefined);
  }, [graph]);
  useLayoutEffect(() => {
    const own = canvas.current!;
    const observer = new ResizeObserver(() =>
      setSize({ width: own.clientWidth, height: own.clientHeight }),
    );
    observer.observe(own);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const own = canvas.current!;
    const [width, height] = [size.width, size.height].map((side) =>
      Math.round(side * devicePixelRatio),
    );
    if (own.width !== width || own.height !== height) [own.width, own.height] = [width!, height!];
    draw(own.getContext("2d")!, scene, palette);
  });

  const middle = { x: size.width / 2, y: size.height / 2 };
  const zoom = (factor: number, at: Place = middle) => setPort(zoomed(port, factor, at));
  const pan = (x: number, y: number) => setPort(panned(port, x, y));
  const keys: Record<string, () => void> = {
    "+": () => zoom(ZOOM),
    "=": () => zoom(ZOOM),
    "-": () => zoom(1 / ZOOM),
    "0": () => setPort(undefined),
    ArrowLeft: () => pan(STEP, 0),
    ArrowRight: () => pan(-STEP, 0),
    ArrowUp: () => pan(0, STEP),
    ArrowDown: () => pan(0, -STEP),
  };
  const drag = useRef<{ x: number; y: number; isMoved: boolean }>(null);

  // Preact listens passively to the wheel, and then the page would scroll, too.
  const onWheel = useRef<(event: WheelEvent) => void>(null);
  onWheel.current = (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas.current) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), { x: event.offsetX, y: event.offsetY });
  };
  useEffect(() => {
    const own = canvas.current!;
    const wheel = (event: WheelEvent) => onWheel.current!(event);
    own.addEventListener("wheel", wheel, { passive: false });
    return () => own.removeEventListener("wheel", wheel);
  }, []);

  const nodeAt = (x: number, y: number): number | undefined => {
    let [found, min] = [undefined as number | undefined, Infinity];
    for (const [index, place] of places.entries()) {
      const away =
        Math.hypot(place.x * port.scale + port.left - x, place.y * port.scale + port.top - y) -
        radiusOf(scene, index);
      if (away < NEAR && away < min) [found, min] = [index, away];
    }
    return found;
  };

  return (
    <div class="graph-canvas">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={label}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          act();
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, y: event.clientY, isMoved: false };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (from === null) {
            const over = nodeAt(event.offsetX, event.offsetY);
            event.currentTarget.classList.toggle("over", over !== undefined);
            setPointed(over);
            return;
          }
          const [x, y] = [event.clientX - from.x, event.clientY - from.y];
          if (!from.isMoved && Math.hypot(x, y) < 4) return;
          drag.current = { x: event.clientX, y: event.clientY, isMoved: true };
          pan(x, y);
        }}
        onPointerUp={(event) => {
          const isClick = drag.current?.isMoved === false;
          drag.current = null;
          if (isClick) onPick(nodeAt(event.offsetX, event.offsetY));
        }}
        onPointerLeave={() => setPointed(undefined)}
        onPointerCancel={() => {
          drag.current = null;
        }}
      />
      <div class="zoom">
        <button type="button" class="icon" aria-label="Zoom in" onClick={() => zoom(ZOOM)}>
          +
        </button>
        <button type="button" class="icon" aria-label="Zoom out" onClick={() => zoom(1 / ZOOM)}>
          −
        </button>
        <button
          type="button"
          class="icon fit"
          aria-label="Show all"
          onClick={() => setPort(undefined)}
        >
          All
        </button>
      </div>
    </div>
  );
}

/** Returns the activation of each node. It moves to that of the hop, unless motion is unwanted. */
function useEased(graph: Neighbourhood, hop: number): readonly number[] {
  const target = useMemo(() => graph.nodes.map((node) => node.activation[hop]!), [graph, hop]);
  const [shown, setShown] = useState(target);
  const from = useRef(target);
  useEffect(() => {
    const begin = from.current;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isStill || begin.length !== target.length) {
      from.current = target;
      setShown(target);
      return;
    }
    let frame = 0;
    const start = performance.now();
    const step = (at: number) => {
      const done = Math.min(1, Math.max(0, (at - start) / EASE));
      const share = 1 - (1 - done) ** 3;
      const now = target.map((value, index) => begin[index]! + (value - begin[index]!) * share);
      from.current = now;
      setShown(now);
      if (done < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [target]);
  return shown.length === target.length ? shown : target;
}
