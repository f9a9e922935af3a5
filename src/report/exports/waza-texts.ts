import { escapeLog, escapeMarkdown, escapeXml, escapeXmlAttribute } from "../escape.ts";

/** waza's texts of an outcome: its interpretation, its JUnit XML, and its comment. */

/** The fields of an outcome that the texts show. */
export interface WazaOutcome {
  readonly skill: string;
  readonly eval_name: string;
  readonly timestamp: string;
  readonly config: { readonly model_id: string; readonly engine_type: string };
  readonly summary: {
    readonly total_tests: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly errors: number;
    readonly skipped: number;
    readonly success_rate: number;
    readonly aggregate_score: number;
    readonly weighted_score: number;
    readonly min_score: number;
    readonly max_score: number;
    readonly std_dev: number;
    readonly duration_ms: number;
  };
  readonly tasks: readonly WazaTaskText[];
}

/** A task as the texts show it. */
export interface WazaTaskText {
  readonly display_name: string;
  readonly status: string;
  readonly stats?: {
    readonly pass_rate: number;
    readonly avg_score: number;
    readonly std_dev_score: number;
    readonly flaky: boolean;
    readonly avg_duration_ms: number;
  };
  readonly runs: readonly WazaRunText[];
}

interface WazaRunText {
  readonly status: string;
  readonly error_msg?: string;
  readonly validations: readonly WazaGradeText[];
}

/** A grader's result in a text. */
interface WazaGradeText {
  readonly identifier: string;
  readonly type: string;
  readonly score: number;
  readonly passed: boolean;
  readonly feedback: string;
}

/** The output of `waza run --interpret`. */
export function* interpretation({ summary, tasks }: WazaOutcome): Generator<string> {
  const { aggregate_score: score, weighted_score: weighted } = summary;
  yield `=== Interpretation ===\n\nOverall Score: ${scoreWords(score)}\n`;
  if (weighted !== score) yield `Weighted Score: ${scoreWords(weighted)}\n`;
  yield `Pass Rate:     ${passRateWords(summary.success_rate)}\nDuration:      ${exactDuration(summary.duration_ms)}\n`;
  if (summary.total_tests > 0)
    yield `Tests:         ${summary.succeeded} passed, ${summary.failed} failed, ${summary.errors} errors out of ${summary.total_tests} total\n`;
  if (tasks.length > 0) yield "\nPer-Task Interpretation:\n";
  for (const { display_name: name, status, stats } of tasks) {
    yield `  ${status === "passed" ? "✓" : "✗"} ${escapeLog(name)}: ${status}\n`;
    if (stats !== undefined)
      yield `    Score: ${scoreWords(stats.avg_score)}\n    ${flakyWords(stats)}\n`;
  }
}

function scoreWords(score: number): string {
  const percent = score * 100;
  const words =
    percent > 90
      ? "Excellent (>90%)"
      : percent >= 70
        ? "Good (70-90%)"
        : percent >= 50
          ? "Needs Work (50-70%)"
          : "Poor (<50%)";
  return `${fixed(score, 2)} — ${words}`;
}

function passRateWords(rate: number): string {
  const percent = rate * 100;
  const share =
    percent >= 100 ? "All" : percent >= 80 ? "Most" : percent >= 50 ? "About half the" : "Few";
  return `${share} tests passed (${fixed(percent, 0)}%)`;
}

function flakyWords({ flaky, pass_rate: rate }: NonNullable<WazaTaskText["stats"]>): string {
  if (!flaky) return "Results are consistent across runs.";
  return `Results are flaky — the same test passes and fails across runs (${fixed(rate * 100, 0)}% pass rate). Consider increasing trials or investigating non-determinism.`;
}

/** The file of `waza run --reporter junit:FILE`, which waza writes only if nothing failed. */
export function* wazaJunit(outcome: WazaOutcome): Generator<string> {
  const { summary, tasks, skill, config } = outcome;
  const counts = `tests="${summary.total_tests}" failures="${summary.failed}" errors="${summary.errors}"`;
  const seconds = summary.duration_ms / 1000;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts} time="${seconds}">\n`;
  const name = escapeXmlAttribute(outcome.eval_name);
  yield `  <testsuite name="${name}" ${counts} skipped="${summary.skipped}" time="${seconds}" timestamp="${outcome.timestamp}">\n    <properties>\n`;
  const properties = {
    skill,
    model: config.model_id,
    engine: config.engine_type,
    score: fixed(summary.aggregate_score, 4),
  };
  for (const [key, value] of Object.entries(properties))
    yield `      <property name="${key}" value="${escapeXmlAttribute(value)}"></property>\n`;
  yield "    </properties>\n";
  for (const task of tasks) yield junitCase(task, skill);
  yield "  </testsuite>\n</testsuites>";
}

function junitCase(task: WazaTaskText, skill: string): string {
  const { display_name: name, status, stats } = task;
  const seconds = (stats?.avg_duration_ms ?? 0) / 1000;
  const start = `    <testcase name="${escapeXmlAttribute(name)}" classname="${escapeXmlAttribute(skill)}" time="${seconds}">`;
  if (status === "passed") return `${start}</testcase>\n`;
  return `${start}\n      ${status === "error" ? junitError(task) : junitFailure(task)}\n    </testcase>\n`;
}

function junitError({ runs }: WazaTaskText): string {
  const message = runs.find(({ error_msg: told = "" }) => told !== "")?.error_msg;
  return `<error message="${escapeXmlAttribute(message ?? "execution error")}" type="ExecutionError"></error>`;
}

function junitFailure({ display_name: name, stats, runs }: WazaTaskText): string {
  const message = `${name}: score=${fixed(stats?.avg_score ?? 0, 2)}`;
  const failed = runs.find(({ status }) => status !== "passed")?.validations ?? [];
  const lines = byName(failed)
    .filter(({ passed }) => !passed)
    .map(
      ({ identifier, type, score, feedback }) =>
        `[FAIL] ${identifier} (${type}): score=${fixed(score, 2)} — ${feedback}\n`,
    );
  // Go writes a line break in an element's text in this form.
  const body = escapeXml(lines.join("")).replaceAll("\n", "&#xA;");
  return `<failure message="${escapeXmlAttribute(message)}" type="GraderFailure">${body}</failure>`;
}

/** The output of `waza run --format github-comment`. */
export function* wazaComment(outcome: WazaOutcome): Generator<string> {
  const { summary, tasks, config } = outcome;
  const hasFailed = summary.failed + summary.errors > 0;
  yield "## 🧪 Waza Eval Results\n\n";
  yield `**Status:** ${hasFailed ? "❌ Failed" : "✅ Passed"} | **Score:** ${fixed(summary.aggregate_score, 2)} | **Duration:** ${shortDuration(summary.duration_ms)}\n\n`;
  yield `- **Tests:** ${summary.total_tests} total, ${summary.succeeded} passed, ${summary.failed} failed, ${summary.errors} errors\n`;
  yield `- **Success Rate:** ${fixed(summary.success_rate * 100, 1)}%\n`;
  yield `- **Score Range:** ${fixed(summary.min_score, 2)} - ${fixed(summary.max_score, 2)} (σ=${fixed(summary.std_dev, 4)})\n\n`;
  yield "### Task Results\n\n| Task | Score | Status | Graders |\n|------|-------|--------|----------|\n";
  for (const task of tasks) yield taskRow(task);
  yield "\n";
  const flaky = tasks.flatMap((task) => flakyLine(task));
  if (flaky.length > 0)
    yield `### ⚠️ Flaky Tasks\n\nThe following tasks showed inconsistent results across runs:\n\n${flaky.join("")}\n`;
  if (hasFailed) {
    yield "### Failed Task Details\n\n";
    for (const task of tasks) if (task.status !== "passed") yield failedDetails(task);
  }
  yield `---\n\n**Benchmark:** ${escapeMarkdown(outcome.eval_name)} | **Skill:** ${escapeMarkdown(outcome.skill)} | **Model:** ${escapeMarkdown(config.model_id)}\n`;
}

function taskRow({ display_name: name, status, stats, runs: [first] }: WazaTaskText): string {
  const graders = byName(first?.validations ?? []).map(({ identifier }) => identifier);
  const named = graders.length === 0 ? "-" : escapeMarkdown(graders.join(", "));
  return `| ${escapeMarkdown(name)} | ${fixed(stats?.avg_score ?? 0, 2)} | ${status === "passed" ? "✅" : "❌"} | ${named} |\n`;
}

function flakyLine({ display_name: name, stats }: WazaTaskText): readonly string[] {
  if (stats?.flaky !== true) return [];
  const [rate, score, deviation] = [
    fixed(stats.pass_rate * 100, 0),
    fixed(stats.avg_score, 2),
    fixed(stats.std_dev_score, 2),
  ];
  return [`- **${escapeMarkdown(name)}**: ${rate}% pass rate, score=${score}±${deviation}\n`];
}

function failedDetails({ display_name: name, runs }: WazaTaskText): string {
  const told = runs.flatMap(({ status, validations }, i) => {
    if (status === "passed") return [];
    const lines = byName(validations).map(
      ({ identifier, score, passed, feedback }) =>
        `- ${passed ? "✅" : "❌"} **${escapeMarkdown(identifier)}** (${fixed(score, 2)}): ${escapeMarkdown(feedback)}\n`,
    );
    return [`**Run ${i + 1}/${runs.length}** (${status}):\n${lines.join("")}\n`];
  });
  return `#### ${escapeMarkdown(name)}\n\n${told.join("")}`;
}

function byName(grades: readonly WazaGradeText[]): readonly WazaGradeText[] {
  return grades.toSorted((a, b) => (a.identifier < b.identifier ? -1 : 1));
}

/** Rounds as Go does: half to even. */
function fixed(value: number, digits: number): string {
  const scaled = Math.abs(value) * 10 ** digits;
  const below = Math.floor(scaled);
  if (scaled - below !== 0.5) return value.toFixed(digits);
  const even = below % 2 === 0 ? below : below + 1;
  return `${value < 0 ? "-" : ""}${(even / 10 ** digits).toFixed(digits)}`;
}

/** A duration as Go writes it: `1h1m5.5s`. */
function exactDuration(milliseconds: number): string {
  if (milliseconds === 0) return "0s";
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60
    ? `${minutes}m${seconds}`
    : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}

function shortDuration(milliseconds: number): string {
  return milliseconds === 0 ? "0ms" : exactDuration(milliseconds);
}
