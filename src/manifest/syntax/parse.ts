import { type Document, LineCounter, parseDocument } from "yaml";
import type { Json } from "../../model/json.ts";
import { type Place, type Problem, problem } from "../../model/refusal.ts";
import { locateNode, readNode } from "./nodes.ts";
import { formatPath, type Locate } from "../../base/place.ts";

type Parsed =
  | { readonly kind: "parsed"; readonly value: Json; readonly locate: Locate }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** Read within seconds: a parser can't be interrupted. */
const maxLength = 4_000_000;

/** A manifest's text, YAML or JSON (which is YAML, tabs included), as plain JSON with positions. */
export function parseManifest(text: string, file: string): Parsed {
  // Without the byte order mark, columns count from 1, as in editors.
  const content = text.replace(/^\uFEFF/, "");
  if (content.length > maxLength) {
    const found = { limit: `${maxLength / 1_000_000} million characters` };
    return { kind: "refused", problems: [problem("manifest_too_large", found, { file })] };
  }
  const lines = new LineCounter();
  // The library compares each key with every other: 150,000 took four minutes.
  const document = parseDocument(content, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const placeAt = (offset: number, path?: string): Place => {
    const { line, col } = lines.linePos(Math.min(offset, content.length));
    return {
      file,
      line: Math.max(line, 1),
      column: Math.max(col, 1),
      ...(path === undefined ? {} : { path }),
    };
  };
  const broken = syntaxProblems(document, content, placeAt);
  if (broken.length > 0) return { kind: "refused", problems: broken };
  const read = readNode(document);
  if (read.kind === "refused") {
    return {
      kind: "refused",
      problems: read.faults.map(({ say, offset }) => say(placeAt(offset))),
    };
  }
  if (document.contents === null || read.value === null) {
    return { kind: "refused", problems: [problem("manifest_empty", undefined, placeAt(0))] };
  }
  const locate: Locate = (path, part) =>
    placeAt(locateNode(document, path, part), formatPath(path));
  return { kind: "parsed", value: read.value, locate };
}

type PlaceAt = (offset: number) => Place;

/** Only the first mistake: the following ones are its consequence. */
function syntaxProblems(document: Document, content: string, placeAt: PlaceAt): Problem[] {
  const [first] = [...document.errors, ...document.warnings];
  return first === undefined ? [] : [syntaxProblem(first, content, placeAt)];
}

interface Fault {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

function syntaxProblem(fault: Fault, content: string, placeAt: PlaceAt): Problem {
  const json = /^\s*\{/.test(content) ? jsonFault(content) : undefined;
  if (json !== undefined) {
    return problem(
      "manifest_syntax",
      { language: "JSON", reason: json.reason },
      placeAt(json.offset),
    );
  }
  return problem(
    "manifest_syntax",
    { language: "YAML", reason: reasonOf(fault) },
    placeAt(fault.pos[0]),
  );
}

/** The YAML library's messages, replaced by our own if they are about its interface or say nothing. */
function reasonOf(fault: Fault): string {
  switch (fault.code) {
    case "MULTIPLE_DOCS":
      return "a second document begins here; a manifest is one document";
    case "RESOURCE_EXHAUSTION":
      return "it is nested too deeply";
    case "TAB_AS_INDENT":
      return "tabs can't indent YAML; use spaces";
    default:
      return fault.message.replace(/^(?!YAML|JSON)[A-Z](?=[a-z])/, (letter) =>
        letter.toLowerCase(),
      );
  }
}

/** For a text meant as JSON, V8's message and position are better than a YAML parser's. */
function jsonFault(content: string): { reason: string; offset: number } | undefined {
  try {
    JSON.parse(content);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) return undefined;
    const found = /^(.*?)(?: in JSON)? at position (\d+)/.exec(error.message);
    const offset = found?.[2] === undefined ? content.trimEnd().length : Number(found[2]);
    return { reason: found?.[1] ?? "it ends too early", offset };
  }
}
