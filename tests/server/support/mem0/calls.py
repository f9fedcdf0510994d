"""Calls each method of mem0's PyPI client that the server answers, and prints what they find."""

import json
import sys

from mem0 import MemoryClient

client = MemoryClient(api_key="any", host=sys.argv[1])
MIRA = {"user_id": "mira"}


def everything() -> list[str]:
    return sorted(one["memory"] for one in client.get_all(filters=MIRA)["results"])


SAID = [
    "I am allergic to walnuts.",
    "I play the cello on Sundays.",
    "I live in Graz.",
    "I drive a red van.",
]
for content in SAID:
    client.add([{"role": "user", "content": content}], user_id="mira")
id = client.search("Which nuts to avoid?", filters=MIRA)["results"][0]["id"]
client.update(id, text="I am allergic to walnuts and cashews.")
others = [one for one in client.get_all(filters=MIRA)["results"] if one["id"] != id]


def id_of(word: str) -> str:
    return next(one["id"] for one in others if word in one["memory"])


client.batch_update([{"memory_id": id_of("cello"), "text": "I play the cello on Mondays."}])
client.delete(id_of("Graz"))
client.batch_delete([{"memory_id": id_of("van")}])
found = {
    "read": client.get(id)["memory"],
    "history": len(client.history(id)),
    "left": everything(),
}
client.delete_all(user_id="mira")
found["afterAll"] = everything()
client.add([{"role": "user", "content": SAID[0]}], user_id="mira")
client.delete_users(user_id="mira")
print(json.dumps({**found, "afterUsers": everything()}))
