import { canonicalJson, deepestNesting, isDeeper, type JsonObject } from "../model/json.ts";
import { modelsAllowed, type GraderModels } from "../model/definition/graders.ts";
import type { CallModel, ModelCall, ModelCallEnd } from "../model/ports/bridge.ts";
import type { ModelCallRecord } from "../model/outcomes/sample.ts";
import type { ModelRef } from "../model/definition/suite.ts";
import { chooseModel, type RunModels } from "./bridge-models.ts";
import { cutRequest, recordCalls, type MadeCall } from "./bridge-record.ts";
import { checkRequest } from "./bridge-request.ts";

/**
 * Connects graders to models: the grader asks, the run answers with its own key, within the manifest's limits. The n-th
 * call of a subject is answered once: a process that replaces a dead one receives the same answer.
 */
export interface Bridge {
  readonly call: CallModel;
  readonly inTurn: RunModels["inTurn"];
  /** Starts a session for the subject; calls for other subjects are refused. */
  readonly open: (subject: string) => Session;
}

/** One execution of a grader, however many processes it takes. */
interface Session {
  /** Ends the session without waiting for answers that are still under way. */
  readonly close: () => SessionEnd;
}

export interface SessionEnd {
  readonly calls: readonly ModelCallRecord[];
  /** Why a call had no answer, if neither the grader nor its code is to blame. */
  readonly trouble: Extract<ModelCallEnd, { readonly kind: "unavailable" }> | undefined;
  /** Calls were under way at the end. */
  readonly waiting: boolean;
}

/** A bridge for one grader. */
export function createBridge(limits: GraderModels, run: RunModels): Bridge {
  const open = new Map<string, OpenSession>();
  return {
    call: async (call) => {
      const session = open.get(call.subject);
      return session === undefined ? stranger : session.call(call);
    },
    inTurn: run.inTurn,
    open: (subject) => {
      if (open.has(subject)) throw new Error(`${subject} is being graded already`);
      const session = new OpenSession(limits, run);
      open.set(subject, session);
      return {
        close: () => {
          open.delete(subject);
          return session.close();
        },
      };
    },
  };
}

const stranger: ModelCallEnd = {
  kind: "refused",
  message: "nothing is being graded that this call could be for",
};

interface Made {
  readonly index: number;
  /** Identifies the request: the same index with another request is another call. */
  readonly key: string;
  readonly end: Promise<ModelCallEnd>;
  readonly call: MadeCall;
  /** undefined while the call is under way. */
  readonly settled: ModelCallEnd | undefined;
}

/** Owns the calls of one execution. */
class OpenSession {
  readonly #limits: GraderModels;
  readonly #run: RunModels;
  readonly #over = new AbortController();
  readonly #responseIds = new Set<string>();
  readonly #made: Made[] = [];

  constructor(limits: GraderModels, run: RunModels) {
    this.#limits = limits;
    this.#run = run;
  }

  call(call: ModelCall): Promise<ModelCallEnd> {
    const key = keyOf(call, this.#run);
    if (key === undefined || isDeeper(call.request, deepestNesting))
      return refuse("the request is nested too deeply");
    const known = this.#made.find((each) => each.index === call.index && each.key === key);
    if (known !== undefined) return known.end;
    const limit = this.#limits.max_calls;
    const isCounted = Number.isSafeInteger(call.index) && call.index >= 0 && call.index < limit;
    // A process that takes over may ask other questions; a hostile one must not go on asking for ever.
    if (!isCounted || this.#made.length >= 2 * limit) return refuse(tooMany(limit));
    return this.#make(call, key);
  }

  close(): SessionEnd {
    this.#over.abort();
    const trouble = this.#made
      .map(({ settled }) => settled)
      .find((end) => end?.kind === "unavailable");
    return {
      calls: recordCalls(this.#made.map(({ call }) => call)),
      trouble: trouble?.kind === "unavailable" ? trouble : undefined,
      waiting: this.#made.some(({ settled }) => settled === undefined),
    };
  }

  #make(call: ModelCall, key: string): Promise<ModelCallEnd> {
    const place = this.#made.length;
    const given = typeof call.request["model"] === "string" ? call.request["model"] : "auto";
    const pending: MadeCall = {
      helper: call.helper,
      model: given,
      request: cutRequest(call.request),
      response: undefined,
      error: "the grader ended before the answer came",
      usage: null,
      latencyMs: null,
    };
    const settle = (end: ModelCallEnd, about: Partial<MadeCall>): ModelCallEnd => {
      const made = this.#made[place];
      if (made === undefined) return end;
      const error = end.kind === "answered" ? null : end.message;
      this.#made[place] = { ...made, settled: end, call: { ...pending, error, ...about } };
      return end;
    };
    const end = this.#ask(call, settle).catch((error: unknown) => settle(broken(error), {}));
    this.#made.push({ index: call.index, key, end, call: pending, settled: undefined });
    return end;
  }

  async #ask(
    { helper, request: given }: ModelCall,
    settle: (end: ModelCallEnd, about: Partial<MadeCall>) => ModelCallEnd,
  ): Promise<ModelCallEnd> {
    // Wait until the call is in the list, even if it is refused at once.
    await Promise.resolve();
    const run = this.#run;
    const allowed = modelsAllowed({ models: this.#limits });
    const chosen = chooseModel(given["model"], { helper, run, allowed });
    if ("refused" in chosen) return settle({ kind: "refused", message: chosen.refused }, {});
    const { model } = chosen;
    const rules = { ...this.#limits, helper, model, responseIds: this.#responseIds };
    const checked = checkRequest(given, rules);
    const about = { model: model.model };
    if ("refused" in checked) return settle({ kind: "refused", message: checked.refused }, about);
    const { request } = checked;
    const startedMs = run.now();
    const reply = await run.ask({ model, helper, request, signal: this.#over.signal });
    const latencyMs = Math.round((run.now() - startedMs) * 1000) / 1000;
    const told = { ...about, request: cutRequest(request), latencyMs };
    switch (reply.kind) {
      case "answered": {
        const { response, usage } = reply;
        if (typeof response["id"] === "string") this.#responseIds.add(response["id"]);
        const end = tooLarge(response, model) ?? { kind: "answered", response };
        return settle(end, { ...told, response, usage });
      }
      case "refused":
        return settle(reply, told);
      case "unavailable":
      case "halted":
        return settle(unavailable(reply, model), told);
    }
  }
}

function keyOf({ helper, request }: ModelCall, { hashText }: RunModels): string | undefined {
  try {
    return hashText(`${helper} ${canonicalJson(request)}`);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function refuse(message: string): Promise<ModelCallEnd> {
  return Promise.resolve({ kind: "refused", message });
}

function tooMany(limit: number): string {
  return `the grader has asked models as often as it may, ${limit} times: raise max_model_calls, or ask less`;
}

/** A message to a host has at most 4 MiB (python/regrade/frames.py); this leaves enough for everything but the response. */
const mostBytes = 4_000_000;

/** Thousands of embeddings may exceed a host's message limit. The cost is counted nevertheless. */
function tooLarge(response: JsonObject, { model }: ModelRef): ModelCallEnd | undefined {
  const json = JSON.stringify(response);
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (json.length * 3 <= mostBytes) return undefined;
  const bytes = new TextEncoder().encode(json).length;
  if (bytes <= mostBytes) return undefined;
  const message = `the answer of ${model} has ${bytes} bytes, and a grader can be handed ${mostBytes}: ask for less at once`;
  return { kind: "refused", message };
}

function unavailable(
  { type, message }: { readonly type: string; readonly message: string },
  { model }: ModelRef,
): ModelCallEnd {
  return { kind: "unavailable", type, message: `no answer from ${model}: ${message}` };
}

function broken(error: unknown): ModelCallEnd {
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: "unavailable", type: "bridge_failed", message: `the call failed: ${reason}` };
}
