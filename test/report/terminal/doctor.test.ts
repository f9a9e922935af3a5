import { describe, expect, it } from "vitest";
import type { DoctorReport } from "../../../src/model/doctor.ts";
import { renderDoctor } from "../../../src/report/terminal/doctor.ts";

const held: DoctorReport = {
  regrade: "0.1.0",
  node: "24.1.0",
  system: "Linux 6.8.0 on x64",
  python: { kind: "found", path: "/usr/bin/python3", version: "3.12.3" },
  sandbox: {
    asked: "auto",
    report: {
      level: "landlock+seccomp",
      details: { landlock_abi: 4, system_calls: true, missing: ["a gap"] },
    },
    problem: undefined,
  },
  escapes: [
    { escape: "read .git/config", outcome: "held", said: "Permission denied" },
    { escape: "become root by sudo", outcome: "absent", said: "no sudo" },
  ],
  programs: {
    found: ["sh", "node"],
    missing: ["ruby"],
    escapes: [{ escape: "read the home folder", outcome: "held", said: "Permission denied" }],
  },
  fence: {
    level: "landlock+seccomp",
    landlock_abi: 4,
    missing: ["a smaller gap"],
    holds: true,
    attempts: [{ escape: "read the answers", outcome: "held", said: "Permission denied" }],
  },
  keys: [
    { name: "OPENAI_API_KEY", present: true },
    { name: "MISTRAL_API_KEY", present: false },
  ],
  ending: [{ model: "openai:gpt-4.1", date: "2027-01-14", instead: "gpt-6-luna" }],
  holds: true,
};

describe("what the doctor says", () => {
  it("names the machine, each way out, and keys without their values", () => {
    expect(renderDoctor(held, 100)).toBe(`Regrade   0.1.0
Node      24.1.0
System    Linux 6.8.0 on x64
Python    3.12.3, /usr/bin/python3
Landlock  ABI 4
seccomp   filters
Sandbox   landlock+seccomp (other files, the network and other processes are closed to graders); a gap
Programs  sh, node; not found: ruby
Fence     landlock+seccomp (Landlock ABI 4); a smaller gap

A grader tried to …
read .git/config     held      Permission denied
become root by sudo  not here  no sudo

A program that grades tried to …
read the home folder  held  Permission denied

A candidate behind a fence tried to …
read the answers  held  Permission denied

Keys set       OPENAI_API_KEY
Keys not set   MISTRAL_API_KEY

Models that their provider switches off
openai:gpt-4.1  2027-01-14  → gpt-6-luna

Graders are held here: --sandbox required can be met.
Candidates are held here behind a fence: \`fence: required\` can be met.
`);
  });

  it("counts the ways that are open", () => {
    const escapes = [{ escape: "signal the run", outcome: "out", said: "may signal" }] as const;
    const text = renderDoctor({ ...held, escapes, holds: false }, 100);
    expect(text).toContain("GOT OUT");
    expect(text).toContain("Graders are not held here; 1 of 1 ways out are open.");
  });

  it("says why there is no fence, and which ways past one are open", () => {
    const fence = { level: "none", missing: ["no Landlock"], holds: false, attempts: [] } as const;
    const text = renderDoctor({ ...held, fence }, 100);
    expect(text).toContain("Fence     none here; no Landlock\n");
    expect(text).toContain("`fence: required` can't be met here.");
    const attempts = [{ escape: "trace the run", outcome: "out", said: "traced" }] as const;
    const open = { ...fence, level: "landlock+seccomp", attempts } as const;
    expect(renderDoctor({ ...held, fence: open }, 100)).toContain("; 1 of 1 ways past it are open");
  });

  it("says what is missing where there is no Python", () => {
    const python = { kind: "missing", reason: "can't start Python (nope)" } as const;
    const sandbox = { asked: "required", report: undefined, problem: undefined } as const;
    const text = renderDoctor({ ...held, python, sandbox, escapes: [], holds: false }, 100);
    expect(text).toContain("Python    can't start Python (nope)");
    expect(text).toContain("Sandbox   not tried");
    expect(text).toContain("--sandbox required can't be met here.");
  });

  it("lets nothing that the kernel or Python says act on the terminal", () => {
    const escapes = [
      { escape: "x", outcome: "held", said: "::set-output name=a::b\u001B[2J" },
    ] as const;
    const text = renderDoctor({ ...held, escapes }, 100);
    expect(text).not.toContain("\u001B");
    expect(text).not.toMatch(/^::/m);
  });
});
