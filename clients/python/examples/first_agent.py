"""One turn of an agent with a memory: python first_agent.py "I am allergic to walnuts".

The model is a function that shows its prompt. Put a call of your own in its place.
"""

import sys

from nous_memory import Memory


def model(system: str, user: str) -> str:
    return f"[the model was told: {system!r}, and asked: {user!r}]"


said = sys.argv[1]
with Memory() as memory:
    turn = memory.context(said, identity="You are a careful cook.")
    if not turn.signals.is_question:
        memory.remember(said)
print(model(turn.prompt, said))
