"""A graph of LangGraph that remembers: python langgraph_store.py "I am allergic to walnuts".

The items of the store are memories of a nous-server. The model is a fake one that repeats what the
store found; a chat model of LangChain takes its place.
"""

import sys
from uuid import uuid4

from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from nous_memory.langgraph import NousStore

USER = ("users", "mira")


def answer(state: MessagesState, *, store: BaseStore) -> dict[str, list[AnyMessage]]:
    said = str(state["messages"][-1].content)
    found = [item.value["text"] for item in store.search(USER, query=said, limit=5)]
    known = "\n".join(found) or "nothing yet"
    store.put(USER, uuid4().hex, {"text": said})
    model = FakeListChatModel(responses=[f"I know: {known}"])
    return {"messages": [model.invoke([SystemMessage(known), *state["messages"]])]}


builder = StateGraph(MessagesState)
builder.add_node("answer", answer)
builder.add_edge(START, "answer")
graph = builder.compile(store=NousStore())
print(graph.invoke({"messages": [HumanMessage(sys.argv[1])]})["messages"][-1].content)
