import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import type { Json } from "../../model/json.ts";
import { type Place, type Problem, problem } from "../../model/refusal.ts";
import type { Path } from "../../base/place.ts";

/** Far more than 100 tasks need; an "aliases of aliases" bomb passes it within milliseconds. */
const maxNodes = 200_000;
const maxDepth = 100;

interface NodeFault {
  readonly offset: number;
  readonly say: (place: Place) => Problem;
}

type ReadNode =
  | { readonly kind: "read"; readonly value: Json }
  | { readonly kind: "refused"; readonly faults: readonly NodeFault[] };

interface Reading {
  readonly document: Document;
  readonly faults: NodeFault[];
  /** The collections that are being read: an alias to one of them would be a cycle. */
  readonly open: Set<unknown>;
  /** Nodes by anchor. The library's own `resolve` searches the whole document for each alias. */
  readonly anchors: Map<string, Node>;
  readonly seen: Set<Node>;
  nodes: number;
}

/** The document as plain JSON. The library's own conversion would allow cycles and `.nan`. */
export function readNode(document: Document): ReadNode {
  const reading: Reading = {
    document,
    faults: [],
    open: new Set(),
    anchors: new Map(),
    seen: new Set(),
    nodes: 0,
  };
  const value = valueOf(document.contents, reading);
  if (reading.faults.length > 0) return { kind: "refused", faults: reading.faults };
  return { kind: "read", value };
}

function valueOf(node: unknown, reading: Reading): Json {
  reading.nodes += 1;
  if (reading.nodes > maxNodes) return tooLarge(node, reading, "200,000 values");
  if (reading.open.size > maxDepth) return tooLarge(node, reading, "100 levels of nesting");
  if (isAlias(node)) return aliasedValue(node, reading);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  register(node, reading);
  if (isScalar(node)) return scalarOf(node, reading);
  reading.open.add(node);
  const value = isMap(node)
    ? Object.fromEntries(entriesOf(node, reading))
    : node.items.map((item) => valueOf(item, reading));
  reading.open.delete(node);
  return value;
}

/** A name may be defined again further down: an alias means the last definition before it. */
function register(node: Node & { readonly anchor?: string }, reading: Reading): void {
  if (node.anchor === undefined || reading.seen.has(node)) return;
  reading.seen.add(node);
  reading.anchors.set(node.anchor, node);
}

function aliasedValue(node: Alias, reading: Reading): Json {
  const name = node.source;
  const target = reading.anchors.get(name);
  if (target === undefined) {
    return fault(node, reading, (place) => problem("alias_unknown", { name }, place));
  }
  if (reading.open.has(target)) {
    return fault(node, reading, (place) => problem("alias_circular", { name }, place));
  }
  return valueOf(target, reading);
}

function scalarOf(node: Node & { readonly value: unknown }, reading: Reading): Json {
  const { value } = node;
  if (typeof value === "number" && !Number.isFinite(value)) {
    return fault(node, reading, (place) =>
      problem("number_not_finite", { found: String(value) }, place),
    );
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  return null;
}

/** A key of the mapping itself wins over one that `<<` brings in. */
function entriesOf(map: YAMLMap, reading: Reading): [string, Json][] {
  const own: [string, Json][] = [];
  const merged: [string, Json][] = [];
  const keys = new Set<string>();
  for (const pair of map.items) {
    const key = keyText(pair);
    if (key !== "<<" && keys.has(key))
      fault(pair.key, reading, (place) => problem("key_duplicate", { key }, place));
    keys.add(key);
    const value = valueOf(pair.value, reading);
    if (key === "<<") merged.push(...mergedEntries(value));
    else own.push([key, value]);
    if (reading.nodes > maxNodes) break;
  }
  return [...merged, ...own];
}

function mergedEntries(value: Json): [string, Json][] {
  if (Array.isArray(value)) return value.toReversed().flatMap(mergedEntries);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function keyText(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

function fault(node: unknown, reading: Reading, say: NodeFault["say"]): null {
  reading.faults.push({ offset: offsetOf(node) ?? 0, say });
  return null;
}

function tooLarge(node: unknown, reading: Reading, limit: string): null {
  if (reading.faults.length > 0) return null;
  return fault(node, reading, (place) => problem("manifest_too_large", { limit }, place));
}

/** The offset of the node at a path: see `Locate`. */
export function locateNode(document: Document, path: Path, part?: "key"): number {
  let node: unknown = document.contents;
  let key: unknown;
  let nearest = offsetOf(node) ?? 0;
  for (const step of path) {
    const next = stepInto(isAlias(node) ? node.resolve(document) : node, step);
    if (next === undefined) return nearest;
    ({ node, key } = next);
    nearest = offsetOf(isScalar(node) && hasText(node) ? node : (key ?? node)) ?? nearest;
  }
  return part === "key" ? (offsetOf(key) ?? nearest) : nearest;
}

function stepInto(
  node: unknown,
  step: string | number,
): { node: unknown; key?: unknown } | undefined {
  if (isSeq(node) && typeof step === "number") {
    return node.items.length > step ? { node: node.items[step] } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => keyText(item) === String(step));
  return pair && { node: pair.value, key: pair.key };
}

/** False for a key without a value: its null has no position of its own. */
function hasText(node: Node): boolean {
  return node.range !== undefined && node.range !== null && node.range[1] > node.range[0];
}

function offsetOf(node: unknown): number | undefined {
  if (!isAlias(node) && !isScalar(node) && !isMap(node) && !isSeq(node)) return undefined;
  return node.range?.[0];
}
