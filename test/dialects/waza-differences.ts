/** Vectors of graders that come out differently on purpose, by the reason: docs/waza.md, "Differences". */
export const different: Readonly<Record<string, readonly string[]>> = {
  "a grader that checks nothing is refused": [
    "e0.tool_calls.empty-config",
    "e2.text.empty-substring-always-contained",
    "e0.tool_calls.only-max-calls-0-exceeded",
    "e1.keyword.no-keywords-passes",
    "e2.code.empty-assertions",
    "e0.script.no-script-path",
    "e2.text.unknown-keys-ignored-auto-pass-silent-no-op",
    "e0.llm_comparison.no-reference",
  ],
  "keys are taken as they are written, and whole numbers alone are limits": [
    "e2.program.decode-unknown-keys-ignored",
    "e2.text.config-key-names-are-case-insensitive",
    "e2.behavior.decode-float-limit-is-truncated",
    "e2.behavior.negative-limit",
  ],
  "0 is no limit, for failures too": [
    "e0.tool_calls.max-calls-0-exceeded-failure-counted-check-not-counted-0-1",
  ],
  "the outcome is empty, as in each of waza's runs": ["e2.code.real-session-events-javascript"],
  "a program that is not there refuses the file": [
    "e2.program.program-not-found-is-a-failure-not-an-error",
    "e0.script.missing-file",
  ],
  "a pattern, a schema or a snapshot that can't be used refuses the file": [
    "e1.regex.invalid-must-match",
    "e2.text.invalid-regex-not-match-reports-failure",
    "e2.file.invalid-regex-on-missing-file-is-reported-as-missing-not-invalid",
    "e2.diff.snapshot-file-missing-is-a-failed-check",
    "e2.diff.snapshot-relative-path-may-leave-context-dir-not-validated",
    "e2.json_schema.bad-json-output-is-checked-before-schema-problems",
  ],
  "what an answer's JSON lacks is said in other words": [
    "e0.script.invalid-json-output",
    "e2.json_schema.additionalproperties-false",
    "e2.json_schema.default-draft-is-2020-12-prefixitems-honoured",
    "e2.json_schema.markdown-fenced-json-is-not-valid-json",
    "e2.json_schema.trailing-text-is-invalid-json",
  ],
  "samples hold files, and no empty folders": [
    "e2.file.content-path-is-a-directory",
    "e2.file.directory-satisfies-must-exist",
    "e2.file.must-not-exist-on-directory-fails",
  ],
  "calls are counted, and seen, by the transcript alone": [
    "e2.behavior.max-tool-calls-uses-tool-call-count-not-tools-used-length",
    "e2.tool_constraint.matches-tool-calls-only-not-tools-used",
    "e2.code.session-digest-tool-calls-are-not-what-code-sees",
    "e0.code.tool-calls-from-role-tool-or-type-tool-call",
  ],
  "an assertion that raises, and a missing session, are worded in one way": [
    "e0.code.exception-text",
    "e2.action_sequence.nil-session",
  ],
  "a judge that gives no verdict, or breaks off, leaves the sample ungraded": [
    "e0.llm.client-exception",
    "e0.llm.no-client-available-mock-result",
    "e0.llm.score-missing-defaults-to-3",
    "e0.llm_comparison.exception",
    "e0.llm_comparison.no-client",
    "e2.prompt.pairwise-no-tool-call-defaults-to-tie-equal",
    "e2.prompt.no-grade-tool-called-score-0-failed-but-feedback-says-passed",
  ],
  "the test's judge has no way to break off": [
    "e2.prompt.pass-call-then-session-error-grade-error-passes-lost",
  ],
  "a judge's model goes by its name": ["e2.prompt.continue-session-resumes-the-agent-session"],
  "a run that judges changes no snapshots": [
    "e3.diff.update-snapshots-blocks-traversal",
    "e3.diff.update-snapshots-no-changes",
  ],
  "the test can't tell files of before and after apart": [
    "e3.diff.captured-workspace-files-preferred-over-disk",
  ],
  "nobody can answer in CI": ["e0.human.pending", "e0.human_calibration.pending"],
};
