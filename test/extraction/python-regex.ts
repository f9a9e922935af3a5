import { execFileSync } from "node:child_process";
import type { SearchRegex } from "../../src/model/grading.ts";

const program = `
import json, signal, sys
from regrade import regex

class Late(BaseException):
    pass

def ring(*_):
    raise Late

signal.signal(signal.SIGALRM, ring)
spec, text, seconds = json.load(sys.stdin)
signal.setitimer(signal.ITIMER_REAL, seconds)
try:
    print(json.dumps(regex.search(spec, text)))
except Late:
    print('{"timeout": true}')
`;

/** Python's regexes in a process for each search: what the rooms' tests need of the host, and no more. */
export function pythonSearch(seconds: number): SearchRegex {
  return async (spec, text) => {
    const stdout = execFileSync("python3", ["-c", program], {
      input: JSON.stringify([spec, text, seconds]),
      env: { ...process.env, PYTHONPATH: "python" },
      encoding: "utf8",
    });
    const result = JSON.parse(stdout) as { found?: string; timeout?: true };
    if (result.timeout) return { kind: "timeout" };
    return result.found === undefined
      ? { kind: "no_match" }
      : { kind: "found", text: result.found };
  };
}
