// Graph: the neighbourhood of the answers, and how activation spreads from them.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { param } from "../../app/address.ts";
import { count, counted, percent, SECTION_NAMES, SECTIONS } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import { shortened } from "../../memory/records.ts";
import type { GraphNode, Neighbourhood } from "../../memory/spread.ts";
import { MemoryCard } from "../../parts/card.tsx";
import { Waiting } from "../../parts/loading.tsx";
import { QuestionLine } from "../../parts/question-line.tsx";
import { askedQuestion } from "../ask/suggestions.ts";
import { GraphCanvas } from "./canvas.tsx";

const HOPS = ["0", "1", "2", "3"];
const SHORT = 64;
/** How long a hop is shown while the hops play, in milliseconds. */
const PAUSE = 1_400;
/** Joined memories that are listed, the most active first. */
const MAX_JOINED = 12;

const hop = param("hop", "3");
const node = param("node", "");

export default function Graph() {
  const found = useLive(() => {
    const text = askedQuestion();
    return text.trim() === "" ? undefined : () => memory.neighbourhood({ question: text });
  });
  const { value, error } = found.value;
  return (
    <div class="graph-view">
      <header>
        <h1>Graph</h1>
        <p class="lead">
          The first answers to a question, and the memories around them: joined by links, by order
          of time, or by nearness.
        </p>
      </header>
      <QuestionLine default={askedQuestion() === "" ? "Ask the memory …" : askedQuestion()} />
      {error === undefined ? null : (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {value === undefined ? (
        <Waiting isFor={error === undefined && askedQuestion().trim() !== ""} />
      ) : value.nodes.length === 0 ? (
        <p class="quiet">Nothing in this memory has to do with the question.</p>
      ) : (
        <Around graph={value} />
      )}
    </div>
  );
}

function Around({ graph }: { graph: Neighbourhood }) {
  const hops = HOPS.includes(hop.value) ? Number(hop.value) : HOPS.length - 1;
  const place = graph.nodes.findIndex(({ card }) => card.id === node.value);
  const picked = place < 0 ? undefined : place;
  const list = useRef<HTMLOListElement>(null);
  const pick = (index: number | undefined) => {
    node.set(index === undefined ? "" : graph.nodes[index]!.card.id);
    const item = list.current?.children[index ?? -1];
    item?.scrollIntoView({ block: "nearest" });
  };
  return (
    <>
      {graph.hasLinks ? <Hops graph={graph} hops={hops} /> : <WithoutLinks graph={graph} />}
      <div class="graph-parts">
        <div class="graph-picture">
          <GraphCanvas
            graph={graph}
            hop={hops}
            picked={picked}
            onPick={pick}
            label={`Graph of ${counted(graph.nodes.length, "memory", "memories")}, ${activeIn(graph, hops)} active. The list has the same memories. Plus and minus zoom, arrows move, 0 shows all.`}
          />
          <Legend graph={graph} />
        </div>
        <div class="graph-list">
          <h2 id="graph-list">{counted(graph.nodes.length, "memory", "memories")}</h2>
          <p class="note">{orderOf(graph)}</p>
          <p class="heads" aria-hidden="true">
            <span>Memory</span>
            <span>{graph.hasLinks ? "Activation" : "Probability"}</span>
          </p>
          <ol ref={list} aria-labelledby="graph-list">
            {graph.nodes.map((item, index) => (
              <li key={item.card.id}>
                <button
                  type="button"
                  aria-pressed={index === picked}
                  onFocus={() => node.set(item.card.id)}
                  onClick={() => node.set(item.card.id)}
                >
                  <span class={`section s-${item.card.section}`}>
                    <span class="hidden">{SECTION_NAMES[item.card.section]}: </span>
                  </span>
                  <span class="name">
                    {item.rank === null ? "" : `${item.rank}. `}
                    {titleOf(item)}
                  </span>
                  <span class="hidden">
                    {graph.hasLinks ? ", activation " : item.score === null ? "" : ", probability "}
                  </span>
                  <span class="amount">{amountOf(graph, item, hops)}</span>
                </button>
              </li>
            ))}
          </ol>
        </div>
      </div>
      {picked === undefined ? (
        <p class="quiet">
          Choose a memory in the list or in the picture to see its text and links.
        </p>
      ) : (
        <Picked graph={graph} place={picked} hops={hops} onPick={pick} />
      )}
    </>
  );
}

const activeIn = ({ nodes }: Neighbourhood, hops: number): number =>
  nodes.filter(({ activation }) => activation[hops]! > 0).length;

/** Says in which order the list is. */
function orderOf({ nodes, hasLinks }: Neighbourhood): string {
  const answers = nodes.filter(({ rank }) => rank !== null).length;
  const first = answers === 1 ? "The answer comes first." : `The ${answers} answers come first.`;
  if (answers === nodes.length) return first;
  return hasLinks
    ? `${first} The others follow by their activation after ${HOPS.at(-1)} hops.`
    : `${first} Memories like them follow, then those of the same runs.`;
}

/** The hops and their meaning. */
function Hops({ graph, hops }: { graph: Neighbourhood; hops: number }) {
  const { reached, hopDecay } = graph;
  const [isPlaying, setPlaying] = useState(false);
  const last = HOPS.length - 1;
  useEffect(() => {
    if (!isPlaying) return;
    if (hops === last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => hop.set(HOPS[hops + 1]!), PAUSE);
    return () => clearTimeout(timer);
  }, [isPlaying, hops]);
  const play = () => {
    if (!isPlaying && hops === last) hop.set(HOPS[0]!);
    setPlaying(!isPlaying);
  };
  return (
    <div class="hops">
      <button type="button" class="primary" onClick={play}>
        {isPlaying ? "Pause" : "Play"}
        <span class="hidden"> the hops</span>
      </button>
      <fieldset class="switch">
        <legend>Hops</legend>
        {HOPS.map((value, at) => (
          <label key={value}>
            <input
              type="radio"
              name="hop"
              checked={at === hops}
              onChange={() => {
                setPlaying(false);
                hop.set(value);
              }}
              aria-label={
                at === 0 ? "0: the answers alone" : `After ${at} ${at === 1 ? "hop" : "hops"}`
              }
            />
            <span>{value}</span>
          </label>
        ))}
      </fieldset>
      <div class="told">
        <p class="reach" role="status">
          {reachOf(hops, reached[hops]!, activeIn(graph, hops))}
        </p>
        <p class="note">
          Activation starts with 1 at the first answer, and with less at the others. A link passes
          on {percent(hopDecay)} of it, times its weight. Activation adds up: more than 1 arrives
          where many links meet.
        </p>
      </div>
    </div>
  );
}

/** Says how far activation has come after some hops. */
function reachOf(hops: number, reached: number, shown: number): string {
  const when = hops === 0 ? "At the start" : `After ${hops} ${hops === 1 ? "hop" : "hops"}`;
  const are = reached === 1 ? "memory is" : "memories are";
  const hidden = reached - shown;
  const rest =
    hidden <= 0 ? "" : ` The picture leaves out ${count(hidden)} of them that stay weaker.`;
  return `${when}, ${count(reached)} ${are} active.${rest}`;
}

/** Explains a picture without links. */
function WithoutLinks({ graph: { threads, alike } }: { graph: Neighbourhood }) {
  return (
    <p class="note">
      No links lead from these answers to other memories, so that there are no hops.{" "}
      {threads.length === 0 ? "" : "Dotted threads join the memories of a run. "}
      {alike.length === 0 ? "" : "Dashed lines join each answer with the memories nearest to it."}
    </p>
  );
}

/** Names the elements of the picture that are shown. */
function Legend({ graph }: { graph: Neighbourhood }) {
  const { nodes, links, threads, alike, hasLinks } = graph;
  const shown = SECTIONS.filter((section) => nodes.some(({ card }) => card.section === section));
  return (
    <ul class="key" aria-label="Legend">
      {shown.map((section) => (
        <li key={section} class={`section s-${section}`}>
          {SECTION_NAMES[section]}
        </li>
      ))}
      {links.length === 0 ? null : <li class="line">link</li>}
      {threads.length === 0 ? null : <li class="line thread">run, in order of time</li>}
      {alike.length === 0 ? null : (
        <li class="line dashed">nearest by words and meaning: no link</li>
      )}
      <li>number: place among the answers</li>
      <li>
        {hasLinks
          ? "larger: more activation; hollow: none"
          : "larger: more probable; hollow: no answer"}
      </li>
    </ul>
  );
}

interface PickedProps {
  graph: Neighbourhood;
  place: number;
  hops: number;
  onPick: (index: number) => void;
}

/** The memory that is picked out, with the memories that it is joined with. */
function Picked({ graph, place, hops, onPick }: PickedProps) {
  const item = graph.nodes[place]!;
  const neighbours = useMemo(() => joinedWith(graph, place), [graph, place]);
  return (
    <section class={`picked s-${item.card.section}`} aria-label="The chosen memory">
      <div>
        <p class="quiet">{placeOf(graph, item, hops)}</p>
        <MemoryCard card={item.card} isShort={false} />
      </div>
      {neighbours.length === 0 ? (
        <p class="quiet">It is joined with no other memory that is shown.</p>
      ) : (
        <ul aria-label="Joined with">
          {neighbours.slice(0, MAX_JOINED).map(({ how, other }) => (
            <li key={`${how} ${other}`}>
              <span class="quiet">{how}</span>{" "}
              <button type="button" class="more" onClick={() => onPick(other)}>
                {titleOf(graph.nodes[other]!)}
              </button>
            </li>
          ))}
          {neighbours.length > MAX_JOINED ? (
            <li class="quiet">and {neighbours.length - MAX_JOINED} more</li>
          ) : null}
        </ul>
      )}
    </section>
  );
}

/** Returns the links, threads and likenesses of a node, in words. */
function joinedWith({ nodes, links, threads, alike }: Neighbourhood, place: number) {
  const words = (type: string) => type.replaceAll("_", " ");
  const over = links.flatMap(({ source, target, type }) => {
    if (source === place) return { how: `${words(type)} →`, other: target };
    return target === place ? { how: `← ${words(type)}`, other: source } : [];
  });
  const along = threads.flatMap(({ name, nodes: members }) => {
    const at = members.indexOf(place);
    if (at < 0) return [];
    const run = name === "" ? "in its run" : `in ${name}`;
    return [
      { how: `before, ${run}`, other: members[at - 1] },
      { how: `after, ${run}`, other: members[at + 1] },
    ].flatMap(({ how, other }) => (other === undefined ? [] : { how, other }));
  });
  const like = alike.flatMap(({ source, target }) => {
    if (source !== place && target !== place) return [];
    return { how: "near", other: source === place ? target : source };
  });
  const amount = (other: number) => nodes[other]!.activation.at(-1)!;
  over.sort((a, b) => amount(b.other) - amount(a.other));
  return [...along, ...like, ...over];
}

const titleOf = ({ card: { title, text } }: GraphNode): string => shortened(title || text, SHORT);

function amountOf({ hasLinks }: Neighbourhood, node: GraphNode, hops: number): string {
  if (!hasLinks) return node.score === null ? "–" : percent(node.score);
  return node.activation[hops]! > 0 ? node.activation[hops]!.toFixed(2) : "–";
}

/** Says why a memory is shown. */
function placeOf(graph: Neighbourhood, node: GraphNode, hops: number): string {
  const { rank, score, activation, hop: first } = node;
  const answer = rank === null ? "" : `Answer ${rank}, with a probability of ${percent(score!)}.`;
  const index = graph.nodes.indexOf(node);
  const isAlike = graph.alike.some(({ target }) => target === index);
  const beside = isAlike ? "It is near an answer." : "It is of the same run as an answer.";
  if (!graph.hasLinks) return answer === "" ? beside : answer;
  const amount = activation[hops]!;
  const when = hops === 0 ? "at the start" : `after ${hops} ${hops === 1 ? "hop" : "hops"}`;
  if (amount > 0) return `${answer} Activation ${when}: ${amount.toFixed(2)}.`;
  if (first !== null) return `${answer} Activation arrives at hop ${first}.`;
  return `${answer} Activation does not reach it. ${beside}`;
}
