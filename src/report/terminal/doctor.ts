import type { DoctorReport, EscapeOutcome } from "../../model/doctor.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { sandboxWords } from "../words/sandbox.ts";
import { columns, type TextCell } from "./text-table.ts";

/** Output of `regrade doctor`. */
export function renderDoctor(report: DoctorReport, width: number): string {
  const parts = [
    machineFacts(report).join("\n"),
    escapeTable("A grader tried to …", report.escapes, width),
    escapeTable("A program that grades tried to …", report.programs?.escapes ?? [], width),
    escapeTable("A candidate behind a fence tried to …", report.fence?.attempts ?? [], width),
    keyLines(report).join("\n"),
    endingTable(report.ending, width),
    [conclusion(report), fenceConclusion(report)].filter((line) => line !== "").join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function machineFacts(doctor: DoctorReport): readonly string[] {
  const { regrade, node, system, python, sandbox, fence, programs } = doctor;
  const { report, problem } = sandbox;
  const lines = [
    ["Regrade", regrade],
    ["Node", node],
    ["System", system],
    ["Python", python.kind === "found" ? `${python.version}, ${python.path}` : python.reason],
    ...(report === undefined ? [] : kernelLines(report.details)),
    ["Sandbox", report === undefined ? (problem ?? "not tried") : sandboxWords(report)],
    ["Programs", programWords(programs)],
    ["Fence", fenceWords(fence)],
  ];
  return lines.map(
    ([name = "", text = ""]) => `${name.padEnd(10)}${escapeLogLine(clip(text, 2000))}`,
  );
}

/** Programs that graders may be written in. */
function programWords(programs: DoctorReport["programs"]): string {
  if (programs === undefined) return "not tried";
  const { found, missing, problem } = programs;
  const names = [found.join(", ") || "none", `not found: ${missing.join(", ") || "none"}`];
  return [...names, ...(problem === undefined ? [] : [problem])].join("; ");
}

function fenceWords(fence: DoctorReport["fence"]): string {
  if (fence === undefined) return "not tried";
  const { level, landlock_abi: abi, missing } = fence;
  const held = level === "none" ? "none here" : `${level} (Landlock ABI ${abi ?? "unknown"})`;
  return [held, ...missing].join("; ");
}

function kernelLines({ landlock_abi: abi, system_calls: filtered }: Details): readonly string[][] {
  // The kernel's features were not checked if there is no sandbox.
  if (typeof abi !== "number") return [];
  return [
    ["Landlock", abi > 0 ? `ABI ${abi}` : "none"],
    ["seccomp", filtered === true ? "filters" : "none that serves here"],
  ];
}

type Details = NonNullable<DoctorReport["sandbox"]["report"]>["details"];

const outcomeWords: Readonly<Record<EscapeOutcome["outcome"], string>> = {
  held: "held",
  out: "GOT OUT",
  absent: "not here",
};

function escapeTable(title: string, escapes: readonly EscapeOutcome[], width: number): string {
  if (escapes.length === 0) return "";
  const rows = escapes.map(({ escape, outcome, said }): readonly TextCell[] => [
    { text: escapeLogLine(escape), align: "left" },
    { text: outcomeWords[outcome], align: "left" },
    { text: escapeLogLine(clip(said, 100)), align: "left" },
  ]);
  return `${title}\n${columns(rows, width)}`;
}

function keyLines({ keys }: DoctorReport): readonly string[] {
  const names = (present: boolean): string =>
    keys
      .filter((key) => key.present === present)
      .map(({ name }) => name)
      .join(", ") || "none";
  return [`Keys set       ${names(true)}`, `Keys not set   ${names(false)}`];
}

function endingTable(ending: DoctorReport["ending"], width: number): string {
  if (ending.length === 0) return "";
  const rows = ending.map(({ model, date, instead }): readonly TextCell[] => [
    { text: model, align: "left" },
    { text: date, align: "left" },
    { text: instead === undefined ? "" : `→ ${instead}`, align: "left" },
  ]);
  return `Models that their provider switches off\n${columns(rows, width)}`;
}

function fenceConclusion({ fence }: DoctorReport): string {
  if (fence === undefined) return "";
  if (fence.holds) return "Candidates are held here behind a fence: `fence: required` can be met.";
  const out = fence.attempts.filter(({ outcome }) => outcome === "out").length;
  const count = out === 0 ? "" : `; ${out} of ${fence.attempts.length} ways past it are open`;
  return `\`fence: required\` can't be met here${count}.`;
}

function conclusion({ holds, escapes, sandbox }: DoctorReport): string {
  if (holds) return "Graders are held here: --sandbox required can be met.";
  const out = escapes.filter(({ outcome }) => outcome === "out").length;
  const first =
    sandbox.asked === "required"
      ? "--sandbox required can't be met here"
      : "Graders are not held here";
  const count = out === 0 ? "" : `; ${out} of ${escapes.length} ways out are open`;
  return `${first}${count}. What that means: docs/sandbox.md.`;
}
