import type { RegexSpec } from "../model/definition/extraction.ts";
import type { CheckRegex, ProbeRegex, SearchRegex } from "../model/grading.ts";
import { problem, Refusal } from "../model/refusal.ts";
import { type RegexAnswer, readRegexAnswer } from "./answers.ts";
import { inlineHangSeconds, type HostSettings } from "./config.ts";
import { openHosts, type RunningProgram } from "./program.ts";

interface RegexTools {
  readonly search: SearchRegex;
  readonly check: CheckRegex;
  readonly probe: ProbeRegex;
  readonly close: () => Promise<void>;
}

/** Python's regexes, in hosts without user code; the first question starts them. */
export function createRegexTools(hosts: HostSettings): RegexTools {
  let started: Promise<RunningProgram<RegexAnswer>> | undefined;
  const ask = async (question: string): Promise<RegexAnswer> => {
    started ??= startHosts(hosts);
    return (await started).run("regex", { kind: "line", text: () => question });
  };
  return {
    search: async (regex, text) => readFound(await ask(searchLine(regex, text))),
    check: async (regex) => readCheck(await ask(`{"check":${specText(regex)}}`)),
    probe: async (regex) => {
      const { kind } = await ask(`{"probe":${specText(regex)}}`);
      return kind === "timeout" ? "explodes" : "harmless";
    },
    close: async () => {
      // If the hosts could not be started, the callers already know.
      await started?.then(
        (running) => running.close(),
        () => undefined,
      );
    },
  };
}

async function startHosts(hosts: HostSettings): Promise<RunningProgram<RegexAnswer>> {
  const { loaded, running } = await openHosts<RegexAnswer>({
    ...hosts,
    hangSeconds: inlineHangSeconds,
    atOnce: "one",
    models: undefined,
    readAnswer: readRegexAnswer,
    // No user code runs here: only a pattern that exhausts time or memory on this text ends the process.
    blame: () => ({ kind: "timeout" }),
    unavailable: (message) => ({ kind: "error", message }),
  });
  switch (loaded.kind) {
    case "ready":
      return running;
    case "refused":
      throw hostFailed(loaded.refused.message);
    case "died":
      throw hostFailed(`its process ${loaded.reason}`);
  }
}

function searchLine(regex: RegexSpec, text: string): string {
  return `{"search":${specText(regex)},"text":${JSON.stringify(text)}}`;
}

function specText({ type, pattern, group, flags }: RegexSpec): string {
  return JSON.stringify({ type, pattern, group: group ?? null, flags });
}

function readFound(answer: RegexAnswer): Awaited<ReturnType<SearchRegex>> {
  switch (answer.kind) {
    case "found":
    case "no_match":
    case "timeout":
      return answer;
    case "checked":
      throw new TypeError("the regex host answered a search as if it were a check");
    case "error":
      throw hostFailed(answer.message);
  }
}

function readCheck(answer: RegexAnswer): string | undefined {
  switch (answer.kind) {
    case "checked":
      return answer.problem;
    case "timeout":
      return "Python can't compile it in a second";
    case "found":
    case "no_match":
      throw new TypeError("the regex host answered a check as if it were a search");
    case "error":
      throw hostFailed(answer.message);
  }
}

function hostFailed(reason: string): Refusal {
  return new Refusal(problem("python_host_failed", { reason }), { exit: 4 });
}
