import type { Said } from "./said.ts";

/** Problems of recordings and commands that can be found before the first sample. */
export const candidateTexts = {
  format_unchecked: ({ id }: { id: string }): Said => ({
    message: `the answers of ${id} are not checked against the schema that it is asked for: it has a keyword that Regrade does not know`,
    hint: "docs/graders.md lists the keywords of the grader json_schema, which checks them.",
  }),
  agent_missing: (found: { agent: string; program: string; package: string }): Said => ({
    message: `the agent ${found.agent} is not installed: there is no program '${found.program}' on the PATH`,
    hint: `Install it on the runner before this step: npm install --global ${found.package}.`,
  }),
  fence_missing: ({ why }: { why: string }): Said => ({
    message: `this candidate is to run behind a fence, which can't be put up here: ${why}`,
    hint: "It needs Linux 6.2 or newer with Landlock turned on, on x86-64 or arm64, and Python with ctypes; `regrade doctor` tries it. With `fence: auto` the candidate runs without where there is none, and the run says so.",
  }),
  fence_grant: (found: { path: string; holds: string; kind: string }): Said => ({
    message: `a fence can't leave '${found.path}' open: it would show the candidate ${found.holds}`,
    hint: `Name in 'inputs' and in '${found.kind}' only what the program itself needs: no data sets, suites, runs, baselines or files of git, nor folders and links that lead to them.`,
  }),
  fence_without_inputs: ({ kind }: { kind: string }): Said => ({
    message: `a ${kind} behind a fence needs 'inputs': it can read its own files and those that 'inputs' names, and no others`,
    hint: 'Name the files that the program reads: inputs: ["app.py", "lib/**"].',
  }),
  fence_open: ({ id, why }: { id: string; why: string }): Said => ({
    message: `${id} runs without a fence, and can read the answers: ${why}`,
    hint: "`fence: required` refuses to run it so; `regrade doctor` says what this machine has.",
  }),
  agent_key_missing: (found: { agent: string; name: string; keys: readonly string[] }): Said => ({
    message: `the agent ${found.agent} has no key: none of ${found.keys.join(", ")} is set`,
    hint: `Set one where Regrade is started (in a workflow: env: { ${found.name}: "\${{ secrets.${found.name} }}" }; pull requests from forks get no secrets), or name in 'env' the variables that it needs.`,
    missing: found.name,
  }),
  agent_key: (found: { agent: string; key: string; why: string; instead: string }): Said => ({
    message: `${found.agent} can't do what '${found.key}' asks: ${found.why}`,
    hint: found.instead,
  }),
  agent_conversation: ({ agent, key }: { agent: string; key: string }): Said => ({
    message: `the agent ${agent} is given one prompt, and the task asks with \`${key}\``,
    hint: "Ask it with `prompt_template`. An agent calls its tools itself, and has them from `mcp_servers`.",
  }),
  cassette_unreadable: ({ path }: { path: string }): Said => ({
    message: `${path} is no cassette here: this line has no key and value`,
    hint: "Delete the file, and record it again: `mode: record`.",
  }),
  tool_server_unknown: ({
    tool,
    server,
    known,
    nearest,
  }: {
    tool: string;
    server: string;
    known: readonly string[];
    nearest: string | undefined;
  }): Said => ({
    message: `the tool ${tool} is of a server '${server}', and \`mcp_servers\` has none of that name`,
    hint:
      nearest === undefined
        ? known.length === 0
          ? "Add the server to `mcp_servers`, or take the tool out."
          : `Name a tool of ${known.join(", ")}.`
        : `Did you mean '${nearest}'?`,
  }),
  server_key_idle: ({ key, why }: { key: string; why: string }): Said => ({
    message: `\`${key}\` has no meaning here: ${why}`,
    hint: "`env` belongs to a server with a `command`, `headers` and `type` to one with a `url`.",
  }),
  skill_without_file: ({ path }: { path: string }): Said => ({
    message: `the skill '${path}' has no SKILL.md`,
    hint: "A skill is a folder with a file SKILL.md, which begins with its name and description.",
  }),
  skill_twice: ({ name }: { name: string }): Said => ({
    message: `two skills have folders of the name '${name}'`,
    hint: "An agent knows a skill by its folder's name: rename one of them.",
  }),
  workspace_not_folder: ({ path }: { path: string }): Said => ({
    message: `the workspace '${path}' is no folder`,
    hint: "Name the folder that an agent is to begin with.",
  }),
  workspace_of_answers: ({ path }: { path: string }): Said => ({
    message: `the workspace holds the data set ${path}, which says what is right`,
    hint: "Keep the data set out of the folder that an agent is given.",
  }),
  workspace_of_suite: ({ path }: { path: string }): Said => ({
    message: `the workspace '${path}' holds this suite, and with it what the answers are compared with`,
    hint: "Put the agent's files into a folder of their own, without the suite and its data.",
  }),
  replay_key_idle: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` has no meaning here`,
    hint: "`format` belongs to a `path` of trajectories; `model`, `output_field` and `id_field` to a `file` of recordings.",
  }),
  path_is_file: ({ path }: { path: string }): Said => ({
    message: `'${path}' is a file`,
    hint: "Name the folder that holds it.",
  }),
  trajectories_none: ({ path }: { path: string }): Said => ({
    message: `the folder '${path}' holds no trajectory`,
    hint: "Its files, and those of folders in it, end in .json and are of ATIF 1.",
  }),
  trajectory_unreadable: ({ path, reason }: { path: string; reason: string }): Said => ({
    message: `'${path}' is no trajectory of ATIF: ${reason}`,
    hint: "Put the trajectories into a folder of their own.",
  }),
  replay_bad_line: ({ reason }: { reason: string }): Said => ({
    message: `the recording can't be read: ${reason}`,
  }),
  replay_field_missing: ({ field, option }: { field: string; option: string }): Said => ({
    message: `the recording has no '${field}'`,
    hint: `Each line is an object with the case's id and the output; other names of theirs are told with ${option}.`,
  }),
  replay_field_kind: (found: { field: string; found: string; wanted: string }): Said => ({
    message: `'${found.field}' of the recording is ${found.found}; it must be ${found.wanted}`,
  }),
  replay_duplicate: ({ caseId, firstLine }: { caseId: string; firstLine: number }): Said => ({
    message: `a second recording of case '${caseId}': line ${firstLine} has it too, and only one can be replayed`,
    hint: "Drop one of them, or tell repeats apart with 'repeat': 0, 1, 2, …",
  }),
  replay_several_models: ({ models }: { models: string }): Said => ({
    message: `the file holds recordings of several models: ${models}`,
    hint: "Name the one to replay: replay: {file: …, model: …}.",
  }),
  replay_model_missing: (found: {
    model: string;
    known: string;
    nearest: string | undefined;
  }): Said => ({
    message: `the file holds no recording of the model '${found.model}'; it has ${found.known}`,
    ...(found.nearest === undefined ? {} : { hint: `Did you mean '${found.nearest}'?` }),
  }),
  replay_foreign: (found: { recorded: readonly string[]; cases: readonly string[] }): Said => ({
    message: `the recording answers no case: its ids are such as ${found.recorded.join(", ")}, and those of the cases such as ${found.cases.join(", ")}`,
    hint: "Name the field of its lines that has the case's id with `id_field`, or record the answers to these cases.",
  }),
  replay_empty: (): Said => ({
    message: "the file holds no recordings",
    hint: 'Put one object a line in it: {"case_id": "…", "output_text": "…"}.',
  }),
  program_missing: ({ program, relative }: { program: string; relative: boolean }): Said => ({
    message: `there is no program '${program}'${relative ? "" : " on the PATH"}`,
    hint: relative
      ? "A command runs in the manifest's folder: check the path from there."
      : "Install it on the runner before this step, or give its path from the manifest's folder.",
  }),
  program_not_executable: ({ program }: { program: string }): Said => ({
    message: `the program '${program}' may not be executed`,
    hint: `Make it executable (chmod +x ${program}, git update-index --chmod=+x ${program}), or name its interpreter first: [python3, ${program}].`,
  }),
  env_missing: ({ name }: { name: string }): Said => ({
    message: `the candidate asks for the environment variable ${name}, which is not set or empty`,
    hint: `Set it where Regrade is started (in a workflow: env: { ${name}: "\${{ secrets.${name} }}" }; pull requests from forks get no secrets), or leave it out of 'env'.`,
    missing: name,
  }),
  env_refused: ({ name }: { name: string }): Said => ({
    message: `the environment variable ${name} belongs to the runner and is never handed to a candidate`,
    hint: "With it a candidate could act as the workflow. Give it a token of its own, under another name.",
  }),
  inputs_unmatched: ({ glob }: { glob: string }): Said => ({
    message: `'${glob}' matches no file`,
    hint: "'inputs' names the files that the command's answers depend on: from the manifest's folder, inside the repository.",
  }),
  inputs_outside: ({ path }: { path: string }): Said => ({
    message: `'inputs' matches '${path}', which leads out of the repository`,
    hint: "Answers that depend on a file out there can't be told from older ones. Narrow the glob, or put the file itself in the place of the link.",
  }),
  instructions_target: ({ field }: { field: string }): Said => ({
    message: `\`instructions\` tell the candidate '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of them.",
  }),
  instructions_row: (): Said => ({
    message: "`instructions` tell the candidate the whole row",
    hint: "Name the fields that it may see instead of {{row}}.",
  }),
  inputs_unnamed: ({ path }: { path: string }): Said => ({
    message: `'inputs' matches '${path}', whose name is not UTF-8 (its bytes that are none stand as \ufffd)`,
    hint: "It can't be opened by that name, so that a change of it would not be seen. Rename it, or narrow the glob.",
  }),
  pass_target: ({ field }: { field: string }): Said => ({
    message: `'pass' hands the candidate '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of 'pass'.",
  }),
  request_target: ({ field }: { field: string }): Said => ({
    message: `the request tells the app '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of 'url', 'headers', 'body' and 'pass'.",
  }),
  answer_target: ({ field }: { field: string }): Said => ({
    message: `'answer' shows '${field}', which the target is made of: it would always be right`,
    hint: "Answer with a fixed text or with other fields. To see how a suite judges, give the rows a field of answers that the target does not use.",
  }),
} satisfies Record<string, (found: never) => Said>;
