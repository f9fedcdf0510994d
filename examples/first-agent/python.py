# One turn of an agent: python3 python.py "I am allergic to walnuts"
import json
import os
from sys import argv
from urllib.error import HTTPError
from urllib.request import Request, urlopen

MEMORY = os.environ.get("MEMORY_URL", "http://127.0.0.1:3100")
CHAT = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"


def post(url, fields, **headers):
    headers["content-type"] = "application/json"
    try:
        return json.load(urlopen(Request(url, json.dumps(fields).encode(), headers)))
    except HTTPError as error:
        raise SystemExit(error.read().decode())


context = post(f"{MEMORY}/v1/context", {"input": argv[1], "identity": "You are a careful cook."})
if not context["signals"]["is_question"]:
    post(f"{MEMORY}/v1/remember", {"text": argv[1]})
messages = [{"role": "system", "content": context["prompt"]}, {"role": "user", "content": argv[1]}]
body = {"model": os.environ.get("MODEL", "gpt-5-mini"), "messages": messages}
answer = post(CHAT, body, authorization=f"Bearer {os.environ['OPENAI_API_KEY']}")
print(answer["choices"][0]["message"]["content"])
