// Calls each method of mem0's npm client that the server answers, and prints what they find.

import { MemoryClient } from "mem0ai";

const host = process.argv[2];
const client = new MemoryClient({ apiKey: "any", host });
const mira = { filters: { user_id: "mira" } };
const all = async () => (await client.getAll(mira)).results.map(({ memory }) => memory).sort();
await client.ping();
const said = [
  "I am allergic to walnuts.",
  "I play the cello on Sundays.",
  "I live in Graz.",
  "I drive a red van.",
];
for (const content of said) await client.add([{ role: "user", content }], { userId: "mira" });
const { results } = await client.search("Which nuts to avoid?", mira);
const [{ id }] = results;
await client.update(id, { text: "I am allergic to walnuts and cashews." });
const others = (await client.getAll(mira)).results.filter((one) => one.id !== id);
const idOf = (word) => others.find(({ memory }) => memory.includes(word)).id;
await client.batchUpdate([{ memoryId: idOf("cello"), text: "I play the cello on Mondays." }]);
await client.delete(idOf("Graz"));
await client.batchDelete([idOf("van")]);
const found = {
  read: (await client.get(id)).memory,
  history: (await client.history(id)).length,
  left: await all(),
};
await client.deleteAll({ userId: "mira" });
found.afterAll = await all();
await client.add([{ role: "user", content: said[0] }], { userId: "mira" });
await client.deleteUsers({ userId: "mira" });
console.log(JSON.stringify({ ...found, afterUsers: await all() }));
