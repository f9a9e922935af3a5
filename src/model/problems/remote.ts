import { plural } from "../number-words.ts";
import type { Said } from "./said.ts";

/** Problems with data sets of Hugging Face, and with files at addresses. */
export const remoteTexts = {
  hub_path_malformed: ({ path }: { path: string }): Said => ({
    message: `found ${JSON.stringify(path)}, which can't be a dataset of Hugging Face`,
    hint: "A path is owner/name, such as facebook/belebele; files behind addresses go under `path: json` or `path: csv` with `data_files`.",
  }),
  data_files_missing: ({ builder }: { builder: string }): Said => ({
    message: `\`path: ${builder}\` reads files, and \`data_files\` does not say which`,
    hint: "Add data_files: an http(s) address, a list of them, or a mapping by split.",
  }),
  data_files_empty: (): Said => ({
    message: "`data_files` names no file",
    hint: "Name at least one http(s) address.",
  }),
  data_files_kind: (): Said => ({
    message: "found something else than an address in `data_files`",
    hint: "Give an http(s) address, a list of them, or a mapping by split of these.",
  }),
  data_files_split: ({ split, known, nearest }: SplitUnknown): Said => ({
    message: `\`data_files\` has no files of the split ${JSON.stringify(split)}; it has ${listed(known)}`,
    hint:
      nearest === undefined
        ? "Name one of these in `split` (the default is test), or add it."
        : `Did you mean \`split: ${nearest}\`?`,
  }),
  hub_needs_token: ({ path }: { path: string }): Said => ({
    message: `Hugging Face has no dataset ${path}, or it is private or gated: nobody may read it without a token`,
    hint: "Check the spelling. Where it is private or gated, put a token of an account that may read it into the environment variable HF_TOKEN (in a workflow: env: HF_TOKEN: ${{ secrets.HF_TOKEN }}).",
  }),
  hub_no_access: ({ path }: { path: string }): Said => ({
    message: `Hugging Face has no dataset ${path}, or the account of HF_TOKEN may not read it`,
    hint: "Check the spelling. Where it is gated, accept its conditions on its page with that account; a fine-grained token must also allow the dataset.",
  }),
  hub_refused: ({ path, reason }: { path: string; reason: string }): Said => ({
    message: `the dataset server gives no rows of ${path} (${reason})`,
    hint: "Whether it can is shown by the viewer on the dataset's page. Where it can't, name the dataset's files: path: json or path: csv with data_files.",
  }),
  hub_answer_bad: ({ where, reason }: { where: string; reason: string }): Said => ({
    message: `the dataset server's answer for ${where} can't be used: ${reason}`,
    hint: "Run again; if it stays so, name the dataset's files: path: json or path: csv with data_files.",
  }),
  hub_config_unknown: (found: ConfigUnknown): Said => ({
    message: `the dataset ${found.path} has no config ${JSON.stringify(found.name)}; it has ${listed(found.known)}`,
    hint:
      found.nearest === undefined
        ? "Name one of these in `name`, or leave it out."
        : `Did you mean \`name: ${found.nearest}\`?`,
  }),
  hub_split_unknown: (found: HubSplitUnknown): Said => ({
    message: `the dataset ${found.path}${found.config === undefined ? "" : ` (config ${found.config})`} has no split ${JSON.stringify(found.split)}; it has ${listed(found.known)}`,
    hint:
      found.nearest === undefined
        ? "Name one of these in `split` (the default is test; train for few-shot examples)."
        : `Did you mean \`split: ${found.nearest}\`?`,
  }),
  hub_config_chosen: (found: ConfigChosen): Said => ({
    message: `${found.count} configs of ${found.path} have a split ${JSON.stringify(found.split)}, and \`name\` chooses none: ${found.config} is read, the first`,
    hint: `Write name: ${found.config}, so that a config that is added before it changes nothing.`,
  }),
  hub_revision_untold: ({ path, revision }: { path: string; revision: string }): Said => ({
    message: `the dataset server does not tell which revision of ${path} it has: it may not be ${revision}`,
    hint: "Leave `revision` out to read its current one.",
  }),
  hub_revision_unknown: (found: { path: string; revision: string; reason: string }): Said => ({
    message: `the dataset ${found.path} has no revision ${JSON.stringify(found.revision)} (${found.reason})`,
    hint: "A revision is a branch, a tag or a commit of the dataset's repository.",
  }),
  hub_revision_other: (found: { path: string; revision: string; served: string }): Said => ({
    message: `the dataset server has ${found.path} as of the commit ${found.served}, and \`revision\` asks for ${found.revision}; it has no other`,
    hint: `Write revision: ${found.served} or leave it out; or read that revision's files: path: json or path: csv with data_files: https://huggingface.co/datasets/${found.path}/resolve/${found.revision}/…`,
  }),
  hub_changed: ({ where }: { where: string }): Said => ({
    message: `the dataset ${where} was changed while it was read`,
    hint: "Run again: half of two revisions would be neither.",
  }),
  hub_page_short: (found: PageShort): Said => ({
    message: `the dataset server gave ${found.found} rows of ${found.where} from row ${found.offset + 1} on, where ${found.expected} should be`,
    hint: "Rows would go missing unseen. Run again; if it stays so, name the dataset's files: path: json or path: csv with data_files.",
  }),
  hub_partial: ({ path, rows }: { path: string; rows: number }): Said => ({
    message: `the dataset server holds only the first ${rows} rows of this split of ${path}`,
    hint: `Write max_rows: ${rows} or less to take these, or name the dataset's files: path: json or path: csv with data_files.`,
  }),
  hub_cells_cut: ({ row, columns }: { row: number; columns: readonly string[] }): Said => ({
    message: `the dataset server truncated row ${row} in ${listed(columns)}: the row is incomplete`,
    hint: "Name the dataset's files instead: path: json or path: csv with data_files.",
  }),
  hub_files: ({ path, columns }: { path: string; columns: readonly string[] }): Said => ({
    message: `the dataset ${path} has files (images, sound) under ${listed(columns)}: the rows hold links to them that no candidate can open`,
  }),
  remote_too_many: ({ rows, limit }: { rows: number | undefined; limit: number }): Said => ({
    message:
      rows === undefined
        ? `there are more than ${limit} rows, which is the most that is read`
        : `there are ${rows} rows; the most that is read is ${limit}`,
    hint: `Write max_rows: ${limit} or less.`,
  }),
  remote_forbidden: ({ url, reason }: { url: string; reason: string }): Said => ({
    message: `${url} is not asked: ${reason}`,
    hint: "Data is read from public http(s) hosts only, including redirects: a suite may come from a stranger, and must not reach this machine's network. Put the file into the repository.",
  }),
  remote_broken: ({ url, reason }: { url: string; reason: string }): Said => ({
    message: `the answer of ${shortUrl(url)} broke off: ${reason}`,
    hint: "Run again.",
  }),
  remote_failed: ({ url, reason }: { url: string; reason: string }): Said => ({
    message: `${url} gives no answer that can be used: ${reason}`,
    hint: "Run again later; what has been read of it so far is kept.",
  }),
  remote_paused: (found: Paused): Said => ({
    message: `${found.url} asks to come back in ${found.minutes} ${plural(found.minutes, "minute")} (${found.reason}; asked ${found.attempts} times)`,
    hint: "Run again then: what has been read so far is kept. With a token in HF_TOKEN Hugging Face allows more requests, and max_rows needs fewer.",
  }),
  data_file_denied: (found: FileDenied): Said => ({
    message: `${found.url} may not be read (HTTP ${found.status})`,
    hint: found.needsToken
      ? "Where the dataset is private or gated, put a token of an account that may read it into the environment variable HF_TOKEN."
      : "Its server requires a login; Regrade sends one only to Hugging Face (HF_TOKEN), if the account has access. Put the file into the repository, or behind an address that everybody may read.",
  }),
  data_file_status: ({ url, reason }: { url: string; reason: string }): Said => ({
    message: `${url} can't be read (${reason})`,
    hint: "Open the address in a browser that is not logged in: it must give the file itself.",
  }),
  data_file_kind: ({ what }: { what: string }): Said => ({
    message: `the file is ${what}; JSON lines, a JSON list or CSV is needed`,
    hint: "On Hugging Face the address of a file has /resolve/ in it, that of its page /blob/. A compressed file has to be unpacked, another kind converted.",
  }),
} satisfies Record<string, (found: never) => Said>;

interface SplitUnknown {
  readonly split: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

interface HubSplitUnknown extends SplitUnknown {
  readonly path: string;
  readonly config: string | undefined;
}

interface ConfigUnknown {
  readonly path: string;
  readonly name: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

interface ConfigChosen {
  readonly path: string;
  readonly split: string;
  readonly config: string;
  readonly count: number;
}

interface PageShort {
  readonly where: string;
  readonly offset: number;
  readonly expected: number;
  readonly found: number;
}

interface Paused {
  readonly url: string;
  readonly reason: string;
  readonly minutes: number;
  readonly attempts: number;
}

interface FileDenied {
  readonly url: string;
  readonly status: number;
  readonly needsToken: boolean;
}

const mostListed = 20;

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length - mostListed;
  return `${names.slice(0, mostListed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Removes the query, which may hold a key. */
function shortUrl(text: string): string {
  return text.replace(/[?#].*$/s, "");
}
