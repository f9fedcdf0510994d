"""Writes what the client generates: its models, and its sync half.

    python clients/python/tests/run.py --generate [OPENAPI]

`OPENAPI` is the address of a running server, or a file with its description. By default the built
server of this clone is asked. It needs ruff, so that `run.py` calls it in its environment.

`models.py` comes from the description that the server serves: an answer is a `msgspec.Struct`, a
request a `TypedDict`. Files `_sync*.py` come from their `_async*.py`. The same input gives the same
bytes: everything stands in the order of the description, and nothing is drawn by chance.
"""

from __future__ import annotations

import json
import keyword
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.request import urlopen

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "nous_memory"
Schema = dict[str, Any]

# Fields that a method takes by itself. The others are its keyword arguments.
TAKEN = {
    "RememberRequest": ("text",),
    "SearchRequest": ("query",),
    "AnswerableRequest": ("question",),
    "ExplainRequest": ("query",),
    "ContextRequest": ("input",),
    "RetrievalRequest": ("query",),
    "LinesRequest": ("query",),
    "HistoryRequest": ("query",),
    "SimilarRequest": ("content",),
    "DetectRequest": ("content",),
    "Resolving": ("conflict_id", "resolution"),
}
# Names of values that several fields may have. Others are named after their first field.
LITERALS = {
    ("EPISODIC", "SIGNALS", "KNOWLEDGE", "PROCEDURAL"): "Section",
    ("ACTIVE", "WEAK", "DORMANT", "COMPRESS", "ARCHIVE", "DELETED"): "Lifecycle",
    ("yes", "perhaps", "no"): "Knows",
    ("likely", "possible"): "Grade",
    ("old_is_current", "new_is_current", "keep_both", "merge", "undecided"): "Resolution",
    ("evidence", "signals"): "Ranking",
    ("LOOKUP", "AMBIGUOUS"): "QueryType",
}
# Pages are the business of the iterators.
PAGED = ("limit", "cursor")
HEAD = '''"""Written by scripts/generate.py from the description of the API. Do not edit.

Answers are `msgspec` structs. A field that an answer may lack is None then. A value that this
version of the client does not know is kept as it is, and an unknown field is left out. Requests are
typed dictionaries: plain dictionaries do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

import msgspec
from typing_extensions import Required

from ._time import Time

TimeInput = Union[str, datetime, date]
"""A time in ISO 8601, a `datetime` or a `date`. Without a zone it is read in the agent's zone."""
'''


class Models:
    """Collects the declarations. `answers` names the schemas that answers hold."""

    def __init__(self, document: Schema) -> None:
        self.schemas: dict[str, Schema] = document["components"]["schemas"]
        self.literals: dict[tuple[str, ...], str] = {}
        self.lines: list[str] = []
        self.done: set[str] = set()
        self.known = {
            shape(schema): name for name, schema in self.schemas.items() if "properties" in schema
        }
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                self.operation(f"{method.upper()} {path}", operation)

    def operation(self, call: str, operation: Schema) -> None:
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is not None and "$ref" in body["schema"]:
            name = ref(body["schema"])
            if name not in TAKEN:
                self.request(name)
            else:
                about = f"Other fields of `{call}`."
                self.typed_dict(f"{name}Fields", self.flat(name), about, TAKEN[name], f"{name}")
        query = [it for it in operation.get("parameters", []) if it["in"] == "query"]
        if query:
            name = f"{upper(operation['operationId'])}Query"
            schema: Schema = {
                "properties": {it["name"]: it["schema"] for it in query},
                "required": [it["name"] for it in query if it.get("required")],
            }
            if "filter" in schema["properties"]:  # written as JSON; the client does that
                described = {"description": "All its conditions have to hold."}
                schema["properties"]["filter"] = {
                    "$ref": "#/components/schemas/Filter",
                    **described,
                }
            is_timeline = "from" in schema["properties"]
            without = (*PAGED, "from", "to") if is_timeline else PAGED
            given = f"{name}Fields" if is_timeline else name
            self.typed_dict(given, schema, f"The query of `{call}`.", without, name)
        good = next(answer for status, answer in operation["responses"].items() if status[0] == "2")
        self.answer_type(
            good["content"]["application/json"]["schema"], upper(operation["operationId"])
        )

    # ---- answers ---------------------------------------------------------------------------------

    def answer(self, name: str) -> None:
        if name not in self.done:
            self.done.add(name)
            self.struct(name, self.schemas[name])

    def struct(self, name: str, schema: Schema) -> None:
        bases = [ref(part) for part in schema.get("allOf", []) if "$ref" in part]
        for base in bases:
            self.answer(base)
        own = next((part for part in schema.get("allOf", []) if "properties" in part), schema)
        required = own.get("required", [])
        fields = []
        for key, field in own.get("properties", {}).items():
            kind = self.answer_type(field, name + upper(key))
            attribute = key.lstrip("_") + ("_" if keyword.iskeyword(key) else "")
            renamed = f'name="{key}"' if attribute != key else ""
            if key in required:
                default = f" = msgspec.field({renamed})" if renamed else ""
            else:
                kind = optional(kind)
                default = f" = msgspec.field(default=None, {renamed})" if renamed else " = None"
            fields.append(f"    {attribute}: {kind}{default}\n{self.doc(field)}")
        about = doc(schema.get("description"), "    ")
        self.lines.append(
            f"class {name}({', '.join(bases) or 'msgspec.Struct'}, frozen=True, kw_only=True):\n"
            f"{about}\n{''.join(fields) or '    pass' if not about else ''.join(fields)}"
        )

    def answer_type(self, schema: Schema, name: str) -> str:
        """Returns the type of a value of an answer. `name` names it if it needs a name."""
        if "$ref" in schema:
            self.answer(ref(schema))
            return ref(schema)
        if "allOf" in schema:
            refs = [part for part in schema["allOf"] if "$ref" in part]
            if len(refs) == 1 and not any("properties" in part for part in schema["allOf"]):
                return self.answer_type(refs[0], name)
            self.struct(name, schema)
            return name
        parts = schema.get("anyOf") or schema.get("oneOf")
        if parts:
            return self.answer_union(parts, name)
        if "enum" in schema:
            return self.literal(schema["enum"], name)
        kinds = types(schema)
        found = [
            self.answer_one({**schema, "type": kind}, name) for kind in kinds if kind != "null"
        ]
        kind = found[0] if len(found) == 1 else union(found) if found else "Any"
        return optional(kind) if "null" in kinds else kind

    def answer_one(self, schema: Schema, name: str) -> str:
        kind = schema["type"]
        if kind == "array":
            return f"list[{self.answer_type(schema['items'], name + 'Item')}]"
        if kind == "object":
            if schema.get("properties"):
                if shape(schema) in self.known:
                    return self.answer_type({"$ref": self.known[shape(schema)]}, name)
                self.struct(name, schema)
                return name
            more = schema.get("additionalProperties")
            inner = (
                self.answer_type(more, name + "Value") if isinstance(more, dict) and more else "Any"
            )
            return f"dict[str, {inner}]"
        if kind == "string":
            return "Time" if schema.get("format") == "date-time" else "str"
        return {"integer": "int", "number": "float", "boolean": "bool"}[kind]

    def answer_union(self, parts: list[Schema], name: str) -> str:
        objects = [part for part in parts if "$ref" in part or "object" in types(part)]
        if len(objects) < 2:
            return union([self.answer_type(part, name) for part in parts])
        # One struct with the fields of all: what one of them lacks is None.
        flat = [self.flat(ref(part)) if "$ref" in part else part for part in objects]
        merged: Schema = {"properties": {}, "description": "One of several results."}
        for part in flat:
            for key, field in part["properties"].items():
                before = merged["properties"].get(key)
                if before is not None and "enum" in before and before != field:
                    kinds = {json.dumps(value) for value in before["enum"] + field.get("enum", [])}
                    values = sorted(json.loads(value) for value in kinds)
                    field = {**field, "enum": values} if "enum" in field else field
                merged["properties"][key] = field
        required = [set(part.get("required", [])) for part in flat]
        merged["required"] = [
            key for key in merged["properties"] if all(key in it for it in required)
        ]
        self.struct(name, merged)
        return name

    # ---- requests --------------------------------------------------------------------------------

    def request(self, name: str) -> None:
        if name not in self.done:
            self.done.add(name)
            schema = self.flat(name)
            self.typed_dict(name, schema, schema.get("description", ""), (), name)

    def typed_dict(
        self, name: str, schema: Schema, about: str, without: tuple[str, ...], parent: str
    ) -> None:
        fields = []
        for key, field in schema["properties"].items():
            if key in without:
                continue
            kind = self.request_type(field, parent + upper(key))
            if key in schema.get("required", []):
                kind = f"Required[{kind}]"
            fields.append((key, kind, self.doc(field)))
        if any(keyword.iskeyword(key) for key, _, _ in fields):
            # A keyword of Python needs the other form, which has no comments.
            inner = ", ".join(f'"{key}": "{kind}"' for key, kind, _ in fields)
            self.lines.append(f'{name} = TypedDict("{name}", {{{inner}}}, total=False)')
            return
        body = "".join(f"    {key}: {kind}\n{text}" for key, kind, text in fields) or "    pass"
        self.lines.append(f"class {name}(TypedDict, total=False):\n{doc(about, '    ')}\n{body}")

    def request_type(self, schema: Schema, name: str) -> str:
        if "$ref" in schema:
            if not self.schemas[ref(schema)].get("properties"):
                return "Mapping[str, Any]"
            self.request(ref(schema))
            return ref(schema)
        if "allOf" in schema:
            first = next(part for part in schema["allOf"] if "$ref" in part)
            return self.request_type(first, name)
        parts = schema.get("anyOf") or schema.get("oneOf")
        if parts:
            return union([self.request_type(part, name) for part in parts])
        if "enum" in schema:
            return self.literal(schema["enum"], name)
        kinds = types(schema)
        found = [
            self.request_one({**schema, "type": kind}, name) for kind in kinds if kind != "null"
        ]
        if not kinds:
            return "Any"
        return union([*found, *(["None"] if "null" in kinds else [])])

    def request_one(self, schema: Schema, name: str) -> str:
        kind = schema["type"]
        if kind == "array":
            return f"Sequence[{self.request_type(schema['items'], name + 'Item')}]"
        if kind == "object":
            if schema.get("properties"):
                if shape(schema) in self.known:
                    return self.request_type({"$ref": self.known[shape(schema)]}, name)
                if name not in self.done:
                    self.done.add(name)
                    self.typed_dict(name, schema, schema.get("description", ""), (), name)
                return name
            more = schema.get("additionalProperties")
            inner = (
                self.request_type(more, name + "Value")
                if isinstance(more, dict) and more
                else "Any"
            )
            return f"Mapping[str, {inner}]"
        if kind == "string":
            return "TimeInput" if schema.get("format") == "date-time" else "str"
        return {"integer": "int", "number": "float", "boolean": "bool"}[kind]

    # ---- both ------------------------------------------------------------------------------------

    def flat(self, name: str) -> Schema:
        """Returns a schema with the fields that it inherits."""
        schema = self.schemas[name]
        if "allOf" not in schema:
            return schema
        parts = [self.flat(ref(part)) if "$ref" in part else part for part in schema["allOf"]]
        return {
            "properties": {k: v for part in parts for k, v in part.get("properties", {}).items()},
            "required": [key for part in parts for key in part.get("required", [])],
            "description": schema.get("description", ""),
        }

    def literal(self, values: list[Any], parent: str) -> str:
        if all(isinstance(value, bool) for value in values):
            return "bool"
        if all(isinstance(value, int) for value in values):
            return "int"
        texts = tuple(value for value in values if value is not None)
        name = self.literals.setdefault(texts, LITERALS.get(texts, parent))
        return optional(name) if None in values else name

    def doc(self, field: Schema) -> str:
        return doc(
            field.get("description") or self.schemas.get(ref(field), {}).get("description"), "    "
        )

    def text(self) -> str:
        declared = [
            (name, ", ".join(json.dumps(text) for text in texts))
            for texts, name in self.literals.items()
        ]
        body = "\n\n\n".join(line.rstrip() for line in self.lines)
        typed = "\n".join(f"    {name} = Literal[{values}]" for name, values in declared)
        loose = "\n".join(f"    {name} = str" for name, _ in declared)
        # At run time an answer may have a value that is newer than this client.
        return f"{HEAD}\nif TYPE_CHECKING:\n{typed}\nelse:\n{loose}\n\n\n{body}\n"


def ref(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]


def types(schema: Schema) -> list[str]:
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def shape(schema: Schema) -> str:
    """Returns what makes two objects the same type. A field that is described belongs to it."""
    return json.dumps(schema.get("properties"), sort_keys=True) + str(
        sorted(schema.get("required", []))
    )


def upper(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\W]+", name))


def union(kinds: list[str]) -> str:
    found = list(
        dict.fromkeys(part for kind in kinds for part in kind.split(" | ") if "[" not in kind)
    )
    found += [kind for kind in dict.fromkeys(kinds) if "[" in kind]
    if "None" in found:
        found = [kind for kind in found if kind != "None"] + ["None"]
    return " | ".join(found)


def optional(kind: str) -> str:
    return kind if kind == "Any" or kind.endswith("None") else f"{kind} | None"


def doc(text: str | None, indent: str) -> str:
    if not text:
        return ""
    words = text.replace("\\", "\\\\").split(" ")
    lines = [f'{indent}"""']
    for word in words:
        space = "" if lines[-1].endswith('"""') or lines[-1] == indent else " "
        if len(lines[-1]) + len(space) + len(word) > 96:
            lines.append(indent)
            space = ""
        lines[-1] += space + word
    end = '"""' if len(lines) == 1 else f'\n{indent}"""'
    return "\n".join(lines) + end + "\n"


# ---- the sync half -------------------------------------------------------------------------------

REPLACED = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsyncGenerator\[(.+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsync(\w+)", r"\1"),
    (r"\bhttpx\.AsyncBaseTransport\b", "httpx.BaseTransport"),
    (r"\bAwaitable\[(Page\[Row\])\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\b_async(\w*)\b", r"_sync\1"),
    (r"__a(enter|exit|iter)__", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\b__anext__\b", "__next__"),
    (r"\ba(close|read|iter_bytes)\b", r"\1"),
    (r"\banyio\.sleep\b", "time.sleep"),
    (r"\bimport anyio\b", "import time"),
]


def synced(source: str) -> str:
    """Returns the sync form of an async module."""
    for pattern, replacement in REPLACED:
        source = re.sub(pattern, replacement, source)
    # Blocks between these marks are of one of the two alone.
    source = re.sub(r"^ *# async only\n.*?^ *# end\n", "", source, flags=re.M | re.S)
    return source.replace(
        '"""', '"""Written by scripts/generate.py from the async half. Do not edit.\n\n', 1
    )


def formatted(name: str, source: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    config = ["--config", str(PACKAGE.parent.parent / "pyproject.toml")]
    fix = ["check", "--quiet", "--fix", "--exit-zero", "--select", "I,F401", *config]
    for step in (fix, ["format", "--quiet", *config]):
        done = subprocess.run(
            [*ruff, *step, "--stdin-filename", str(PACKAGE / name), "-"],
            input=source, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise SystemExit(f"ruff failed on {name}: {done.stderr}\n{source[:2000]}")
        source = done.stdout
    return source


def generated(document: Schema) -> dict[str, str]:
    """Returns the generated files by their names."""
    files = {"models.py": Models(document).text()}
    for path in sorted(PACKAGE.glob("_async*.py")):
        files[path.name.replace("_async", "_sync", 1)] = synced(path.read_text("utf-8"))
    return {name: formatted(name, source) for name, source in files.items()}


def description(place: str) -> Schema:
    if place.startswith("http"):
        with urlopen(f"{place.rstrip('/')}/v1/openapi.json") as answer:
            document: Schema = json.load(answer)
            return document
    found: Schema = json.loads(Path(place).read_text("utf-8"))
    return found


def main(arguments: list[str]) -> None:
    if arguments:
        document = description(arguments[0])
    else:
        from nous_memory import LocalServer

        program = PACKAGE.parents[3] / "js" / "server" / "bin" / "nous-server.mjs"
        command = os.environ.get("MEMORY_SERVER_COMMAND") or ["node", str(program)]
        with tempfile.TemporaryDirectory() as folder, LocalServer(folder, command=command) as it:
            document = description(it.url)
    for name, source in generated(document).items():
        path = PACKAGE / name
        if not path.exists() or path.read_text("utf-8") != source:
            path.write_text(source, "utf-8", newline="\n")
            print(f"written: {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
