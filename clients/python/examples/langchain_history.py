"""A chain of LangChain that remembers: python langchain_history.py "I am allergic to walnuts".

The history of the chat and what the retriever finds are memories of a nous-server. The model is a
fake one that repeats what the retriever found; a chat model of LangChain takes its place.
"""

import sys

from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from nous_memory import Memory
from nous_memory.langchain import NousChatMessageHistory, NousRetriever

said = HumanMessage(sys.argv[1])
with Memory() as memory:
    history = NousChatMessageHistory("monday", memory=memory, user="mira")
    retriever = NousRetriever(memory=memory, limit=5, min_score=0.1, filter={"user": "mira"})
    found = [document.page_content for document in retriever.invoke(str(said.content))]
    known = "\n".join(found) or "nothing yet"
    model = FakeListChatModel(responses=[f"I know: {known}"])
    answer = model.invoke([SystemMessage(known), *history.messages, said])
    history.add_messages([said, AIMessage("Noted.")])
    print(answer.content)
