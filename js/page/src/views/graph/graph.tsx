// Graph: the neighbourhood of the answers, and how activation spreads from them.

import { useMemo, useRef } from "preact/hooks";
import { memoryName, param, question } from "../../app/address.ts";
import { count, percent, SECTION_NAMES, SECTIONS } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import type { GraphNode, Neighbourhood } from "../../memory/spread.ts";
import { MemoryCard } from "../../parts/card.tsx";
import { QuestionLine } from "../../parts/question-line.tsx";
import { suggestionsFor } from "../ask/suggestions.ts";
import { GraphCanvas } from "./canvas.tsx";

const HOPS = ["0", "1", "2", "3"];
const SHORT = 64;
/** Joined memories that are listed, the most active first. */
const MOST_JOINED = 12;

const hop = param("hop", "3");
const node = param("node", "");

const asked = (): string =>
  (question.value === "" ? suggestionsFor(memoryName.value)[0] : question.value) ?? "";

export default function Graph() {
  const found = useLive(() => {
    const text = asked();
    return text.trim() === "" ? undefined : () => memory.neighbourhood(text);
  });
  const { value, error } = found.value;
  return (
    <div class="graph-view">
      <header>
        <h1>Graph</h1>
        <p class="lead">
          The first answers to a question, and the memories around them. Activation starts at the
          answers and passes over links, hop by hop; threads join memories of one run in order of
          time.
        </p>
      </header>
      <QuestionLine usual={asked() === "" ? "Ask the memory …" : asked()} />
      {error === undefined ? null : (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {value === undefined ? null : value.nodes.length === 0 ? (
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
  const active = graph.nodes.filter(({ activation }) => activation[hops]! > 0).length;
  return (
    <>
      <Hops graph={graph} hops={hops} />
      <div class="graph-parts">
        <div class="graph-picture">
          <GraphCanvas
            graph={graph}
            hop={hops}
            picked={picked}
            onPick={pick}
            label={`Graph of ${graph.nodes.length} memories, of which ${active} are active after ${hops} hops. The list beside it has the same memories. Plus and minus zoom, arrows move, 0 shows all.`}
          />
          <Legend />
        </div>
        <div class="graph-list">
          <h2 id="graph-list">{count(graph.nodes.length)} memories</h2>
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
                  <span class="amount">{amountOf(item, hops)}</span>
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

/** The hops, and what they mean. */
function Hops({ graph, hops }: { graph: Neighbourhood; hops: number }) {
  const { hasLinks, reached, nodes, hopDecay } = graph;
  if (!hasLinks)
    return (
      <p class="note">
        This memory has no links between memories, so that activation stays where it starts. Its
        runs (conversations, days, projects) are the threads.
      </p>
    );
  const active = (at: number) => nodes.filter(({ activation }) => activation[at]! > 0).length;
  const left = nodes.filter(({ activation }) => activation.at(-1)! > 0).length;
  return (
    <div class="hops">
      <fieldset class="switch">
        <legend>Hops</legend>
        {HOPS.map((value, at) => (
          <label key={value}>
            <input
              type="radio"
              name="hop"
              checked={at === hops}
              onChange={() => hop.set(value)}
              aria-label={
                at === 0 ? "0: the answers alone" : `After ${at} ${at === 1 ? "hop" : "hops"}`
              }
            />
            <span>{value}</span>
          </label>
        ))}
      </fieldset>
      <p class="note" role="status">
        {active(hops)} memories are active. The first answer starts with 1, others in proportion to
        their probability; each link passes on {percent(hopDecay)} of what arrives, times its
        weight.
        {reached > left ? ` ${count(reached - left)} weaker ones are not shown.` : ""}
      </p>
    </div>
  );
}

function Legend() {
  return (
    <ul class="key" aria-label="Legend">
      {SECTIONS.map((section) => (
        <li key={section} class={`section s-${section}`}>
          {SECTION_NAMES[section]}
        </li>
      ))}
      <li class="line">link</li>
      <li class="line thread">run, in order of time</li>
      <li class="quiet">larger: more activation; hollow: none</li>
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
        <p class="quiet">{placeOf(item, hops)}</p>
        <MemoryCard card={item.card} isShort={false} />
      </div>
      {neighbours.length === 0 ? (
        <p class="quiet">It is joined with no other memory that is shown.</p>
      ) : (
        <ul aria-label="Joined with">
          {neighbours.slice(0, MOST_JOINED).map(({ how, other }) => (
            <li key={`${how} ${other}`}>
              <span class="quiet">{how}</span>{" "}
              <button type="button" class="more" onClick={() => onPick(other)}>
                {titleOf(graph.nodes[other]!)}
              </button>
            </li>
          ))}
          {neighbours.length > MOST_JOINED ? (
            <li class="quiet">and {neighbours.length - MOST_JOINED} more</li>
          ) : null}
        </ul>
      )}
    </section>
  );
}

/** Returns the links and threads of a node, in words. */
function joinedWith({ nodes, links, threads }: Neighbourhood, place: number) {
  const words = (type: string) => type.replaceAll("_", " ");
  const over = links.flatMap(({ source, target, type }) => {
    if (source === place) return { how: `${words(type)} →`, other: target };
    return target === place ? { how: `← ${words(type)}`, other: source } : [];
  });
  const along = threads.flatMap(({ nodes: members }) => {
    const at = members.indexOf(place);
    if (at < 0) return [];
    return [
      { how: "before, in its run", other: members[at - 1] },
      { how: "after, in its run", other: members[at + 1] },
    ].flatMap(({ how, other }) => (other === undefined ? [] : { how, other }));
  });
  const amount = (other: number) => nodes[other]!.activation.at(-1)!;
  over.sort((a, b) => amount(b.other) - amount(a.other));
  return [...along, ...over];
}

function titleOf({ card: { title, text } }: GraphNode): string {
  const name = title === "" ? text : title;
  return name.length <= SHORT ? name : `${name.slice(0, name.lastIndexOf(" ", SHORT))} …`;
}

const amountOf = ({ activation }: GraphNode, hops: number): string =>
  activation[hops]! > 0 ? activation[hops]!.toFixed(2) : "–";

function placeOf({ rank, score, activation, hop: first }: GraphNode, hops: number): string {
  const amount = activation[hops]!;
  const answer = rank === null ? "" : `Answer ${rank}, ${percent(score!)}. `;
  if (amount > 0)
    return `${answer}Activation ${amount.toFixed(2)} after ${hops} ${hops === 1 ? "hop" : "hops"}.`;
  if (first !== null) return `${answer}Activation arrives at hop ${first}.`;
  return `${answer}No activation: it is of the same run as an answer.`;
}
