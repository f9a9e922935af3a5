/** Progress of a run: reported by run/, shown by the command line or the action. */
export type Progress =
  | {
      readonly kind: "task_started";
      readonly suite: string;
      readonly task: string;
      readonly samples: number;
    }
  | {
      readonly kind: "sample_finished";
      readonly task: string;
      readonly failed: boolean;
      /** Cost; absent if unknown. */
      readonly usd?: number;
    }
  /** A provider asked for a pause: nothing is sent to it until the pause is over. */
  | { readonly kind: "throttled"; readonly provider: string; readonly seconds: number }
  /** Information that is not a warning. */
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "warning"; readonly text: string };

export type Report = (progress: Progress) => void;
