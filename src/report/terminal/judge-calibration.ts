import type {
  JudgeApplied,
  JudgeCalibration,
  JudgedMetric,
} from "../../model/figures/judge-calibration.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { count, counted } from "../words/figures.ts";
import { judgeWords } from "../words/judges.ts";
import { columns, type TextCell } from "./text-table.ts";

/** The output of `regrade calibrate RUN --judge LABELS`: agreement, bias and its slices, and the corrected means. */
export function renderJudgeCalibration(
  calibration: JudgeCalibration | JudgeApplied,
  width: number,
): string {
  if (calibration.format === "regrade.judge-applied/1") return renderApplied(calibration, width);
  const parts = [
    ...calibration.metrics.flatMap((metric) => [
      opening(metric),
      confusion(metric, width),
      slices(metric, width),
      means(metric, width),
    ]),
    calibration.notes.map((note) => line(`Note: ${note}`)).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The judge's mean beside the mean that people would give. */
function renderApplied({ metrics, notes }: JudgeApplied, width: number): string {
  const rows = metrics.flatMap((one) => {
    if (one.kind === "void") return [];
    const told = judgeWords(one, "number");
    return [
      [
        cell(line(`${told.name} · ${told.candidate}`), "left"),
        cell(told.labels),
        cell(told.judge),
        cell(told.people),
        cell(told.method, "left"),
      ],
    ];
  });
  const head = ["mean", "by", "judge", "as people would", ""].map((text) => cell(text));
  const noted = notes.map((note) => line(`Note: ${note}`)).join("\n");
  return `${columns([head, ...rows], width)}\n\n${noted}\n`;
}

function line(text: string): string {
  return escapeLogLine(clip(text, 800));
}

type Figure = JudgedMetric["bias"];

function opening(metric: JudgedMetric): string {
  const {
    labels,
    left_out: left,
    agreement,
    kappa,
    alpha,
    alpha_people: people,
    bias,
    slope,
  } = metric;
  const lines = [
    `${metric.task}/${metric.metric}: the judge beside people, on ${counted(labels, "sample")}${leftWords(left)}`,
    `  the same score: ${count(agreement.count)} of ${count(agreement.of)} (${percent(agreement.rate)}, 95% interval ${percent(agreement.ci[0])} to ${percent(agreement.ci[1])})`,
    ...(kappa === null ? [] : [`  Cohen's kappa: ${words(kappa)}`]),
    ...(alpha === null ? [] : [`  Krippendorff's alpha: ${words(alpha)}`]),
    ...(people === null ? [] : [`  people among themselves: alpha ${words(people)}`]),
    `  the judge's mean less people's: ${words(bias)}${biasWords(bias)}`,
    ...(slope === null
      ? []
      : [`  of a difference between people's scores it shows: ${words(slope)} of it`]),
    `  holds for the rubric ${short(metric.bound.grader)}${metric.bound.judge === null ? "" : ` and the judge model ${short(metric.bound.judge)}`}`,
  ];
  return lines
    .map((text) => (text.startsWith("  ") ? `  ${line(text.slice(2))}` : line(text)))
    .join("\n");
}

function leftWords({ unjudged, ties }: JudgedMetric["left_out"]): string {
  const parts = [
    ...(unjudged === 0 ? [] : [`${count(unjudged)} without a score`]),
    ...(ties === 0 ? [] : [`${count(ties)} on which people are split`]),
  ];
  return parts.length === 0 ? "" : ` (left out: ${parts.join(", ")})`;
}

function biasWords({ ci }: Figure): string {
  if (ci === null) return "";
  if (ci[0] > 0) return ": it is lenient";
  return ci[1] < 0 ? ": it is strict" : ": no bias is shown";
}

function short(hash: string): string {
  return hash.slice(0, 19);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** `0.512, 95% interval 0.330 to 0.694`. */
function words({ value, ci }: Figure): string {
  return ci === null ? signed(value) : `${signed(value)}, 95% interval ${range(ci)}`;
}

function range([lower, upper]: readonly [number, number]): string {
  return `${signed(lower)} to ${signed(upper)}`;
}

function signed(value: number): string {
  return value.toFixed(3).replace("-", "−");
}

function cell(text: string, align: TextCell["align"] = "right"): TextCell {
  return { text, align };
}

function confusion({ confusion: cells }: JudgedMetric, width: number): string {
  if (cells === null) return "";
  const kinds = [...new Set(cells.flatMap(({ people, judge }) => [people, judge]))].toSorted(
    (a, b) => a - b,
  );
  const rows = kinds.map((people) => [
    cell(`people: ${people}`, "left"),
    ...kinds.map((judge) =>
      cell(count(cells.find((one) => one.people === people && one.judge === judge)?.count ?? 0)),
    ),
  ]);
  const head = [cell("", "left"), ...kinds.map((judge) => cell(`judge: ${judge}`))];
  return columns([head, ...rows], width);
}

function slices({ slices: found }: JudgedMetric, width: number): string {
  if (found.length === 0) return "";
  const head = [cell("bias by slice", "left"), cell("samples"), cell("bias"), cell("95%")];
  const rows = found.map(({ slice, labels, bias }) => [
    cell(line(slice), "left"),
    cell(count(labels)),
    cell(signed(bias.value)),
    cell(bias.ci === null ? "–" : range(bias.ci)),
  ]);
  return columns([head, ...rows], width);
}

function means({ means: found }: JudgedMetric, width: number): string {
  const head = ["mean", "samples", "judge", "bias", "prediction-powered", "Rogan–Gladen"];
  const rows = found.map((mean) => [
    cell(line(mean.candidate), "left"),
    cell(count(mean.samples)),
    cell(figure(mean.judge)),
    cell(figure(mean.bias)),
    cell(figure(mean.prediction_powered)),
    cell(figure(mean.rogan_gladen)),
  ]);
  return columns([head.map((text, i) => cell(text, i === 0 ? "left" : "right")), ...rows], width);
}

function figure(found: Figure | null): string {
  if (found === null) return "–";
  return found.ci === null ? signed(found.value) : `${signed(found.value)} (${range(found.ci)})`;
}
