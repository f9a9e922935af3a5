import { valueText } from "../../../base/fields.ts";
import type { Json } from "../../../model/json.ts";
import { lower, plain, tellingOf } from "./told-answer.ts";

/** How the values of a field agree with the targets, over the cases of a task. */
export interface Likeness {
  cases: number;
  /** Number of cases whose value equals the target. */
  equal: number;
  /** Number of cases whose value is an encoding of the target, and these targets. */
  encoded: number;
  readonly encodedTargets: Set<string>;
  /** Texts around the target within the value, with the number of cases that have them. */
  readonly frames: Map<string, number>;
  readonly targets: Map<string, string>;
  readonly values: Map<string, string>;
  isOneToOne: boolean;
  readonly alphabet: Alphabet;
}

/** A mapping from letters of the values to letters of the targets, as long as it is unambiguous. */
interface Alphabet {
  readonly there: Map<string, string>;
  readonly back: Map<string, string>;
  cases: number;
  letters: number;
  isKept: boolean;
}

/** The likeness before the first case. */
export function noLikeness(): Likeness {
  return {
    cases: 0,
    equal: 0,
    encoded: 0,
    encodedTargets: new Set(),
    frames: new Map(),
    targets: new Map(),
    values: new Map(),
    isOneToOne: true,
    alphabet: { there: new Map(), back: new Map(), cases: 0, letters: 0, isKept: true },
  };
}

/** Adds a case; a case without a target gives no information. */
export function addCase(known: Likeness, value: Json | undefined, answer: string): void {
  const target = plain(answer);
  if (target === "") return;
  const text = plain(valueText(value));
  known.cases += 1;
  known.isOneToOne &&=
    (known.targets.get(target) ?? text) === text && (known.values.get(text) ?? target) === target;
  known.targets.set(target, text);
  known.values.set(text, target);
  if (text === "") return;
  const [shown, sought] = [lower(valueText(value)), lower(answer)];
  addFrame(known.frames, shown, sought);
  addLetters(known.alphabet, shown, sought);
  const telling = tellingOf(value, answer, isWorthDecoding(known));
  if (telling === "same") known.equal += 1;
  if (telling !== "encoded") return;
  known.encoded += 1;
  known.encodedTargets.add(target);
}

/** Number of cases after which a field without any encoded target is no longer decoded. */
const decodedFirst = 200;

function isWorthDecoding({ cases, encoded, equal }: Likeness): boolean {
  return cases <= decodedFirst || encoded + equal > 0;
}

const mostFrames = 64;

/** Adds the text around the target, such as `the answer is` and a full stop. */
function addFrame(frames: Likeness["frames"], text: string, target: string): void {
  const at = text.indexOf(target);
  if (at < 0) return;
  const frame = `${text.slice(0, at)}\n${text.slice(at + target.length)}`;
  const count = frames.get(frame);
  if (count !== undefined || frames.size < mostFrames) frames.set(frame, (count ?? 0) + 1);
}

function addLetters(alphabet: Alphabet, text: string, target: string): void {
  const [ours, theirs] = [Array.from(target), Array.from(text)];
  alphabet.isKept &&= ours.length === theirs.length;
  for (const [i, letter] of ours.entries()) {
    if (!alphabet.isKept) return;
    const other = theirs[i] ?? "";
    const [there, back] = [alphabet.there.get(letter) ?? other, alphabet.back.get(other) ?? letter];
    alphabet.isKept = there === other && back === letter;
    alphabet.there.set(letter, other);
    alphabet.back.set(other, letter);
  }
  alphabet.cases += 1;
  alphabet.letters += ours.length;
}

/** Whether the values reveal the targets. */
export function isCopy(known: Likeness): boolean {
  const { cases, equal, encoded, frames, targets, isOneToOne } = known;
  // If all targets are the same, a constant answer equals them all.
  if (targets.size < 2) return false;
  const most = 0.9 * cases;
  if (equal + encoded >= most || Math.max(0, ...frames.values()) >= most) return true;
  // If each value occurs only once, each maps to whatever is beside it.
  if (isOneToOne && cases >= 3 * targets.size) return true;
  return isPartlyEncoded(known) || isCipher(known);
}

/** Nobody encodes a text without a reason, so encoding in a part of the cases is enough. */
function isPartlyEncoded({ cases, encoded, encodedTargets, targets }: Likeness): boolean {
  return encoded >= Math.max(3, 0.1 * cases) && encodedTargets.size >= Math.min(3, targets.size);
}

/**
 * Whether the values are the targets in another alphabet (each letter moved by seven, for example). With few letters it
 * may be chance.
 */
function isCipher({ alphabet, cases }: Likeness): boolean {
  const { isKept, letters, there } = alphabet;
  return isKept && alphabet.cases >= 0.9 * cases && letters >= Math.max(20, 3 * there.size);
}
