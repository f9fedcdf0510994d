// The passage for a system prompt of a general agent: what the sections of its memory hold, and how to
// read its lines. That of a trading agent is the engine's.

export const GENERAL_GUIDANCE = `## Your memory

Your memories live in one store with four sections. Every memory can come up for every question; its section only decides how it ranks and how fast it fades.

- **Episodic** holds what happened: events, parts of conversations, summaries. It fades in weeks.
- **Signals** holds what matters just now: open tasks, and states such as an outage. It fades in days.
- **Knowledge** holds what is true: facts, preferences, people, projects, decisions. It fades in months.
- **Procedural** holds how to do something: steps, rules of work. It is nearly permanent.

A line of memory ends with the day of the event ("on 3 Oct 2026, 7 weeks ago"), or with the day on which it was noted. Trust a newer line over an older one. If no line answers the question, say that you do not know.
Recalling a memory keeps it alive; what is never recalled fades, and is still found.
`;
