# One turn of an agent: python3 python.py "I am allergic to walnuts"
import json
import os
import sys
from urllib.request import Request, urlopen

MEMORY = os.environ.get("MEMORY_URL", "http://127.0.0.1:3100")
CHAT = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"


def post(url, fields, **headers):
    headers["content-type"] = "application/json"
    with urlopen(Request(url, json.dumps(fields).encode(), headers)) as response:
        return json.load(response)


said = sys.argv[1]
context = post(f"{MEMORY}/v1/context", {"input": said, "identity": "You are a careful cook."})
if not context["signals"]["is_question"]:
    post(f"{MEMORY}/v1/remember", {"text": said})
messages = [{"role": "system", "content": context["prompt"]}, {"role": "user", "content": said}]
body = {"model": os.environ.get("MODEL", "gpt-5-mini"), "messages": messages}
answer = post(CHAT, body, authorization=f"Bearer {os.environ['OPENAI_API_KEY']}")
print(answer["choices"][0]["message"]["content"])
