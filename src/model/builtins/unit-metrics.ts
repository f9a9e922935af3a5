import { binary, type BuiltinDeclaration } from "./declaration.ts";

/** SyGra's metrics: a verdict per sample, and the aggregate over all samples. */
export const unitMetricGraders = {
  unit_metric: {
    description:
      "1 where the answer is right by a unit metric: exact or fuzzy match, a typed value, a point in a box, a scroll.",
    metrics: [binary("correct", "1 when the answer is right by the unit metric.")],
    needsTarget: true,
    options: {
      metric: {
        type: "string",
        enum: [
          "action_within_bbox",
          "exact_match",
          "fuzzy_match",
          "scroll_amount",
          "scroll_direction",
          "typed_value_match",
        ],
        description: "The unit metric.",
        examples: ["exact_match"],
      },
      field: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description:
          "Where the answer is a JSON object, its field that is compared; without one, an empty text.",
        examples: ["predicted_answer"],
      },
      key: {
        type: ["string", "null"],
        default: null,
        description:
          "exact_match, fuzzy_match: the key of the text in golden and predicted object.",
        examples: ["text"],
      },
      threshold: {
        type: ["number", "null"],
        minimum: 0,
        maximum: 1,
        default: null,
        description: "fuzzy_match: the least similarity of a right answer, 0 to 1; default 0.8.",
        examples: [0.9],
      },
      case_sensitive: {
        type: ["boolean", "null"],
        default: null,
        description: "Metrics of texts: whether upper and lower case differ; default false.",
        examples: [true],
      },
      normalize_whitespace: {
        type: ["boolean", "null"],
        default: null,
        description: "Metrics of texts: whether any white space counts as one space; default true.",
        examples: [false],
      },
      golden_text_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "typed_value_match: the key of the wanted text; default text.",
        examples: ["text"],
      },
      predicted_text_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "typed_value_match: the key of the typed text; default text.",
        examples: ["typed"],
      },
      golden_bbox_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description:
          "action_within_bbox: the key of the wanted box, with x, y, width and height; default bbox.",
        examples: ["box"],
      },
      predicted_x_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "action_within_bbox: the key of the point's x; default x.",
        examples: ["left"],
      },
      predicted_y_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "action_within_bbox: the key of the point's y; default y.",
        examples: ["top"],
      },
      golden_direction_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "scroll_direction: the key of the wanted direction; default direction.",
        examples: ["way"],
      },
      predicted_direction_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "scroll_direction: the key of the predicted direction; default direction.",
        examples: ["way"],
      },
      golden_amount_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "scroll_amount: the key of the wanted amount; default amount.",
        examples: ["pixels"],
      },
      predicted_amount_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "scroll_amount: the key of the predicted amount; default amount.",
        examples: ["pixels"],
      },
      fuzzy_match_threshold: {
        type: ["number", "null"],
        minimum: 0,
        maximum: 1,
        default: null,
        description:
          "typed_value_match: the least similarity of a right answer, 0 to 1; default 0.8.",
        examples: [0.9],
      },
      tolerance: {
        type: ["number", "null"],
        minimum: 0,
        default: null,
        description: "action_within_bbox: how far outside the box a right point may be; default 0.",
        examples: [5],
      },
      tolerance_percent: {
        type: ["number", "null"],
        minimum: 0,
        default: null,
        description: "scroll_amount: how far off a right amount may be, in percent; default 20.",
        examples: [10],
      },
      scroll_threshold: {
        type: ["number", "null"],
        minimum: 0,
        default: null,
        description: "scroll_amount: the largest right amount where none is wanted; default 10.",
        examples: [5],
      },
    },
  },
  aggregate: {
    description:
      "Accuracy, precision, recall, F1, pass@k, pass^k or step efficiency over what a unit metric said of all samples.",
    metrics: [
      {
        id: "value",
        description: "The aggregator's value; of precision, recall and F1, that of all classes.",
        higher_is_better: true,
        range: [0, 1],
        scale: "graded",
        aggregation: "mean",
      },
    ],
    seesAll: true,
    // It counts samples as they arrive and runs no user code: an hour covers long runs and harms nothing.
    timeoutSeconds: 3600,
    options: {
      aggregator: {
        type: "string",
        enum: [
          "accuracy",
          "f1_score",
          "pass@k",
          "pass^k",
          "precision",
          "recall",
          "step_efficiency",
        ],
        description: "What is computed.",
        examples: ["f1_score"],
      },
      source: {
        type: "string",
        minLength: 1,
        description:
          "The name of the grader whose results are read: a `unit_metric`, or one that gives the same.",
        examples: ["exact_match"],
      },
      predicted_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "precision, f1_score: the key of the class in the predicted object.",
        examples: ["text"],
      },
      golden_key: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description: "recall, f1_score: the key of the class in the golden object.",
        examples: ["text"],
      },
      k: {
        type: ["integer", "null"],
        minimum: 1,
        maximum: 100,
        default: null,
        description: "pass@k, pass^k: the largest number of results that are drawn.",
        examples: [3],
      },
      penalty_per_retry: {
        type: ["number", "null"],
        minimum: 0,
        maximum: 1,
        default: null,
        description: "step_efficiency: what a retry costs; default 0.2.",
        examples: [0.25],
      },
      metadata: {
        type: ["object", "null"],
        additionalProperties: { type: "string", minLength: 1, description: "A field of the row." },
        default: null,
        description:
          "Fields of the row that metadata of results get, by their names there; step_efficiency reads mission_id, step_id, retry_id and retry_number.",
        examples: [{ mission_id: "mission" }],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;
