import { fieldsOfAnswer } from "../../candidate/answer.ts";
import { fieldsOfHttp } from "../../candidate/http.ts";
import { clusterValue, sliceValues } from "../../dataset/slices.ts";
import { handedTo } from "../../model/definition/candidate-kinds.ts";
import type { JsonObject } from "../../model/json.ts";
import { textOfMessages, type Conversation } from "../../model/models/message.ts";
import type { ToolResults } from "../../model/models/candidate.ts";
import type { Place, Problem } from "../../model/refusal.ts";
import type { Case, GraderItem, Row, ScoreRow } from "../../model/outcomes/sample.ts";
import type { Task } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { createFieldPicker, instructionProblems, passProblems } from "../../prompt/fields.ts";
import { askedValues } from "../../prompt/fewshot.ts";
import { graderItem } from "../../prompt/item.ts";
import { listFields, promptTemplateOf } from "../../prompt/messages.ts";
import {
  parseTemplate,
  render,
  targetOnlyFields,
  templateFields,
  type Template,
} from "../../prompt/template.ts";
import { conversationsOf, type Conversations } from "./conversations.ts";
import { answerTemplate, targetsRenderer } from "./answer-templates.ts";
import { noFewshot, type Fewshot } from "./fewshot.ts";

/** The question of a case. */
export interface RenderedPrompt extends Partial<Conversation> {
  /** Messages as one text. */
  readonly text: string;
}

/** Renders a task's prompts, targets and grader items. */
export interface Rendering {
  readonly renderPrompt: (asked: Pick<Case, "row" | "content">) => RenderedPrompt;
  readonly renderTarget: (row: Row) => string | null;
  readonly renderTargets: (row: Row) => Readonly<Record<string, string>> | undefined;
  readonly fieldsFor: (candidateId: string, row: Row) => JsonObject;
  /** The instructions of a case; undefined if they are the same for every case, or if the candidate has none. */
  readonly instructionsFor: (candidateId: string, row: Row) => string | undefined;
  /** undefined if the task has no `tool_results`. */
  readonly toolResultsFor: ((row: Row) => ToolResults) | undefined;
  readonly buildItem: (row: Row, rendered: { prompt: string; target: string | null }) => GraderItem;
  readonly slicesOf: (row: Row) => ScoreRow["slices"];
  readonly clusterOf: (row: Row) => ScoreRow["cluster"];
}

/** The parsed templates of a task. */
export interface Templates {
  readonly prompt: Template;
  readonly target: Template | undefined;
  /** Everything that answers are compared with, as one template. */
  readonly answer: Template | undefined;
  readonly targetOnly: ReadonlySet<string>;
}

/** Parses the templates of a task. */
export function parseTemplates(spec: Task): Templates {
  const prompt = promptTemplateOf(spec);
  const target =
    spec.target_template === undefined ? undefined : parseTemplate(spec.target_template);
  const answer = answerTemplate(spec);
  return { prompt, target, answer, targetOnly: targetOnlyFields(prompt, answer) };
}

/** Rendering for a task's cases. */
export function rendering(
  { spec, candidates }: { readonly spec: Task; readonly candidates: readonly CandidateSpec[] },
  { prompt, target, answer }: Templates,
  { fewshot, conversations }: { readonly fewshot: Fewshot; readonly conversations: Conversations },
): Rendering {
  const { choices } = spec;
  const instructions = new Map(
    candidates.flatMap((each) => {
      const template = instructionsTemplate(each);
      return template === undefined ? [] : [[each.id, template] as const];
    }),
  );
  const pickers = new Map(
    candidates.map((each) => [each.id, fieldPicker(each, spec, { prompt, answer })]),
  );
  return {
    renderPrompt: promptRenderer(prompt, { choices, fewshot, conversations }),
    renderTargets: targetsRenderer(spec),
    renderTarget: (row) => (target === undefined ? null : render(target, { row, choices })),
    fieldsFor: (candidateId, row) => pickers.get(candidateId)?.(row) ?? {},
    instructionsFor: (candidateId, row) => {
      const template = instructions.get(candidateId);
      return template && render(template, { row, choices });
    },
    toolResultsFor: conversations.toolResults,
    buildItem: (row, rendered) => graderItem(row, { ...rendered, choices, taskId: spec.id }),
    slicesOf: (row) => sliceValues(row, spec.slices),
    clusterOf: (row) => clusterValue(row, spec.cluster_by),
  };
}

/** Picks the fields to pass. Lists that are sent as messages are not passed as fields too, unless `pass` names them. */
function fieldPicker(
  candidate: CandidateSpec,
  { messages }: Task,
  { prompt, answer }: Pick<Templates, "prompt" | "answer">,
): (row: Row) => JsonObject {
  const pass = passOf(candidate);
  const pick = createFieldPicker(prompt, pass, answer);
  const lists = (messages === undefined ? [] : listFields(messages)).filter(
    (name) => !pass.includes(name),
  );
  if (lists.length === 0) return pick;
  return (row) =>
    Object.fromEntries(Object.entries(pick(row)).filter(([field]) => !lists.includes(field)));
}

function promptRenderer(
  prompt: Template,
  of: {
    readonly choices: readonly string[];
    readonly fewshot: Fewshot;
    readonly conversations: Conversations;
  },
): Rendering["renderPrompt"] {
  const { choices, fewshot } = of;
  const { render: converse } = of.conversations;
  if (converse === undefined)
    return ({ row, content }) => {
      const own = render(prompt, { row, choices });
      const values = askedValues(prompt, row);
      return { text: fewshot.before({ content, prompt: own, values }) + own };
    };
  return ({ row, content }) => {
    const asked = converse(row);
    const { turns } = asked;
    const own = textOfMessages([...asked.messages, ...turns]);
    const values = askedValues(prompt, row);
    const messages = fewshot.insert({ content, prompt: own, values }, asked.messages);
    return { text: textOfMessages([...messages, ...turns]), messages, turns };
  };
}

/** A model's instructions as a template, if they use fields; undefined: they are sent unchanged. */
export function instructionsTemplate(candidate: CandidateSpec): Template | undefined {
  if (candidate.kind !== "model") return undefined;
  const template = parseTemplate(candidate.generation.instructions ?? "");
  return template.parts.some(({ kind }) => kind !== "text") ? template : undefined;
}

/** Rendering of a task without examples, for another prompt or other candidates than those that it was opened with. */
export function renderingOf(spec: Task, candidates: readonly CandidateSpec[]): Rendering {
  const conversations = conversationsOf(spec);
  return rendering({ spec, candidates }, parseTemplates(spec), {
    fewshot: noFewshot,
    conversations,
  });
}

/** Fields of a row that a candidate receives in addition to its prompt. */
export function passOf(candidate: CandidateSpec): readonly string[] {
  if (candidate.kind === "http") return fieldsOfHttp(candidate);
  if (candidate.kind === "answer") return fieldsOfAnswer(candidate);
  const instructions = instructionsTemplate(candidate);
  if (instructions !== undefined) return [...templateFields(instructions).names];
  return handedTo(candidate).pass;
}

/** Fields that contain the answer and that a candidate would receive. */
export function passed(
  candidate: CandidateSpec,
  { place: placeAt }: { readonly place: (path: readonly (string | number)[]) => Place },
  { targetOnly }: Templates,
): readonly Problem[] {
  const instructions = instructionsTemplate(candidate);
  if (instructions !== undefined) {
    const place = placeAt(["candidates", candidate.id]);
    return instructionProblems(instructions, targetOnly, place);
  }
  const { code, key } = passedBy(candidate);
  const place = placeAt(["candidates", candidate.id, ...key]);
  return passProblems(passOf(candidate), { targetOnly, code }, place);
}

/** The manifest key that gives a candidate further fields of a row. */
function passedBy({ kind }: CandidateSpec) {
  if (kind === "answer") return { code: "answer_target", key: ["answer"] } as const;
  if (kind === "http") return { code: "request_target", key: [] } as const;
  return { code: "pass_target", key: ["pass"] } as const;
}
