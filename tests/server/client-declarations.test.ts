// The client's declarations, which the build generates from the OpenAPI description: each name,
// method and field has a comment, types have names, and they match the types of the schemas.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as published from "nous-server/client";
import ts from "typescript";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { OperationShape } from "../../js/server/src/api/operation.ts";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../../js/server/src/api/operations.ts";
import type { Methods as OfSchemas } from "../../js/server/src/client/types.ts";

const OPERATIONS: Record<string, OperationShape> = { ...AGENT_OPERATIONS, ...AGENTLESS_OPERATIONS };
const TYPES = fileURLToPath(new URL("../../js/server/dist/types/", import.meta.url));
const FILES = ["client.d.ts", "types.d.ts"].map((name) => join(TYPES, name));
const program = ts.createProgram(FILES, {
  strict: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
});
const checker = program.getTypeChecker();
const [client] = FILES.map((file) => program.getSourceFile(file)!);
const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(client!)!);

const textOf = (symbol: ts.Symbol) =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker));

/** A value as JSON carries it: a field is present or missing, but never undefined. */
type AsJson<T> = T extends object ? { [K in keyof T]: AsJson<Exclude<T[K], undefined>> } : T;

/** The declarations under a name, with all nested ones. */
function declaredIn(symbol: ts.Symbol): [name: string, symbol: ts.Symbol][] {
  const found: [string, ts.Symbol][] = [[symbol.name, symbol]];
  const visit = (node: ts.Node, path: string) => {
    const isMember = ts.isPropertySignature(node) || ts.isMethodSignature(node);
    const name = isMember ? `${path}.${node.name.getText()}` : path;
    if (isMember) found.push([name, checker.getSymbolAtLocation(node.name)!]);
    ts.forEachChild(node, (child) => visit(child, name));
  };
  for (const declaration of symbol.declarations ?? []) visit(declaration, symbol.name);
  return found;
}

const all = exported.flatMap(declaredIn);
const methods = all.filter(([name]) => name.startsWith("Methods."));

describe("the declarations", () => {
  test("compile by themselves", () => {
    const problems = ts.getPreEmitDiagnostics(program);
    expect(problems.map(({ messageText }) => messageText)).toEqual([]);
  });

  test("have a comment on every name, method and field", () => {
    expect(all.length).toBeGreaterThan(400);
    const silent = all.filter(([, symbol]) => textOf(symbol).trim().length < 4);
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test("describe the arguments, the result and the errors of each method, with an example", () => {
    expect(methods.map(([name]) => name.slice("Methods.".length)).sort()).toEqual(
      Object.keys(OPERATIONS).sort(),
    );
    for (const [name, symbol] of methods) {
      const tags = symbol.getJsDocTags(checker);
      const method = symbol.valueDeclaration as unknown as ts.MethodSignature;
      const parameters = method.parameters.map((parameter) => parameter.name.getText());
      expect(
        tags.map((tag) => tag.name).filter((tag) => tag !== "link"),
        name,
      ).toEqual([...parameters.map(() => "param"), "returns", "throws", "example"]);
      const { path, summary } = OPERATIONS[symbol.name]!;
      expect(textOf(symbol)).toContain(summary);
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, part]) => part);
      expect(parameters.slice(0, inPath.length)).toEqual(inPath);
    }
  });

  test("show names on hover, not whole types", () => {
    for (const [name, symbol] of methods) {
      const type = checker.typeToString(checker.getTypeOfSymbol(symbol));
      expect(type.length, `${name}: ${type}`).toBeLessThan(120);
      expect(type.replace(/^.*=> /, ""), name).toMatch(/^Promise<[A-Z]\w+>$/);
    }
  });

  test("have short lines, except for lists of names", () => {
    const long = readFileSync(FILES[1]!, "utf8")
      .split("\n")
      .filter((line) => line.length > 110 && !line.includes('" | "'));
    expect(long).toEqual([]);
  });

  test("have a name for each object that callers hold", () => {
    type Held = [
      ...[published.MemoryNode, published.NewNode, published.NodeChanges, published.NodeList],
      ...[published.SearchRequest, published.SearchAnswer, published.SearchHit],
      ...[published.ScoreBreakdown, published.RetrievalAnswer, published.RetrievalHit],
      ...[published.RetrievalTrace, published.ContextRequest, published.ContextAnswer],
      ...[published.PromptSection, published.Edge, published.NewEdge, published.EdgeList],
      ...[published.Cluster, published.ClusterMember, published.Membership, published.Conflict],
      ...[published.PlaybookMatch, published.Health, published.Graph, published.ListNodesQuery],
      ...[published.NousClientOptions, published.RequestIssue, published.Classification],
    ];
    expectTypeOf<Held["length"]>().toEqualTypeOf<28>();
  });

  test("match the schemas: the same input is accepted, and answers have equal types", () => {
    type Name = keyof OfSchemas;
    type Method<M> = Extract<M, (...given: never) => unknown>;
    type Taken = {
      [N in Name]: Parameters<Method<published.Methods[N]>> extends Parameters<OfSchemas[N]>
        ? never
        : N;
    }[Name];
    type Answers<M> = AsJson<Awaited<ReturnType<Method<M>>>>;
    type Answered = {
      [N in Name]: [Answers<OfSchemas[N]>, Answers<published.Methods[N]>] extends [
        Answers<published.Methods[N]>,
        Answers<OfSchemas[N]>,
      ]
        ? never
        : N;
    }[Name];
    expectTypeOf<keyof published.Methods>().toEqualTypeOf<Name>();
    expectTypeOf<Taken>().toEqualTypeOf<never>();
    expectTypeOf<Answered>().toEqualTypeOf<never>();
  });
});

describe("examples of operations", () => {
  test.each(Object.entries(OPERATIONS))("of %s are accepted by the server", (_, operation) => {
    const { params, query, body, isBodyOptional, example = {} } = operation;
    if (params !== undefined) expect(params.safeParse(example.params).error).toBeUndefined();
    const written = Object.entries(example.query ?? {}).map(([name, it]) => [name, String(it)]);
    if (query !== undefined)
      expect(query.safeParse(Object.fromEntries(written)).error).toBeUndefined();
    if (body !== undefined && !(isBodyOptional && example.body === undefined))
      expect(body.safeParse(example.body).error).toBeUndefined();
  });
});
