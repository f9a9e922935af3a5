(function (require, module, importMetaUrl) { "use strict";
"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __export = (target, all) => {
  for (var name2 in all)
    __defProp(target, name2, { get: all[name2], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// <define:builtScripts>
var init_define_builtScripts = __esm({
  "<define:builtScripts>"() {
  }
});

// src/post.ts
var post_exports = {};
__export(post_exports, {
  startPostStep: () => startPostStep
});
module.exports = __toCommonJS(post_exports);
init_define_builtScripts();

// src/github/steps/post.ts
init_define_builtScripts();
var import_promises2 = require("node:timers/promises");

// src/github/api/check-memory.ts
init_define_builtScripts();

// node_modules/@actions/core/lib/core.js
init_define_builtScripts();

// node_modules/@actions/core/lib/command.js
init_define_builtScripts();
var os = __toESM(require("os"), 1);

// node_modules/@actions/core/lib/utils.js
init_define_builtScripts();
function toCommandValue(input) {
  if (input === null || input === void 0) {
    return "";
  } else if (typeof input === "string" || input instanceof String) {
    return input;
  }
  return JSON.stringify(input);
}
function toCommandProperties(annotationProperties) {
  if (!Object.keys(annotationProperties).length) {
    return {};
  }
  return {
    title: annotationProperties.title,
    file: annotationProperties.file,
    line: annotationProperties.startLine,
    endLine: annotationProperties.endLine,
    col: annotationProperties.startColumn,
    endColumn: annotationProperties.endColumn
  };
}

// node_modules/@actions/core/lib/command.js
function issueCommand(command, properties, message) {
  const cmd = new Command(command, properties, message);
  process.stdout.write(cmd.toString() + os.EOL);
}
function issue(name2, message = "") {
  issueCommand(name2, {}, message);
}
var CMD_STRING = "::";
var Command = class {
  constructor(command, properties, message) {
    if (!command) {
      command = "missing.command";
    }
    this.command = command;
    this.properties = properties;
    this.message = message;
  }
  toString() {
    let cmdStr = CMD_STRING + this.command;
    if (this.properties && Object.keys(this.properties).length > 0) {
      cmdStr += " ";
      let first = true;
      for (const key in this.properties) {
        if (this.properties.hasOwnProperty(key)) {
          const val = this.properties[key];
          if (val) {
            if (first) {
              first = false;
            } else {
              cmdStr += ",";
            }
            cmdStr += `${key}=${escapeProperty(val)}`;
          }
        }
      }
    }
    cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
    return cmdStr;
  }
};
function escapeData(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}
function escapeProperty(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/:/g, "%3A").replace(/,/g, "%2C");
}

// node_modules/@actions/core/lib/file-command.js
init_define_builtScripts();

// node_modules/@actions/core/lib/core.js
var os3 = __toESM(require("os"), 1);

// node_modules/@actions/core/lib/summary.js
init_define_builtScripts();
var import_os = require("os");
var import_fs = require("fs");
var __awaiter = function(thisArg, _arguments, P, generator) {
  function adopt(value) {
    return value instanceof P ? value : new P(function(resolve4) {
      resolve4(value);
    });
  }
  return new (P || (P = Promise))(function(resolve4, reject) {
    function fulfilled(value) {
      try {
        step(generator.next(value));
      } catch (e) {
        reject(e);
      }
    }
    function rejected(value) {
      try {
        step(generator["throw"](value));
      } catch (e) {
        reject(e);
      }
    }
    function step(result) {
      result.done ? resolve4(result.value) : adopt(result.value).then(fulfilled, rejected);
    }
    step((generator = generator.apply(thisArg, _arguments || [])).next());
  });
};
var { access, appendFile, writeFile } = import_fs.promises;
var SUMMARY_ENV_VAR = "GITHUB_STEP_SUMMARY";
var Summary = class {
  constructor() {
    this._buffer = "";
  }
  /**
   * Finds the summary file path from the environment, rejects if env var is not found or file does not exist
   * Also checks r/w permissions.
   *
   * @returns step summary file path
   */
  filePath() {
    return __awaiter(this, void 0, void 0, function* () {
      if (this._filePath) {
        return this._filePath;
      }
      const pathFromEnv = process.env[SUMMARY_ENV_VAR];
      if (!pathFromEnv) {
        throw new Error(`Unable to find environment variable for $${SUMMARY_ENV_VAR}. Check if your runtime environment supports job summaries.`);
      }
      try {
        yield access(pathFromEnv, import_fs.constants.R_OK | import_fs.constants.W_OK);
      } catch (_a) {
        throw new Error(`Unable to access summary file: '${pathFromEnv}'. Check if the file has correct read/write permissions.`);
      }
      this._filePath = pathFromEnv;
      return this._filePath;
    });
  }
  /**
   * Wraps content in an HTML tag, adding any HTML attributes
   *
   * @param {string} tag HTML tag to wrap
   * @param {string | null} content content within the tag
   * @param {[attribute: string]: string} attrs key-value list of HTML attributes to add
   *
   * @returns {string} content wrapped in HTML element
   */
  wrap(tag, content, attrs = {}) {
    const htmlAttrs = Object.entries(attrs).map(([key, value]) => ` ${key}="${value}"`).join("");
    if (!content) {
      return `<${tag}${htmlAttrs}>`;
    }
    return `<${tag}${htmlAttrs}>${content}</${tag}>`;
  }
  /**
   * Writes text in the buffer to the summary buffer file and empties buffer. Will append by default.
   *
   * @param {SummaryWriteOptions} [options] (optional) options for write operation
   *
   * @returns {Promise<Summary>} summary instance
   */
  write(options) {
    return __awaiter(this, void 0, void 0, function* () {
      const overwrite = !!(options === null || options === void 0 ? void 0 : options.overwrite);
      const filePath = yield this.filePath();
      const writeFunc = overwrite ? writeFile : appendFile;
      yield writeFunc(filePath, this._buffer, { encoding: "utf8" });
      return this.emptyBuffer();
    });
  }
  /**
   * Clears the summary buffer and wipes the summary file
   *
   * @returns {Summary} summary instance
   */
  clear() {
    return __awaiter(this, void 0, void 0, function* () {
      return this.emptyBuffer().write({ overwrite: true });
    });
  }
  /**
   * Returns the current summary buffer as a string
   *
   * @returns {string} string of summary buffer
   */
  stringify() {
    return this._buffer;
  }
  /**
   * If the summary buffer is empty
   *
   * @returns {boolen} true if the buffer is empty
   */
  isEmptyBuffer() {
    return this._buffer.length === 0;
  }
  /**
   * Resets the summary buffer without writing to summary file
   *
   * @returns {Summary} summary instance
   */
  emptyBuffer() {
    this._buffer = "";
    return this;
  }
  /**
   * Adds raw text to the summary buffer
   *
   * @param {string} text content to add
   * @param {boolean} [addEOL=false] (optional) append an EOL to the raw text (default: false)
   *
   * @returns {Summary} summary instance
   */
  addRaw(text3, addEOL = false) {
    this._buffer += text3;
    return addEOL ? this.addEOL() : this;
  }
  /**
   * Adds the operating system-specific end-of-line marker to the buffer
   *
   * @returns {Summary} summary instance
   */
  addEOL() {
    return this.addRaw(import_os.EOL);
  }
  /**
   * Adds an HTML codeblock to the summary buffer
   *
   * @param {string} code content to render within fenced code block
   * @param {string} lang (optional) language to syntax highlight code
   *
   * @returns {Summary} summary instance
   */
  addCodeBlock(code, lang) {
    const attrs = Object.assign({}, lang && { lang });
    const element = this.wrap("pre", this.wrap("code", code), attrs);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML list to the summary buffer
   *
   * @param {string[]} items list of items to render
   * @param {boolean} [ordered=false] (optional) if the rendered list should be ordered or not (default: false)
   *
   * @returns {Summary} summary instance
   */
  addList(items, ordered = false) {
    const tag = ordered ? "ol" : "ul";
    const listItems = items.map((item) => this.wrap("li", item)).join("");
    const element = this.wrap(tag, listItems);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML table to the summary buffer
   *
   * @param {SummaryTableCell[]} rows table rows
   *
   * @returns {Summary} summary instance
   */
  addTable(rows) {
    const tableBody = rows.map((row) => {
      const cells = row.map((cell) => {
        if (typeof cell === "string") {
          return this.wrap("td", cell);
        }
        const { header, data, colspan, rowspan } = cell;
        const tag = header ? "th" : "td";
        const attrs = Object.assign(Object.assign({}, colspan && { colspan }), rowspan && { rowspan });
        return this.wrap(tag, data, attrs);
      }).join("");
      return this.wrap("tr", cells);
    }).join("");
    const element = this.wrap("table", tableBody);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds a collapsable HTML details element to the summary buffer
   *
   * @param {string} label text for the closed state
   * @param {string} content collapsable content
   *
   * @returns {Summary} summary instance
   */
  addDetails(label, content) {
    const element = this.wrap("details", this.wrap("summary", label) + content);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML image tag to the summary buffer
   *
   * @param {string} src path to the image you to embed
   * @param {string} alt text description of the image
   * @param {SummaryImageOptions} options (optional) addition image attributes
   *
   * @returns {Summary} summary instance
   */
  addImage(src, alt, options) {
    const { width, height } = options || {};
    const attrs = Object.assign(Object.assign({}, width && { width }), height && { height });
    const element = this.wrap("img", null, Object.assign({ src, alt }, attrs));
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML section heading element
   *
   * @param {string} text heading text
   * @param {number | string} [level=1] (optional) the heading level, default: 1
   *
   * @returns {Summary} summary instance
   */
  addHeading(text3, level) {
    const tag = `h${level}`;
    const allowedTag = ["h1", "h2", "h3", "h4", "h5", "h6"].includes(tag) ? tag : "h1";
    const element = this.wrap(allowedTag, text3);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML thematic break (<hr>) to the summary buffer
   *
   * @returns {Summary} summary instance
   */
  addSeparator() {
    const element = this.wrap("hr", null);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML line break (<br>) to the summary buffer
   *
   * @returns {Summary} summary instance
   */
  addBreak() {
    const element = this.wrap("br", null);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML blockquote to the summary buffer
   *
   * @param {string} text quote text
   * @param {string} cite (optional) citation url
   *
   * @returns {Summary} summary instance
   */
  addQuote(text3, cite) {
    const attrs = Object.assign({}, cite && { cite });
    const element = this.wrap("blockquote", text3, attrs);
    return this.addRaw(element).addEOL();
  }
  /**
   * Adds an HTML anchor tag to the summary buffer
   *
   * @param {string} text link text/content
   * @param {string} href hyperlink
   *
   * @returns {Summary} summary instance
   */
  addLink(text3, href) {
    const element = this.wrap("a", text3, { href });
    return this.addRaw(element).addEOL();
  }
};
var _summary = new Summary();

// node_modules/@actions/core/lib/path-utils.js
init_define_builtScripts();

// node_modules/@actions/core/lib/platform.js
init_define_builtScripts();
var import_os2 = __toESM(require("os"), 1);

// node_modules/@actions/exec/lib/exec.js
init_define_builtScripts();

// node_modules/@actions/exec/lib/toolrunner.js
init_define_builtScripts();

// node_modules/@actions/io/lib/io.js
init_define_builtScripts();

// node_modules/@actions/io/lib/io-util.js
init_define_builtScripts();
var fs = __toESM(require("fs"), 1);
var { chmod, copyFile, lstat, mkdir, open, readdir, rename, rm, rmdir, stat, symlink, unlink } = fs.promises;
var IS_WINDOWS = process.platform === "win32";
var READONLY = fs.constants.O_RDONLY;

// node_modules/@actions/exec/lib/toolrunner.js
var IS_WINDOWS2 = process.platform === "win32";

// node_modules/@actions/core/lib/platform.js
var platform = import_os2.default.platform();
var arch = import_os2.default.arch();

// node_modules/@actions/core/lib/core.js
var __awaiter2 = function(thisArg, _arguments, P, generator) {
  function adopt(value) {
    return value instanceof P ? value : new P(function(resolve4) {
      resolve4(value);
    });
  }
  return new (P || (P = Promise))(function(resolve4, reject) {
    function fulfilled(value) {
      try {
        step(generator.next(value));
      } catch (e) {
        reject(e);
      }
    }
    function rejected(value) {
      try {
        step(generator["throw"](value));
      } catch (e) {
        reject(e);
      }
    }
    function step(result) {
      result.done ? resolve4(result.value) : adopt(result.value).then(fulfilled, rejected);
    }
    step((generator = generator.apply(thisArg, _arguments || [])).next());
  });
};
var ExitCode;
(function(ExitCode2) {
  ExitCode2[ExitCode2["Success"] = 0] = "Success";
  ExitCode2[ExitCode2["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
function error(message, properties = {}) {
  issueCommand("error", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function warning(message, properties = {}) {
  issueCommand("warning", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function notice(message, properties = {}) {
  issueCommand("notice", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function info(message) {
  process.stdout.write(message + os3.EOL);
}
function startGroup(name2) {
  issue("group", name2);
}
function endGroup() {
  issue("endgroup");
}
function group(name2, fn) {
  return __awaiter2(this, void 0, void 0, function* () {
    startGroup(name2);
    let result;
    try {
      result = yield fn();
    } finally {
      endGroup();
    }
    return result;
  });
}

// src/model/json.ts
init_define_builtScripts();
function isJsonObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
function jsonIn(text3) {
  try {
    const value = JSON.parse(text3);
    return value;
  } catch {
    return void 0;
  }
}
function jsonObjectIn(text3) {
  const value = jsonIn(text3);
  return isJsonObject(value) ? value : void 0;
}
function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value).toSorted().map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(",")}}`;
}
var deepestNesting = 200;

// src/github/api/check-run.ts
init_define_builtScripts();

// src/model/check.ts
init_define_builtScripts();
var annotationsPerRequest = 50;

// src/github/api/check-run.ts
var checkConclusions = ["success", "failure", "neutral", "cancelled", "skipped"];
var doing = { what: "the check run", permission: "checks: write", forTheEnd: true };
var annotating = { ...doing, what: "adding annotations to the check run" };
var mostAnnotations = 250;
async function findCheck(github, { name: name2, headSha, externalId }) {
  const listed4 = await github.attempt(
    { ...doing, what: "looking for the check run" },
    () => github.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", {
      ...github.repository,
      ref: headSha,
      check_name: name2,
      filter: "all",
      per_page: 100
    })
  );
  if (listed4.kind === "failed") return listed4;
  const own = listed4.value.data.check_runs.find((each) => each.external_id === externalId);
  return { kind: "done", value: own && idOf(own) };
}
function found(asked) {
  return asked.kind === "done" ? asked.value : void 0;
}
async function completeCheck(github, check, end) {
  const { conclusion, output } = end;
  const [first = [], ...others] = batches(output.annotations.slice(0, mostAnnotations));
  const body = { status: "completed", conclusion, output: written(output, first) };
  const completed = await complete(github, check, body);
  if (completed.kind === "failed") return completed;
  const { id, url } = completed.value;
  for (const annotations of others) {
    const added = await github.attempt(
      annotating,
      () => send(github, { ...check, id }, { output: written(output, annotations) })
    );
    if (added.kind === "failed") return { kind: "done", value: { url, trouble: added } };
  }
  return { kind: "done", value: { url, trouble: void 0 } };
}
async function complete(github, check, body) {
  for (let tries = 1; ; tries += 1) {
    const mayExist = check.mayExist === true || tries > 1;
    const id = check.id ?? (mayExist ? found(await findCheck(github, check.subject)) : void 0);
    const sent = await github.attempt(doing, () => send(github, { ...check, id }, body));
    if (sent.kind === "done" || id !== void 0 || sent.reason !== "down") return sent;
    if (tries === mostCreations) return sent;
  }
}
var mostCreations = 2;
async function send(github, { id, subject }, body) {
  const where = github.repository;
  const { data } = id === void 0 ? await github.request("POST /repos/{owner}/{repo}/check-runs", {
    ...where,
    ...described(subject),
    ...body,
    request: { retries: 0 }
  }) : await github.request("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", {
    ...where,
    check_run_id: id,
    ...body
  });
  return { id: idOf(data), url: data.html_url ?? void 0 };
}
function idOf({ id }) {
  return typeof id === "number" ? id : void 0;
}
function described({ name: name2, headSha, detailsUrl, externalId }) {
  const details2 = detailsUrl === void 0 ? {} : { details_url: detailsUrl };
  return { name: name2, head_sha: headSha, external_id: externalId, ...details2 };
}
function written({ title: title2, summary: summary2, text: text3 }, annotations) {
  return { title: title2, summary: summary2, text: text3, annotations: [...annotations] };
}
function batches(annotations) {
  const count3 = Math.ceil(annotations.length / annotationsPerRequest);
  return Array.from(
    { length: count3 },
    (_, i) => annotations.slice(i * annotationsPerRequest, (i + 1) * annotationsPerRequest)
  );
}

// src/github/api/check-memory.ts
var stateName = "regrade-checks";
function recallChecks(env) {
  const state2 = jsonIn(env[`STATE_${stateName}`] ?? "");
  return Array.isArray(state2) ? state2.flatMap(readCheck) : [];
}
function readCheck(value) {
  if (!isJsonObject(value)) return [];
  const { id, name: name2, headSha, externalId, detailsUrl } = value;
  if (typeof name2 !== "string") return [];
  if (typeof headSha !== "string" || typeof externalId !== "string") return [];
  const subject = {
    name: name2,
    headSha,
    externalId,
    detailsUrl: typeof detailsUrl === "string" ? detailsUrl : void 0
  };
  const cameTo = checkConclusions.find((each) => each === value["cameTo"]);
  return [
    typeof id === "number" ? { subject, id, cameTo } : { subject, id: void 0, mayExist: true, cameTo }
  ];
}

// src/github/api/pace.ts
init_define_builtScripts();
var production = {
  retryMilliseconds: 1e3,
  writes: void 0,
  timeoutSeconds: (seconds) => seconds,
  pauseMilliseconds: (milliseconds) => milliseconds
};
var shortestTimeoutSeconds = 100;
function githubPace(env) {
  const factor = Number(env["REGRADE_TEST_GITHUB_PACE"] ?? "");
  if (!(factor > 0 && factor < 1)) return production;
  return {
    retryMilliseconds: 1e3 * factor,
    writes: { each: 1e3 * factor, notifying: 3e3 * factor },
    timeoutSeconds: (seconds) => Math.min(seconds, Math.max(seconds, shortestTimeoutSeconds) * factor),
    pauseMilliseconds: (milliseconds) => milliseconds * factor
  };
}

// src/report/check.ts
init_define_builtScripts();

// src/report/annotations.ts
init_define_builtScripts();
var import_posix = require("node:path/posix");

// src/report/words/diagnoses.ts
init_define_builtScripts();

// src/model/outcomes/compared.ts
init_define_builtScripts();
var crash = "crash";
var lossMessage = "loss_message";

// src/report/escape.ts
init_define_builtScripts();

// src/base/cut-text.ts
init_define_builtScripts();

// src/base/once.ts
init_define_builtScripts();
function once(make) {
  let made;
  return () => (made ??= { value: make() }).value;
}

// src/base/cut-text.ts
var characters = once(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
var longestCharacter = 64;
function cutText(text3, max) {
  return text3.length <= max ? text3 : text3.slice(0, characterAt(text3, max).start);
}
function characterAt(text3, at) {
  const from = Math.max(0, at - longestCharacter);
  const found2 = characters().segment(text3.slice(from, at + longestCharacter)).containing(at - from);
  const start = from + (found2?.index ?? at - from);
  const end = start + (found2?.segment.length ?? 1);
  if (start > from || from === 0) return { start, end };
  const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text3.slice(at - 1, at + 1));
  return isPair ? { start: at - 1, end: at + 1 } : { start: at, end: at + 1 };
}

// src/base/colours.ts
init_define_builtScripts();
var sequence = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]`, "g");
function dropColours(text3) {
  return text3.includes("\x1B") ? text3.replace(sequence, "") : text3;
}
var unseen = once(
  () => new RegExp(
    [
      String.raw`(?:\u001b\[|\u009b)[0-?]*[ -\/]*[@-~]`,
      String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`,
      String.raw`\u001b[ -\/]*[0-~]`,
      String.raw`[^\n]\u0008`,
      String.raw`[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\n\r\t]]`
    ].join("|"),
    "gv"
  )
);
function mayHoldUnseen(text3) {
  return beyondPlain.test(text3) && sign().test(text3);
}
var beyondPlain = /[^\n\r\t -~]|\\[bfu]/;
var sign = once(() => new RegExp("[[\\p{Cc}\\p{Default_Ignorable_Code_Point}]--[\\n\\r\\t]]|\\\\[bfu]", "v"));
function dropUnseen(text3) {
  return mayHoldUnseen(text3) ? text3.replace(unseen(), "") : text3;
}

// src/report/escape.ts
var breaker = "&#8203;";
function beginLine(escaped) {
  return escaped.replace(/^(\d{1,9})([.)])/, "$1\\$2").replace(/^[-+=]/, "\\$&");
}
function escapeInline(text3) {
  return oneLine(text3).replace(special, (found2) => {
    if (/^[`*_~[\]]$/.test(found2)) return `\\${found2}`;
    return found2 === "#" ? `\\#${breaker}` : inert(found2);
  });
}
function inert(found2) {
  if (/^[&<>|\\$]$/.test(found2)) return entity(found2);
  if (found2.length > 1) return found2.replace(/.{4}(?=.)/g, `$&${breaker}`);
  if (found2 === ".") return `${breaker}.`;
  return `${found2}${breaker}`;
}
var special = new RegExp(
  [
    String.raw`[\`*_~\[\]&<>|\\$#@]`,
    String.raw`:(?=//)`,
    String.raw`(?<=www)\.`,
    String.raw`(?<=(?<![0-9A-Za-z])GH(?:SA)?)-(?=\w)`,
    // A commit's name, or a text that looks like one.
    String.raw`(?<![0-9A-Za-z])(?=\d*[a-f])[0-9a-f]{7,40}(?![0-9A-Za-z])`
  ].join("|"),
  "gi"
);
function codeSpan(text3) {
  const line = oneLine(text3).trim();
  return line !== "" && !/[`|\\]|#\[|<!--/.test(line) ? `\`${line}\`` : htmlCode(text3);
}
function htmlCode(text3) {
  const line = oneLine(text3).trim();
  if (line === "") return "<code>(empty)</code>";
  const inside = line.replace(/[!-,:-@[-`{-~]|\.(?=\S)/g, entity);
  return `<code>${inside.replaceAll("&#64;", `&#64;${breaker}`)}</code>`;
}
function htmlText(text3) {
  return oneLine(text3).trim().replace(special, (found2) => {
    if (found2 === "#") return `${entity(found2)}${breaker}`;
    return /^[`*_~[\]]$/.test(found2) ? entity(found2) : inert(found2);
  });
}
function link(text3, url) {
  if (url === void 0 || !URL.canParse(url)) return text3;
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return text3;
  const safe = href.replace(
    /[^\w:/?#=%.~+,;@&-]/g,
    (found2) => `%${(found2.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`
  );
  return `[${text3}](${safe.replaceAll("&", "&amp;")})`;
}
function fence(text3, language = "text") {
  const lines = escapeLog(text3).replaceAll("<!--", String.raw`<\!--`);
  let longest = 2;
  for (const [run] of lines.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}
${lines}${lines.endsWith("\n") ? "" : "\n"}${marks}`;
}
function escapeLog(text3) {
  return shown(text3).replaceAll("#[", "#\\[").replace(/^([^\S\n]*)::/gm, "$1\\::");
}
function escapeLogLine(text3) {
  return escapeLog(oneLine(text3));
}
function clip(text3, max) {
  if (text3.length <= max) return text3;
  const start = cutText(text3, max);
  return `${start} \u2026 (${text3.length - start.length} more characters)`;
}
function oneLine(text3) {
  return shown(text3).replace(/\s+/g, " ");
}
function shown(text3) {
  return replaceUnseen(dropColours(text3.replaceAll("\r\n", "\n")), (found2) => {
    const code = found2.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code > 65535 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  });
}
function replaceUnseen(text3, write) {
  return beyondPlain2.test(text3) ? text3.replace(unseen2(), write) : text3;
}
var beyondPlain2 = /[^\n\t -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u22ff]/;
var unseen2 = once(
  () => new RegExp(
    [
      String.raw`(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d\ufe0e\ufe0f]`,
      String.raw`(?<=[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0])[\u200c\u200d\ufe0e\ufe0f]`,
      String.raw`(?![\n\t\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`
    ].join("|"),
    "gu"
  )
);
function entity(character) {
  return `&#${character.charCodeAt(0)};`;
}

// src/report/words/sentences.ts
init_define_builtScripts();

// src/model/own-value.ts
init_define_builtScripts();
function ownValue(record, key) {
  return record !== void 0 && Object.hasOwn(record, key) ? record[key] : void 0;
}

// src/model/figures/detectable.ts
init_define_builtScripts();

// src/model/refusal.ts
init_define_builtScripts();

// src/model/problems/baseline.ts
init_define_builtScripts();
var baselineTexts = {
  rerun_without_base: () => ({
    message: "gate.baseline.from is `rerun`, and no base is named whose candidates could be run",
    hint: "Name it with --policy-from, such as --policy-from origin/main; --baseline none runs without a comparison."
  }),
  rerun_setup_failed: (found2) => ({
    message: `the base's candidate ${JSON.stringify(found2.candidate)} can't be run for comparison: ${found2.reason}`,
    hint: "A checkout of the base has its files and nothing else: `setup` must make the rest. Run it in a fresh clone to see what it lacks."
  }),
  rerun_stopped: ({ reason }) => ({
    message: `the base's run did not get to its end: ${reason}`,
    hint: "With --resume and the same --out it goes on from there, then this run does."
  }),
  rerun_dead: ({ task, candidate }) => ({
    message: `the base's candidate ${JSON.stringify(candidate)} failed in every case of ${task}: beside it whatever this change does would look like no loss`,
    hint: "samples.jsonl in the run directory's baseline/ says how it failed. A checkout of the base has its files and nothing else: `setup` must make the rest. Then run into a new --out."
  }),
  rerun_interrupted: () => ({
    message: "stopped while the base was run for comparison",
    hint: "Its results are kept: --resume with the same --out continues from there."
  })
};

// src/model/problems/calibrate.ts
init_define_builtScripts();

// src/model/number-words.ts
init_define_builtScripts();
function groupedDigits(value) {
  const [whole = "", fraction2] = String(value).split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction2 === void 0 ? groups : `${groups}.${fraction2}`;
}
function plural(value, noun) {
  return value === 1 ? noun : `${noun}s`;
}

// src/model/problems/calibrate.ts
var calibrateTexts = {
  rule_beyond_reach: (found2) => ({
    message: `${found2.rule} asks to hold ${found2.asked}, but ${caseWords(found2.cases)} prove a loss only from about ${found2.seen} on (4 times in 5${found2.assumption === void 0 ? "" : `; ${found2.assumption}`}); what lies between mostly passes as not proven`,
    hint: `${found2.asked} would take about ${groupedDigits(found2.needed)} cases; ${found2.repeated === void 0 ? "" : `\`repeats: 5\` would come down to ${found2.repeated} at best; `}\`${found2.kind}: ${found2.holds}\` is what is held now; \`must_pass\` holds single cases. \`regrade power\` has the table.`
  }),
  rule_cannot_prove: ({ rule, cases, clusters, comparisons, needed }) => ({
    message: `${rule}: ${caseWords(cases)}${clusters === null ? "" : ` in ${clusters} ${plural(clusters, "cluster")}`} can't prove a loss, however large${comparisons > 1 ? `, where ${comparisons} comparisons share alpha` : ""}: ${clusters === null ? "one that is seen" : "the rule"} is inconclusive`,
    hint: `It takes at least ${needed} ${clusters === null ? "cases" : "clusters"}; rules that need no proof are \`must_pass\`, \`min\` and \`prove: nothing\`.`
  }),
  rule_rarely_shown: (found2) => ({
    message: `with ${caseWords(found2.cases)} a \`prove: no_drop\` rule with \`${found2.kind}: ${found2.limit}\` passes an unchanged run ${oftenWords(found2.chance)}; the others are inconclusive${found2.blocks ? ", which fails the action's step by default" : ""}`,
    hint: `About ${groupedDigits(found2.needed)} cases are needed for 80 %${found2.repeated === void 0 ? "" : `, ${groupedDigits(found2.repeated)} with \`repeats: 5\` at best`} (${found2.assumption}). A wider ${found2.kind} needs fewer, and \`prove: drop\`, the default, blocks only what is proven. 'regrade calibrate' measures it.`
  }),
  calibrate_one_suite: ({ paths }) => ({
    message: `calibrate takes one suite, or directories of finished runs; given were ${paths}`,
    hint: "Calibrate suites one by one, as in: regrade calibrate evals/suite.yaml"
  }),
  calibrate_idle_flag: ({ flag }) => ({
    message: `${flag} has no meaning beside finished runs: nothing is run`,
    hint: "Take it out, or name a suite to run."
  }),
  calibrate_too_few: ({ found: found2 }) => ({
    message: `${found2 === 1 ? "one run has" : "no runs have"} nothing to be compared with; calibration needs two at least, and five tell more`,
    hint: "Name more finished runs of the same suite, or the suite itself: regrade calibrate evals/suite.yaml --runs 5"
  }),
  calibrate_same_run: ({ id, directories }) => ({
    message: `${directories} hold the same run, ${id}`,
    hint: "A copy differs in nothing, and would make the gate look surer than it is. Name each run once."
  }),
  calibrate_unfinished: ({ directory, status }) => ({
    message: `the run in ${directory} was stopped before its end (status ${status})`,
    hint: "Finish it with 'regrade run --resume --out', or leave it out."
  }),
  calibrate_other_input: (found2) => ({
    message: `${found2.one} and ${found2.other} are not runs of the same suite: ${found2.what} differ`,
    hint: "What differs between them is no noise. Run the same suite again, with the same candidates: regrade calibrate SUITE"
  }),
  calibrate_no_gate: ({ suite }) => ({
    message: `the suite ${suite} has \`gate: none\`: there is no rule to calibrate`,
    hint: "Declare gate.rules, or leave the gate out for the default rule."
  }),
  calibrate_out_taken: ({ directory, done }) => ({
    message: `${directory} is there already`,
    hint: `Choose another --out, or judge what is there: regrade calibrate ${done}`
  }),
  calibrate_run_failed: (found2) => ({
    message: `the run in ${found2.directory} did not get to its end: ${found2.reason}`,
    hint: `Mend that and start again${found2.done === "" ? "" : `, or judge what is complete: regrade calibrate ${found2.done}`}.`
  }),
  judge_label_bad: ({ why }) => ({
    message: `the label ${why}`,
    hint: 'A label is a line such as {"case_id": "q1", "label": 1}, with `task`, `candidate` and `repeat` where the run has several, and `labeler` where several people label; a CSV file has the same columns.'
  }),
  judge_labels_none: ({ path }) => ({
    message: `${path} holds no label`,
    hint: 'Write one a line, as in {"case_id": "q1", "label": 1}: about 100, of cases drawn by chance, tell much.'
  }),
  judge_labels_unjudged: ({ task, metric }) => ({
    message: `none of the labelled samples has a score of ${task}/${metric}: nothing can be compared`,
    hint: "Label samples that were scored; where several people are split evenly on a sample, it does not count."
  }),
  judge_write_idle: ({ why }) => ({
    message: `--write keeps what people's labels say of a judge, and ${why}`,
    hint: "As in: regrade calibrate RUN --judge labels.jsonl --write judge-calibration.json"
  }),
  judge_write_name: ({ path }) => ({
    message: `--write ${path}: a calibration is kept in a .json file`,
    hint: "Give it a name that ends in .json, and name it in the suite: judge_calibration: judge-calibration.json"
  }),
  judge_calibration_bad: () => ({
    message: "this is no calibration of a judge",
    hint: "Labels are JSON lines (.jsonl) or CSV; a calibration is the .json file that 'regrade calibrate RUN --judge labels.jsonl --write FILE' wrote."
  }),
  judge_calibration_task: (found2) => ({
    message: `the calibration is of ${found2.tasks.map((task) => `\`${task}\``).join(", ")}, which the suite does not have: its tasks are ${found2.known.map((task) => `\`${task}\``).join(", ")}`,
    hint: "Calibrate a run of this suite: regrade calibrate RUN --judge labels.jsonl --write FILE"
  }),
  judge_calibration_void: ({ metric, what }) => ({
    message: `the calibration of ${metric} is void: ${what}`,
    hint: "People's labels say nothing of another judge: label samples of a run by this one, and calibrate again."
  }),
  judge_one_run: ({ paths }) => ({
    message: `--judge compares the scores of one finished run with labels; given were ${paths}`,
    hint: "Run the suite, and name its directory: regrade calibrate .regrade/runs/<run id> --judge labels.jsonl"
  }),
  power_drop_wide: ({ drop, widest, isShare: isShare2 }) => ({
    message: `a drop of ${drop} is wider than the range of any metric here, ${widest} at most: there is none to see`,
    hint: `Give a size above 0 and up to ${widest}${isShare2 ? "; 5 points are 0.05" : ""}.`
  }),
  power_nothing: ({ path }) => ({
    message: `nothing to reckon with in ${path}: none of its gated metrics is a mean that has scores or a range`,
    hint: "Declare a metric's range, or run the suite and ask for its run directory: regrade power .regrade/runs/<run id>"
  })
};
function oftenWords(chance) {
  if (chance === void 0) return "less often than 4 times in 5";
  const share2 = Math.round(100 * chance);
  return share2 < 1 ? "only in fewer than 1 of 100 tries" : `only in about ${share2} of 100 tries`;
}
function caseWords(cases) {
  return `${groupedDigits(cases)} ${plural(cases, "case")}`;
}

// src/model/problems/candidate.ts
init_define_builtScripts();
var candidateTexts = {
  format_unchecked: ({ id }) => ({
    message: `the answers of ${id} are not checked against the schema that it is asked for: it has a keyword that Regrade does not know`,
    hint: "docs/graders.md lists the keywords of the grader json_schema, which checks them."
  }),
  agent_missing: (found2) => ({
    message: `the agent ${found2.agent} is not installed: there is no program '${found2.program}' on the PATH`,
    hint: `Install it on the runner before this step: npm install --global ${found2.package}.`
  }),
  fence_missing: ({ why }) => ({
    message: `this candidate is to run behind a fence, which can't be put up here: ${why}`,
    hint: "It needs Linux 6.2 or newer with Landlock turned on, on x86-64 or arm64, and Python with ctypes; `regrade doctor` tries it. With `fence: auto` the candidate runs without where there is none, and the run says so."
  }),
  fence_grant: (found2) => ({
    message: `a fence can't leave '${found2.path}' open: it would show the candidate ${found2.holds}`,
    hint: `Name in 'inputs' and in '${found2.kind}' only what the program itself needs: no data sets, suites, runs, baselines or files of git, nor folders and links that lead to them.`
  }),
  fence_without_inputs: ({ kind }) => ({
    message: `a ${kind} behind a fence needs 'inputs': it can read its own files and those that 'inputs' names, and no others`,
    hint: 'Name the files that the program reads: inputs: ["app.py", "lib/**"].'
  }),
  fence_open: ({ id, why }) => ({
    message: `${id} runs without a fence, and can read the answers: ${why}`,
    hint: "`fence: required` refuses to run it so; `regrade doctor` says what this machine has."
  }),
  agent_key_missing: (found2) => ({
    message: `the agent ${found2.agent} has no key: none of ${found2.keys.join(", ")} is set`,
    hint: `Set one where Regrade is started (in a workflow: env: { ${found2.name}: "\${{ secrets.${found2.name} }}" }; pull requests from forks get no secrets), or name in 'env' the variables that it needs.`,
    missing: found2.name
  }),
  agent_key: (found2) => ({
    message: `${found2.agent} can't do what '${found2.key}' asks: ${found2.why}`,
    hint: found2.instead
  }),
  agent_conversation: ({ agent, key }) => ({
    message: `the agent ${agent} is given one prompt, and the task asks with \`${key}\``,
    hint: "Ask it with `prompt_template`. An agent calls its tools itself, and has them from `mcp_servers`."
  }),
  cassette_unreadable: ({ path }) => ({
    message: `${path} is no cassette here: this line has no key and value`,
    hint: "Delete the file, and record it again: `mode: record`."
  }),
  tool_server_unknown: ({
    tool,
    server,
    known: known3,
    nearest: nearest2
  }) => ({
    message: `the tool ${tool} is of a server '${server}', and \`mcp_servers\` has none of that name`,
    hint: nearest2 === void 0 ? known3.length === 0 ? "Add the server to `mcp_servers`, or take the tool out." : `Name a tool of ${known3.join(", ")}.` : `Did you mean '${nearest2}'?`
  }),
  server_key_idle: ({ key, why }) => ({
    message: `\`${key}\` has no meaning here: ${why}`,
    hint: "`env` belongs to a server with a `command`, `headers` and `type` to one with a `url`."
  }),
  skill_without_file: ({ path }) => ({
    message: `the skill '${path}' has no SKILL.md`,
    hint: "A skill is a folder with a file SKILL.md, which begins with its name and description."
  }),
  skill_twice: ({ name: name2 }) => ({
    message: `two skills have folders of the name '${name2}'`,
    hint: "An agent knows a skill by its folder's name: rename one of them."
  }),
  workspace_not_folder: ({ path }) => ({
    message: `the workspace '${path}' is no folder`,
    hint: "Name the folder that an agent is to begin with."
  }),
  workspace_of_answers: ({ path }) => ({
    message: `the workspace holds the data set ${path}, which says what is right`,
    hint: "Keep the data set out of the folder that an agent is given."
  }),
  workspace_of_suite: ({ path }) => ({
    message: `the workspace '${path}' holds this suite, and with it what the answers are compared with`,
    hint: "Put the agent's files into a folder of their own, without the suite and its data."
  }),
  replay_key_idle: ({ key }) => ({
    message: `\`${key}\` has no meaning here`,
    hint: "`format` belongs to a `path` of trajectories; `model`, `output_field` and `id_field` to a `file` of recordings."
  }),
  path_is_file: ({ path }) => ({
    message: `'${path}' is a file`,
    hint: "Name the folder that holds it."
  }),
  trajectories_none: ({ path }) => ({
    message: `the folder '${path}' holds no trajectory`,
    hint: "Its files, and those of folders in it, end in .json and are of ATIF 1."
  }),
  trajectory_unreadable: ({ path, reason }) => ({
    message: `'${path}' is no trajectory of ATIF: ${reason}`,
    hint: "Put the trajectories into a folder of their own."
  }),
  replay_bad_line: ({ reason }) => ({
    message: `the recording can't be read: ${reason}`
  }),
  replay_field_missing: ({ field, option }) => ({
    message: `the recording has no '${field}'`,
    hint: `Each line is an object with the case's id and the output; other names of theirs are told with ${option}.`
  }),
  replay_field_kind: (found2) => ({
    message: `'${found2.field}' of the recording is ${found2.found}; it must be ${found2.wanted}`
  }),
  replay_duplicate: ({ caseId, firstLine }) => ({
    message: `a second recording of case '${caseId}': line ${firstLine} has it too, and only one can be replayed`,
    hint: "Drop one of them, or tell repeats apart with 'repeat': 0, 1, 2, \u2026"
  }),
  replay_several_models: ({ models }) => ({
    message: `the file holds recordings of several models: ${models}`,
    hint: "Name the one to replay: replay: {file: \u2026, model: \u2026}."
  }),
  replay_model_missing: (found2) => ({
    message: `the file holds no recording of the model '${found2.model}'; it has ${found2.known}`,
    ...found2.nearest === void 0 ? {} : { hint: `Did you mean '${found2.nearest}'?` }
  }),
  replay_foreign: (found2) => ({
    message: `the recording answers no case: its ids are such as ${found2.recorded.join(", ")}, and those of the cases such as ${found2.cases.join(", ")}`,
    hint: "Name the field of its lines that has the case's id with `id_field`, or record the answers to these cases."
  }),
  replay_empty: () => ({
    message: "the file holds no recordings",
    hint: 'Put one object a line in it: {"case_id": "\u2026", "output_text": "\u2026"}.'
  }),
  program_missing: ({ program, relative: relative2 }) => ({
    message: `there is no program '${program}'${relative2 ? "" : " on the PATH"}`,
    hint: relative2 ? "A command runs in the manifest's folder: check the path from there." : "Install it on the runner before this step, or give its path from the manifest's folder."
  }),
  program_not_executable: ({ program }) => ({
    message: `the program '${program}' may not be executed`,
    hint: `Make it executable (chmod +x ${program}, git update-index --chmod=+x ${program}), or name its interpreter first: [python3, ${program}].`
  }),
  env_missing: ({ name: name2 }) => ({
    message: `the candidate asks for the environment variable ${name2}, which is not set or empty`,
    hint: `Set it where Regrade is started (in a workflow: env: { ${name2}: "\${{ secrets.${name2} }}" }; pull requests from forks get no secrets), or leave it out of 'env'.`,
    missing: name2
  }),
  env_refused: ({ name: name2 }) => ({
    message: `the environment variable ${name2} belongs to the runner and is never handed to a candidate`,
    hint: "With it a candidate could act as the workflow. Give it a token of its own, under another name."
  }),
  inputs_unmatched: ({ glob }) => ({
    message: `'${glob}' matches no file`,
    hint: "'inputs' names the files that the command's answers depend on: from the manifest's folder, inside the repository."
  }),
  inputs_outside: ({ path }) => ({
    message: `'inputs' matches '${path}', which leads out of the repository`,
    hint: "Answers that depend on a file out there can't be told from older ones. Narrow the glob, or put the file itself in the place of the link."
  }),
  instructions_target: ({ field }) => ({
    message: `\`instructions\` tell the candidate '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of them."
  }),
  instructions_row: () => ({
    message: "`instructions` tell the candidate the whole row",
    hint: "Name the fields that it may see instead of {{row}}."
  }),
  inputs_unnamed: ({ path }) => ({
    message: `'inputs' matches '${path}', whose name is not UTF-8 (its bytes that are none stand as \uFFFD)`,
    hint: "It can't be opened by that name, so that a change of it would not be seen. Rename it, or narrow the glob."
  }),
  pass_target: ({ field }) => ({
    message: `'pass' hands the candidate '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of 'pass'."
  }),
  request_target: ({ field }) => ({
    message: `the request tells the app '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of 'url', 'headers', 'body' and 'pass'."
  }),
  answer_target: ({ field }) => ({
    message: `'answer' shows '${field}', which the target is made of: it would always be right`,
    hint: "Answer with a fixed text or with other fields. To see how a suite judges, give the rows a field of answers that the target does not use."
  })
};

// src/model/problems/command.ts
init_define_builtScripts();
var commandTexts = {
  no_suite: ({ patterns }) => ({
    message: `no suite manifest at ${patterns}`,
    hint: "Name the manifest's path, as in: regrade run evals/suite.yaml"
  }),
  same_name: ({ name: name2, paths }) => ({
    message: `two suites are called '${name2}': ${paths}`,
    hint: "Each suite has a folder of its own in --out, named after it: give one of them another 'name'."
  }),
  glob_refused: ({ glob, reason }) => ({
    message: `the glob '${glob}' can't be used: ${reason}`,
    hint: "Write several shorter globs instead."
  }),
  glob_too_many_folders: ({ glob, folders }) => ({
    message: `the glob '${glob}' leads into more than ${folders} folders`,
    hint: "Begin it with the folder that is meant, and look for links that lead into each other."
  }),
  selects_nothing: ({
    flag,
    glob,
    known: known3
  }) => ({
    message: `${flag} ${glob} selects nothing`,
    hint: `There is: ${known3}.`
  }),
  slice_unreadable: ({ text: text3 }) => ({
    message: `--slice ${text3} is no slice`,
    hint: "Write FIELD=VALUE, as in: --slice kind=hard"
  }),
  filter_unknown: ({ flag, name: name2, nearest: nearest2, known: known3 }) => ({
    message: `${flag}${flag.endsWith("=") ? "" : " "}${name2}: the run has no such ${kindOf(flag)}`,
    hint: nearest2 === void 0 ? known3.length === 0 ? "It has none." : `It has ${known3.join(", ")}.` : `Did you mean '${nearest2}'?`
  }),
  case_selects_nothing: (found2) => ({
    message: `--case ${found2.glob} matches no case of the suite`,
    hint: found2.nearest === void 0 ? `Give an id, or a glob of ids, as ${found2.first ?? "run.json"} is one.` : `Did you mean ${found2.nearest}?`
  }),
  where_malformed: ({ where }) => ({
    message: `--where ${where} is not FIELD=GLOB`,
    hint: "Name a field of the rows and the value that it must have: --where kind=hard, --where 'tags=smoke*'."
  }),
  where_selects_nothing: ({
    where,
    globs
  }) => ({
    message: `no case of the suite has a row with ${where.join(", ")}${globs.length === 0 ? "" : " and such an id"}`,
    hint: "Values are compared whole, letter for letter; * stands for any text."
  }),
  case_unknown: (found2) => {
    const of = [
      ...found2.task === void 0 ? [] : [`in the task ${found2.task}`],
      ...found2.candidate === void 0 ? [] : [`of the candidate ${found2.candidate}`]
    ];
    const like = found2.nearest === void 0 ? "" : `Did you mean ${found2.nearest}? `;
    return {
      message: [`the run in ${found2.directory} has no case ${found2.caseId}`, ...of].join(" "),
      hint: found2.isThere ? "Leave --task and --candidate out to see where it is." : `${like}The ids are in its scores.jsonl (case_id).`
    };
  },
  ci_run_no_token: () => ({
    message: "a CI run's artifact can't be fetched without a token: neither GITHUB_TOKEN nor GH_TOKEN is set",
    hint: "For example: GH_TOKEN=$(gh auth token) regrade show RUN CASE. It needs to read Actions."
  }),
  ci_run_no_repository: () => ({
    message: "it is not known which repository the CI run is of",
    hint: "Name it with --repository OWNER/NAME, or start Regrade in a clone of it."
  }),
  ci_run_no_artifact: ({ runId, found: found2 }) => ({
    message: `the CI run ${runId} has no artifact of Regrade's${found2.length === 0 ? "" : ` that is still kept: ${found2.join(", ")}`}`,
    hint: "Artifacts are kept for 'retention-days' (14). Is it the number in the address of the workflow run?"
  }),
  ci_run_failed: ({ runId, reason }) => ({
    message: `the artifact of the CI run ${runId} can't be fetched: ${reason}`,
    hint: "Download it from the run's page, unzip it, and name the folder instead of the number."
  })
};
function kindOf(flag) {
  if (flag.endsWith("=")) return "slice";
  return flag === "--slice" ? "field of slices" : flag.slice(2);
}

// src/model/problems/dataset.ts
init_define_builtScripts();
var datasetTexts = {
  dataset_bad_row: ({ reason }) => ({
    message: `the row can't be read: ${reason}`
  }),
  dataset_row_not_object: ({ found: found2 }) => ({
    message: `the row is ${found2}; each line must be an object`,
    hint: 'Give the values names: {"question": "2+2?", "answer": "4"}; of a file that is one list of objects write format: json.'
  }),
  dataset_no_row_read: ({ rows, first }) => ({
    message: `${rows} rows, and not one of them can be used; the first: ${first}`,
    hint: "The ending of the name tells the format: name the file .jsonl, .json, .csv or .tsv, or write format: jsonl, json or csv beside its path."
  }),
  cluster_field_unknown: ({ field, known: known3 }) => ({
    message: `\`cluster_by: ${field}\` is no field of the dataset: every case counts as independent`,
    hint: `Its fields are ${known3.join(", ")}.`
  }),
  slice_field_unknown: ({ field, known: known3, nearest: nearest2 }) => ({
    message: `\`slices\` names ${JSON.stringify(field)}, which is no field of the dataset: all cases are in one slice, without a value`,
    hint: nearest2 === void 0 ? `Its fields are ${known3.join(", ")}.` : `Did you mean '${nearest2}'?`
  }),
  dataset_header: ({ reason }) => ({
    message: `the header can't be used: ${reason}`,
    hint: "The first row of a CSV file names its columns, each once."
  }),
  dataset_ragged: ({ found: found2, expected }) => ({
    message: `the row has ${found2} ${plural(found2, "field")}, the header has ${expected}`,
    hint: "Put a field that holds a comma or a line break in double quotes."
  }),
  dataset_id_missing: ({ field }) => ({
    message: `the row has no '${field}', which is the case's id`,
    hint: `Give every row a '${field}', name another field with id_field, or set id_field: null to make ids from the rows' content.`
  }),
  dataset_id_kind: ({ field, found: found2 }) => ({
    message: `the case's id '${field}' is ${found2}; it must be a text that is not empty, or a number`,
    hint: "Name another field with id_field, or set id_field: null to make ids from the rows' content."
  }),
  dataset_id_duplicate: (found2) => ({
    message: `the case id '${found2.id}' (field '${found2.field}') is taken: line ${found2.firstLine} has it too`,
    hint: "An id names one case from run to run. Mend the data, name another field with id_field, or set id_field: null."
  }),
  dataset_token: ({ key }) => ({
    message: `\`${key}\` is in the manifest, which everybody with access to the repository can read`,
    hint: "Remove it, and revoke it if it was committed. Set HF_TOKEN where Regrade runs; in a workflow: env: { HF_TOKEN: ${{ secrets.HF_TOKEN }} }."
  }),
  dataset_empty: () => ({
    message: "the file is empty",
    hint: "Put a row for each case in it."
  }),
  dataset_no_rows: () => ({
    message: "the file has no rows",
    hint: "Put a row for each case in it: without cases nothing is measured."
  }),
  dataset_more_problems: ({ count: count3 }) => ({
    message: `and ${count3} more ${plural(count3, "problem")} in this file`,
    more: count3
  }),
  dataset_changed: () => ({
    message: "the file was changed while the run was reading it",
    hint: "Run again when nothing writes to it."
  }),
  fewshot_without_target: () => ({
    message: "the examples show no answer: `example_template` has {{target}}, and nothing says what that is",
    hint: "Add a target_template to the task or to `fewshot`, or an example_template without {{target}}."
  }),
  fewshot_joined: ({ key }) => ({
    message: `\`${key}\` joins texts, and with \`messages_template\` each example is two messages`,
    hint: "Leave it out: an example's question is the user's message, its target the assistant's."
  }),
  fewshot_answer_missing: () => ({
    message: "the examples have no answer for the assistant's message",
    hint: "Add a target_template to the task or to `fewshot`."
  }),
  fewshot_question_missing: () => ({
    message: "a task with turns has no one question that an example could ask",
    hint: "Add a prompt_template to `fewshot`: it is the user's message of each example."
  }),
  messages_bad_row: ({ caseId, row, reason }) => ({
    message: `the case '${caseId}' (row ${row}) can't be asked: ${reason}`
  }),
  messages_changed_row: ({ reason }) => ({
    message: `a row can't be asked any more: ${reason}`,
    hint: "Run again when nothing writes to the data."
  }),
  messages_more_rows: ({ count: count3 }) => ({
    message: `and ${count3} more ${count3 === 1 ? "row that" : "rows that"} can't be asked`,
    more: count3,
    hint: "Mend the data, or have a preprocessor drop or complete such rows."
  }),
  template_list_of_messages: ({ field }) => ({
    message: `'{{${field}}}' is a list of messages in the first row: in a prompt it is one text of JSON`,
    hint: `To ask it as messages, write messages_template: "{{${field}}}" instead of prompt_template.`
  }),
  fewshot_too_many: ({ count: count3, rows, isOwn }) => ({
    message: isOwn ? `${count3} examples are to go before each prompt, and beside the case that is asked the dataset has ${rows} different ${plural(rows, "row")}` : `${count3} examples are to go before each prompt, and their dataset has ${rows} ${plural(rows, "row")}`,
    hint: rows === 0 ? "Name a dataset with more rows under `fewshot.dataset`." : `Ask for ${rows} or fewer, or name a dataset with more rows under \`fewshot.dataset\`.`
  }),
  template_unknown_field: ({ field, nearest: nearest2, known: known3 }) => ({
    message: `the template reads '{{${field}}}', and no row has such a field: it renders as nothing`,
    hint: unknownFieldHint({ field, nearest: nearest2, known: known3 })
  }),
  template_field_empty: ({ field, count: count3, rows, first }) => ({
    message: `'${field}' is missing or empty in ${count3} of ${rows} ${plural(rows, "row")}: the template renders it as nothing there; the first is row ${first.row} (case ${first.id})`,
    hint: "Fill it in, or leave these rows out. Where nothing is meant, write a word for it, such as (none)."
  }),
  target_not_a_label: ({ id, found: found2, count: count3, read, nearest: meant }) => ({
    message: `the target of ${count3} of ${read} ${plural(read, "case")} is none of the labels of \`output_extraction\`, so that no answer can equal it; the first is ${JSON.stringify(found2)} (case ${id})`,
    hint: meant === void 0 ? "Add the label, or correct the data." : `Did you mean ${JSON.stringify(meant)}? Correct the data, or add the label.`
  }),
  template_choices_missing: ({ name: name2 }) => ({
    message: `the template reads '{{${name2}}}', and neither the task nor any row has \`choices\`: it renders as nothing`,
    hint: "Declare them in the task, such as choices: [A, B, C, D], or give each row a field `choices` with a list."
  }),
  grader_choices_missing: () => ({
    message: "the grader choice has nothing to choose from: neither the task nor any row has `choices`",
    hint: "Declare them in the task, such as choices: [A, B, C, D], or give each row a field `choices` with a list."
  }),
  grader_field_unknown: ({ grader, field, nearest: nearest2, known: known3 }) => ({
    message: `the grader ${grader} reads the row's field '${field}', and no row has such a field`,
    hint: nearest2 === void 0 ? fieldsOfRows(known3) : `Did you mean '${nearest2}'?`
  }),
  handed_field_unknown: ({ field, nearest: nearest2, known: known3 }) => ({
    message: `the candidate is to be given the field '${field}', and no row has such a field: it is given nothing`,
    hint: nearest2 === void 0 ? fieldsOfRows(known3) : `Did you mean '${nearest2}'?`
  }),
  template_empty: ({ key }) => ({
    message: `\`${key}\` is empty: ${key === "target_template" ? "every answer is compared with nothing" : "the candidate is asked nothing"}`,
    hint: "Write a text with fields of a row, such as {{question}}."
  }),
  template_unclosed: ({ found: found2 }) => ({
    message: `the template has '${found2}' without closing braces: it is sent as it stands`,
    hint: "A field is written {{field}}."
  }),
  braces_single: ({ found: found2, field }) => ({
    message: `the template has no field: '${found2}' is sent as it stands`,
    hint: `A field is written {{${field}}}.`
  }),
  template_hidden_field: ({ field }) => ({
    message: `'{{${field}}}' has a meaning of its own in templates, so the rows' field '${field}' can't be read with it`,
    hint: "Rename the field in the data to read it alone."
  }),
  template_shows_target: ({ fields }) => ({
    message: `the prompt shows the candidate the whole row, with what the target is made of: ${fields}`,
    hint: "Name the fields that the candidate may see instead of {{row}}."
  })
};
function unknownFieldHint({ field, nearest: nearest2, known: known3 }) {
  if (nearest2 !== void 0) return `Did you mean '{{${nearest2}}}'?`;
  if (/\.(?:txt|md|j2|jinja2?|tpl|prompt|ya?ml|json)$/i.test(field))
    return "A template reads fields of the row, never a file: paste the file's text into it.";
  return fieldsOfRows(known3);
}
function fieldsOfRows(known3) {
  if (known3.length === 0) return "The rows have no field at all.";
  const shown3 = known3.slice(0, 20).join(", ");
  return `The rows have ${shown3}${known3.length > 20 ? ", \u2026" : ""}.`;
}

// src/model/problems/extraction.ts
init_define_builtScripts();
var extractionTexts = {
  regex_invalid: ({ pattern, reason }) => ({
    message: `the regular expression ${shortened(pattern)} can't be used: ${reason}`,
    hint: "Patterns are those of Python's re module: https://docs.python.org/3/library/re.html#regular-expression-syntax"
  }),
  regex_explodes: ({ pattern }) => ({
    message: `the regular expression ${shortened(pattern)} takes minutes on a short text that is made for it, and such an answer stays ungraded`,
    hint: "A repetition within a repetition, such as (a+)+, does that where both can match the same letters: write it with one."
  }),
  decimal_differs: ({ decimal: decimal2 }) => ({
    message: "`output_extraction` and the grader `numeric` read numbers in two ways: one has another `decimal` than the other",
    hint: `Write the same for both: { type: numeric, decimal: ${JSON.stringify(decimal2)} }, or the other way round.`
  }),
  label_repeated: ({ label }) => ({
    message: `the label ${JSON.stringify(label)} is written here twice, if case is ignored`,
    hint: "Keep one of them, or set case_sensitive: true."
  }),
  labels_too_many: (limit) => ({
    message: `'labels' has more than ${limit.maxLabels} labels or ${limit.maxCharacters} characters`,
    hint: "With so many labels, compare the whole answer instead: no extraction, and exact_match as the grader."
  })
};
function shortened(pattern) {
  const quoted5 = JSON.stringify(pattern);
  return quoted5.length > 100 ? `${quoted5.slice(0, 99)}\u2026` : quoted5;
}

// src/model/problems/foreign.ts
init_define_builtScripts();
var foreignTexts = {
  import_samples_foreign: ({ path }) => ({
    message: `--samples belongs to exports of the hosted product, and ${path} is another tool's suite`,
    hint: "Results of another tool are read by `regrade run --results FILE --format TOOL`."
  }),
  manifest_of_other_tool: (found2) => ({
    message: `this is ${found2.kind === "results" ? "a file of results" : "a configuration"} of ${found2.tool}, and no manifest`,
    hint: found2.kind === "results" ? `Judge it with \`regrade run --results FILE --format ${found2.format}\` (docs/results/${found2.format}.md).` : `Let ${found2.tool} run it, and judge the results that it writes: \`regrade run --results FILE --format ${found2.format}\` (docs/results/${found2.format}.md). Or let \`regrade init\` write a manifest.`
  }),
  uses_other_key: ({ key, own }) => ({
    message: `\`${key}\` can't stand beside \`uses\`: the tasks are those of the file that it names`,
    hint: `Beside \`uses\` there may be ${own.join(", ")}. \`regrade import FILE\` writes the whole manifest out.`
  }),
  uses_unusable: ({ reason }) => ({
    message: `the file that \`uses\` names can't be used: ${reason}`,
    hint: "Name the suite of another tool, such as eval.yaml, by its path from this file's folder."
  }),
  uses_unknown_tool: ({ path }) => ({
    message: `${path} is no suite of a tool that is known here`,
    hint: "Known are the files of waza (eval.yaml), k-eval (config.yaml) and SyGra (graph_config.yaml). Is a key of the file misspelt?"
  })
};

// src/model/problems/gate.ts
init_define_builtScripts();
var gateTexts = {
  rule_metric_unknown: ({ metric, known: known3 }) => ({
    message: `the rule's metric ${JSON.stringify(metric)} matches no metric of this suite`,
    hint: `The suite declares ${known3.length === 0 ? "no metric" : known3.join(", ")}; every task has latency_seconds, input_tokens, output_tokens and usd.`
  }),
  rule_slice_unknown: ({ slice, known: known3 }) => ({
    message: `the rule's slice ${JSON.stringify(slice)} names no field that its tasks are sliced by`,
    hint: `Write field=value, such as ${known3[0] ?? "language"}=*. ${known3.length === 0 ? "Its tasks declare no `slices`." : `Its tasks declare slices: ${known3.join(", ")}.`}`
  }),
  rule_slice_empty: ({ slice, task, nearest: nearest2, some }) => ({
    message: `no case of the task ${JSON.stringify(task)} is in the rule's slice ${JSON.stringify(slice)}, so the rule is always missed`,
    hint: nearest2 === void 0 ? examples("Its slices are", some) : `Did you mean '${nearest2}'?`
  }),
  must_pass_unknown: ({ name: name2, task, isGlob, nearest: nearest2, some }) => ({
    message: `\`must_pass\`: no case of the task ${JSON.stringify(task)} ${isGlob ? "matches" : "has the id"} ${JSON.stringify(name2)}, so the rule is always missed`,
    hint: nearest2 === void 0 ? examples("Its ids are", some) : `Did you mean '${nearest2}'?`
  }),
  min_cases_unreachable: ({ task, asked, cases, rows }) => ({
    message: `\`min_cases: ${asked}\` is more than the ${cases} ${plural(cases, "case")} that a run of the task ${JSON.stringify(task)} has: each run ends with an error`,
    hint: cases < rows ? `Its data set has ${rows} rows, of which \`max_samples\` takes ${cases}.` : "Add cases, or ask for fewer."
  }),
  rule_must_pass_limit: ({ metric }) => ({
    message: `\`must_pass\` does not know what passes: ${metric} has no range`,
    hint: "Add `min` (or `max` where lower is better) to the rule, or give the metric a range."
  }),
  rule_no_room: ({ key }) => ({
    message: `\`${key}: 0\` beside prove: no_drop can never be shown: no number of cases proves a difference of nothing`,
    hint: "Give the loss that would not matter, such as 0.02."
  }),
  rule_candidate_unknown: ({ candidate, known: known3 }) => ({
    message: `the rule's candidate ${JSON.stringify(candidate)} matches no candidate of this suite`,
    hint: `The suite declares ${known3.join(", ")}.`
  }),
  judge_against_missing: ({
    against,
    names: names2
  }) => ({
    message: `the judge compares with the candidate ${JSON.stringify(against)}, and it needs another one beside it; asked are ${names2.join(", ")}`,
    hint: "`against` is the name of one candidate of this run, and at least one more is compared with it: don't leave either out by --candidate."
  }),
  judge_against_idle: ({ keys }) => ({
    message: `a judge with \`against\` names the better of two answers: ${keys.join(", ")} means nothing to it`,
    hint: "Remove what it does not read, or `against`."
  }),
  rule_against_unknown: ({ candidate, known: known3 }) => ({
    message: `the rule is against ${JSON.stringify(candidate)}, which is no candidate of this suite`,
    hint: `\`against\` is the name of one candidate, no glob. The suite declares ${known3.join(", ")}.`
  }),
  rule_against_itself: ({ candidate, known: known3 }) => ({
    message: `the rule compares ${JSON.stringify(candidate)} with itself: it covers no other candidate`,
    hint: `Name another one in \`candidate\` or \`against\`. The suite declares ${known3.join(", ")}.`
  }),
  rule_against_idle: ({ kind }) => ({
    message: `\`against\` has no meaning beside \`${kind}\`, which compares nothing`,
    hint: "It belongs to max_drop or max_rise: the two candidates are compared case by case. Take it out."
  }),
  rule_direction: ({ kind, metric }) => ({
    message: `\`${kind}\` guards nothing here: ${kind === "max_drop" ? "lower" : "higher"} is better in ${metric}`,
    hint: `Write ${kind === "max_drop" ? "max_rise" : "max_drop"}, or correct the metric's higher_is_better.`
  }),
  rule_metric_not_aggregated: ({ metric }) => ({
    message: `${metric} has aggregation: none, so it has no value that a rule could judge`,
    hint: "Give the metric aggregation: mean, or narrow the rule's metric."
  }),
  rule_outside_range: ({ kind, value, metric, range }) => ({
    message: `\`${kind}: ${value}\` lies outside the range [${range.join(", ")}] of ${metric}`,
    hint: "Choose a value inside the range, or correct the range."
  }),
  rule_beyond_span: ({ kind, value, metric, range }) => ({
    message: `\`${kind}: ${value}\` never blocks: ${metric} lies between ${range.join(" and ")}, so no ${kind === "max_drop" ? "drop" : "rise"} can be as large`,
    hint: range[0] === 0 && range[1] === 1 ? `Write ${value <= 100 ? value / 100 : 0.02} for ${value <= 100 ? value : 2} percentage points.` : "Write it in the metric's own unit, or correct the range."
  }),
  rule_key_idle: ({ key, kind }) => ({
    message: `\`${key}\` has no meaning beside ${kind}`,
    hint: key === "slice" ? "The rule names its cases itself. Take it out." : "It belongs to a proof against a baseline (max_drop or max_rise without prove: nothing). Take it out."
  }),
  rule_without_baseline_idle: ({ kind }) => ({
    message: `\`without_baseline\` means nothing beside \`${kind}\`: it belongs to \`min\` and \`max\``,
    hint: "Leave it out."
  }),
  rule_always_idle: ({ kind }) => ({
    message: `\`always\` has no meaning beside \`${kind}\``,
    hint: "It belongs to `must_pass`: whether a change answers for cases too that fell short before it. Take it out."
  }),
  baseline_search_idle: ({ key }) => ({
    message: `\`${key}\` has no meaning beside from: rerun: that baseline is made in the same job`,
    hint: "Take it out, or write from: auto."
  }),
  task_ungated: ({ task, metric }) => ({
    message: `nothing gates the task ${JSON.stringify(task)}: the default rule is for a first metric that is a mean with the range [0, 1], and ${JSON.stringify(metric.id)} has ${lackOf(metric)}`,
    hint: `${metric.range === null && metric.aggregation === "mean" ? `Declare metrics: [{ id: ${metric.id}, range: [0, 1] }] if its scores lie there, or write` : "Write"} \`gate.rules\`; gate: none if nothing is to be judged.`
  })
};
function examples(begin, some) {
  return some.length === 0 ? "It has none." : `${begin} such as ${some.join(", ")}.`;
}
function lackOf({ aggregation, range }) {
  if (aggregation !== "mean") return `aggregation: ${aggregation}`;
  return range === null ? "no range" : `the range [${range.join(", ")}]`;
}

// src/model/problems/grader.ts
init_define_builtScripts();

// src/model/definition/metric.ts
init_define_builtScripts();

// src/model/definition/aggregations.ts
init_define_builtScripts();
var keeping = { keepsRange: true, needsTwo: false };
var table = {
  mean: { arithmetic: { kind: "mean" }, ...keeping },
  median: { arithmetic: { kind: "quantile", p: 0.5 }, ...keeping },
  p50: { arithmetic: { kind: "quantile", p: 0.5 }, ...keeping },
  p90: { arithmetic: { kind: "quantile", p: 0.9 }, ...keeping },
  p95: { arithmetic: { kind: "quantile", p: 0.95 }, ...keeping },
  sum: { arithmetic: { kind: "sum" }, keepsRange: false, needsTwo: false },
  stddev: { arithmetic: { kind: "stddev" }, keepsRange: false, needsTwo: true }
};

// src/model/definition/metric.ts
var weightedId = "score";
var sampleMetricIds = [
  "latency_seconds",
  "input_tokens",
  "output_tokens",
  "usd",
  "agent_turns",
  "agent_tool_calls"
];
var descriptions = {
  latency_seconds: "Seconds to the answer; of one from the cache, what it took when it was given.",
  input_tokens: "Tokens of the prompt.",
  output_tokens: "Tokens of the answer, reasoning included.",
  usd: "US dollars, where the price is known.",
  agent_turns: "Turns of an agent: answers of its model, calls of tools among them.",
  agent_tool_calls: "Calls of tools by an agent."
};
var sampleMetrics = sampleMetricIds.map((id) => ({
  id,
  aggregation: "mean",
  higher_is_better: false,
  range: null,
  scale: "graded",
  description: descriptions[id]
}));
var known = new Set(sampleMetricIds);
function isSampleMetric(id) {
  return known.has(id);
}
function isMetricId(id) {
  return /^[A-Za-z0-9_.-]+$/.test(id);
}
function isShare(range) {
  return range?.[0] === 0 && range[1] === 1;
}

// src/model/problems/grader.ts
var graderTexts = {
  grader_uncounted: ({ name: name2 }) => ({
    message: `the grader ${JSON.stringify(name2)} asks a model for every sample, and \`metrics\` has none of its scores: they count in no figure`,
    hint: `Add { id: ${name2} } to \`metrics\`, or leave the grader out.`
  }),
  row_checks_none: ({ field }) => ({
    message: `the row has no checks in \`${field}\``,
    hint: 'Without a check a case can\'t be judged: write [{"type": "contains", "target": "\u2026"}], or give all rows checks by the grader\'s `also`.'
  }),
  row_checks_no_json: ({ field, reason }) => ({
    message: `the checks in \`${field}\` are text that is not valid JSON: ${reason}`,
    hint: 'A column of a CSV file holds a list as JSON: [{"type": "contains", "target": "\u2026"}].'
  }),
  row_check_name_taken: ({ name: name2 }) => ({
    message: `two checks of this row are called ${JSON.stringify(name2)}`,
    hint: "Give each a `name` of its own: its score is the metric of that name."
  }),
  row_check_file: ({ type, option }) => ({
    message: `the check ${type} names a file in \`${option}\`, and a check reads none`,
    hint: `Write the content of the file in its place.`
  }),
  row_check_options: ({ type, reason }) => ({
    message: `the check ${type} can't be used: ${reason}`,
    hint: `Correct its options; docs/graders.md lists those of ${type}.`
  }),
  row_check_target: ({ type }) => ({
    message: `the check ${type} has nothing to compare the answer with`,
    hint: "Give it a `target`, or the task a `target_template`."
  }),
  extracted_field_unknown: ({ field, known: known3, nearest: nearest2 }) => ({
    message: known3.length === 0 ? `found ${JSON.stringify(field)}, but the task's \`output_extraction\` has no \`fields\`` : `found ${JSON.stringify(field)}, which is none of the fields of \`output_extraction\`: ${known3.join(", ")}`,
    hint: nearest2 === void 0 ? "Name the part of the answer: output_extraction: { type: json, fields: { answer: /answer } }." : `Did you mean ${nearest2}?`
  }),
  judge_has_no_rubric: () => ({
    message: "the judge has neither a `rubric` nor `scales` to judge by",
    hint: "Write what to judge by as `rubric`, or name scales: scales: [factual_adherence, completeness]."
  }),
  judge_key_idle: ({ key, scales }) => ({
    message: scales ? `\`${key}\` does nothing beside \`scales\`: a judge gives a verdict off a menu, or scores on scales` : `\`${key}\` does nothing without \`scales\``,
    hint: `Remove \`${key}\`, or ${scales ? "use two graders in `graders`" : "give the judge `scales`"}.`
  }),
  judge_scale_taken: ({ id, by }) => ({
    message: `a scale can't be called ${JSON.stringify(id)}: ${by}`,
    hint: "Give it another `id`: it names the metric, and with _reasoning after it the judge's reason."
  }),
  grader_file_unreadable: ({ file, reason }) => ({
    message: `can't read the grader's file ${file}: ${reason}`,
    hint: "Check grader.file; it is relative to the manifest."
  }),
  grader_syntax: ({ reason, text: text3 }) => ({
    message: `the grader has a syntax error: ${reason}${text3 === void 0 ? "" : `
    ${text3.trim()}`}`,
    hint: "Correct it; 'python3 -m py_compile' finds such errors in a file."
  }),
  grader_import_failed: ({ reason, traceback }) => ({
    message: `the grader fails while it is imported: ${reason}${indented(traceback)}`,
    hint: "Its top level must run without an error, in the folder of the grader and without the job's environment variables."
  }),
  grader_module_missing: ({ reason, traceback }) => ({
    message: `the grader imports a missing module: ${reason}${indented(traceback)}`,
    hint: "Put it beside the grader, or install it in the workflow before Regrade, for the interpreter that Regrade uses (--python, the action's input 'python')."
  }),
  grader_load_timeout: ({ reason }) => ({
    message: `the grader can't be imported: ${reason}`,
    hint: "Move slow work out of its top level, into a function that grade calls when it needs it."
  }),
  grader_no_grade: ({ functions }) => ({
    message: functions === "" ? "the grader defines no function grade" : `the grader defines no function grade; it defines ${functions}`,
    hint: "Define grade(sample, item) at its top level. It returns a number, or {'scores': {'<metric>': number}}."
  }),
  grader_batch_function: () => ({
    message: "the grader defines grade_batch, which the contract 'batch' calls, and no function grade",
    hint: "Write contract: batch (execution: aggregate for model_backed), or define grade(sample, item), which scores one sample."
  }),
  grader_no_grade_batch: ({ functions }) => ({
    message: `the grader defines no function grade_batch, which is called once for all samples of a task${functions === "" ? "" : `; it defines ${functions}`}`,
    hint: "Define grade_batch(samples) at its top level, or write contract: sample (execution: per_sample for model_backed) for a function grade."
  }),
  grader_sandbox: ({ reason }) => ({
    message: `the grader was not started, as it can't be shut in as it must be: ${reason}`,
    hint: "'regrade doctor' lists this machine's protections; --sandbox auto runs graders with those available."
  }),
  grader_not_callable: ({ found: found2 }) => ({
    message: `grade is not a function in the grader: it is of type ${found2}`,
    hint: "Define grade(sample, item) at its top level."
  }),
  grader_signature: ({ signature }) => ({
    message: `grade${signature} can't be called as Regrade calls it`,
    hint: "Define grade(sample, item) or grade(sample, item, ctx)."
  }),
  grader_options: ({ grader, reason }) => ({
    message: `the built-in grader ${grader} does not take these options: ${reason}`,
    hint: `Correct them in the task's \`grader\`; docs/manifest.md lists the options of ${grader}.`
  }),
  grader_program: ({ grader, reason }) => ({
    message: `the grader ${grader} can't be used: ${reason}`,
    hint: 'docs/graders.md, "A program of any language", says what a program can read and how it is found.'
  }),
  grader_died: ({ reason }) => ({
    message: `the grader ended its own process while it was imported: ${reason}`,
    hint: "Its top level must not call os._exit, crash, or write to open file descriptors."
  }),
  dry_call_invalid: ({ message }) => ({
    message: `called for the first row with the target as the answer, ${message}`,
    hint: "Such a result is invalid and counts as 0: return a finite number, or {'scores': {'<metric>': number}}."
  }),
  dry_call_key: ({ key, nearest: nearest2 }) => ({
    message: `called for the first row, the grader reads ${JSON.stringify(key)}, which is in neither the sample nor the item`,
    hint: `Did you mean ${JSON.stringify(nearest2)}?`
  }),
  dry_call_attribute: ({ key }) => ({
    message: `called for the first row, the grader reads .${key}, and sample and item are dicts`,
    hint: `Write ["${key}"].`
  }),
  dry_call_range: ({ metric, score, least, most }) => ({
    message: `called for the first row with the target as the answer, the grader gives ${score} as ${JSON.stringify(metric)}, outside its range [${least}, ${most}]`,
    hint: "Such a score is invalid: give the metric the range that its scores have, or return others."
  }),
  dry_call_metric: ({ given, missing }) => ({
    message: `called for the first row, the grader gives ${quoted(given)} and not the task's metric ${quoted(missing)}`,
    hint: isMetricId(given[0] ?? "") ? `Declare metrics: [{ id: ${given[0] ?? ""}, range: [0, 1] }], or return ${quoted(missing)}.` : `Return ${quoted(missing)}: an id has letters, digits, _, . and - alone.`
  }),
  dry_call_unmeasured: ({ given }) => ({
    message: `called for the first row, grade_batch gives its samples ${quoted(given)} and returns no metric: nothing is measured`,
    hint: `Declare metrics: [{ id: ${given[0] ?? ""}, range: [0, 1] }], or return {"metrics": {\u2026}} too.`
  }),
  helper_model_missing: ({ helper, key }) => ({
    message: `the grader calls ctx.${helper} without a model of its own, and the run names no \`${key}\``,
    hint: `Write run: { ${key}: openai:${key === "judge_model" ? "gpt-5.4-mini" : "text-embedding-3-small"} }, or name the model in the call.`
  }),
  python_host_failed: ({ reason }) => ({
    message: `the Python process of Regrade failed: ${reason}`,
    hint: "Check that this Python works (python3 -I -c 'import json, re'), or name another with --python."
  })
};
function quoted(names2) {
  return names2.map((name2) => JSON.stringify(name2)).join(", ");
}
function indented(traceback) {
  return traceback === "" ? "" : `
${traceback.replaceAll(/^/gmu, "    ")}`;
}

// src/model/problems/init.ts
init_define_builtScripts();
var initTexts = {
  init_exists: ({ file }) => ({
    message: `${file} exists already, and init overwrites nothing`,
    hint: file.endsWith("evals.yml") ? "Leave the workflow out with --no-workflow, and add a step that runs the action to one of yours." : "Choose another --name, or remove the file."
  }),
  init_one_field: ({ field }) => ({
    message: `the data has no two fields to ask and to answer with, but ${JSON.stringify(field)} alone`,
    hint: "A CSV file's columns are separated by commas. Where the question has no answer, name it with --prompt and --target."
  }),
  init_template_without_data: ({ flag }) => ({
    message: `${flag} is about your own data, and none is named`,
    hint: "Name it with --dataset, or leave the flag out."
  }),
  init_write_failed: ({ file, reason }) => ({
    message: `can't write ${file}: ${reason}`,
    hint: "Mend that, or choose another folder. What is written already stays, and is never overwritten."
  }),
  init_name: ({ name: name2 }) => ({
    message: `found the name ${JSON.stringify(name2)}; a suite's name is letters, digits, _, . and -, the first a letter or a digit, at most 100`
  }),
  init_grader: ({ grader, known: known3, nearest: nearest2 }) => ({
    message: `there is no grader ${JSON.stringify(grader)} to begin with; there are ${known3.join(", ")}`,
    hint: nearest2 === void 0 ? "A grader of your own goes into the manifest later: grader: { type: python, file: \u2026 }." : `Did you mean ${nearest2}?`
  }),
  init_grader_numbers: () => ({
    message: "the grader numeric compares numbers, and the answers of the example data are words",
    hint: "Name your own data with --dataset, or choose exact_match."
  }),
  init_candidate: ({ candidate }) => ({
    message: `found the candidate ${JSON.stringify(candidate)}; it is 'command', or a model written provider:model`,
    hint: "Such as command, openai:gpt-5.4-mini or ollama:llama3.2."
  }),
  init_provider: ({ provider, known: known3, nearest: nearest2 }) => ({
    message: `there is no built-in provider ${JSON.stringify(provider)}; there are ${known3.join(", ")}`,
    hint: nearest2 === void 0 ? "Begin with one of them or with 'command'; a provider of your own goes into the manifest later, under `providers`." : `Did you mean ${nearest2}?`
  }),
  init_dataset_name: ({ path }) => ({
    message: `the dataset ${path} is neither .jsonl nor .csv by its name`,
    hint: "Name a JSONL file (an object a line) or a CSV file with a header."
  }),
  init_dataset_outside: ({ path, root }) => ({
    message: `the dataset ${path} is outside of ${root}, where the suite's files must be`,
    hint: "Copy it into the repository."
  }),
  init_template_empty: ({ flag }) => ({
    message: `${flag} is empty`,
    hint: "A template holds the fields of a row, such as {{question}}."
  }),
  init_field_unknown: ({ field, known: known3, nearest: nearest2 }) => ({
    message: `the dataset has no field ${JSON.stringify(field)}; it has ${known3.join(", ")}`,
    ...nearest2 !== void 0 && { hint: `Did you mean {{${nearest2}}}?` }
  })
};

// src/model/problems/k-eval.ts
init_define_builtScripts();
var page = "docs/k-eval.md lists the keys of a k-eval file.";
var kEvalTexts = {
  k_eval_value: ({ key, expected }) => ({
    message: `\`${key}\` must be ${expected}`,
    hint: page
  }),
  k_eval_variables_missing: ({ names: names2 }) => ({
    message: `the file names environment variables that are not set: ${names2.join(", ")}`,
    hint: "Set all of them where Regrade runs; in a workflow under `env` of the step."
  }),
  k_eval_import_variables: ({ names: names2 }) => ({
    message: `\`dataset.path\` and \`judge.model\` take ${names2.join(", ")} from the environment, which a manifest can't: their values would stand in the file`,
    hint: "Write the values into the k-eval file, or use it as it is: a manifest with `uses:` this file."
  }),
  k_eval_key_unknown: ({
    key,
    suggestion
  }) => ({
    message: `k-eval knows no \`${key}\` here, and ignores it`,
    hint: suggestion === void 0 ? page : `Did you mean ${suggestion}?`
  }),
  k_eval_server_unknown: ({
    server,
    known: known3
  }) => ({
    message: `found the server ${JSON.stringify(server)}, which \`mcp_servers\` does not have`,
    hint: known3.length === 0 ? "`mcp_servers` has none: describe the server there." : `There are ${known3.join(", ")}.`
  }),
  k_eval_agent_unknown: () => ({
    message: "`agent.type` must be claude_code_sdk, the one agent that k-eval has",
    hint: "For another agent write a manifest with `uses:` this file and `candidates` of your own."
  }),
  k_eval_judge_unknown: ({ known: known3 }) => ({
    message: "`judge.model` names a provider that Regrade does not know by LiteLLM's name",
    hint: `Known are ${known3.join(", ")}. Others: a manifest with \`uses:\` this file, \`providers\` and \`run.judge_model\` of its own.`
  }),
  k_eval_judge_route: ({ model }) => ({
    message: `the judge on Vertex AI is asked as ${model}, the same model at its maker's own API`,
    hint: "It needs that provider's key. For another way write a manifest with `uses:` this file, `providers` and `run.judge_model`."
  }),
  k_eval_condition_name: ({ name: name2, taken }) => ({
    message: taken ? `two conditions become the candidate ${JSON.stringify(name2)}` : `the condition ${JSON.stringify(name2)} has no letter or digit to name a candidate by`,
    hint: "A candidate's name has letters, digits and _ . : @ / -; all else becomes -."
  }),
  k_eval_dataset_missing: ({ path }) => ({
    message: `there is no file ${JSON.stringify(path)}, seen from this file's folder or from the repository's`,
    hint: "Correct `dataset.path`."
  }),
  k_eval_row: ({ line, reason }) => ({
    message: `line ${line} of the dataset ${reason}`,
    hint: "Each line is a JSON object with the keys that `question_key` and `answer_key` name."
  })
};

// src/model/problems/manifest.ts
init_define_builtScripts();

// src/model/problems/said.ts
init_define_builtScripts();
function alternatives(names2) {
  const [last = "", ...others] = names2.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
}

// src/model/definition/dataset.ts
init_define_builtScripts();
var datasetFormats = {
  jsonl: { endings: [".jsonl", ".ndjson"] },
  json: { endings: [".json"] },
  csv: { endings: [".csv", ".tsv"] }
};
var datasetEndings = Object.values(datasetFormats).flatMap(({ endings }) => endings);

// src/model/problems/manifest.ts
var manifestTexts = {
  manifest_syntax: ({ language, reason }) => ({
    message: `not valid ${language}: ${reason}`
  }),
  manifest_empty: () => ({
    message: "the manifest is empty",
    hint: "Start from the short manifest in the README."
  }),
  key_duplicate: ({ key }) => ({
    message: `the key \`${key}\` is written here twice`,
    hint: "Keep one of them."
  }),
  alias_unknown: ({ name: name2 }) => ({
    message: `the alias *${name2} names no anchor that is defined before it`,
    hint: `Write &${name2} at the value that it repeats.`
  }),
  alias_circular: ({ name: name2 }) => ({
    message: `the alias *${name2} contains itself`,
    hint: "Write the value out instead of the alias."
  }),
  manifest_too_large: ({ limit }) => ({
    message: `the manifest has more than ${limit}`,
    hint: "Data belongs in a dataset file; aliases that repeat aliases grow very fast."
  }),
  number_not_finite: ({ found: found2 }) => ({
    message: `found ${found2}; allowed are finite numbers`
  }),
  key_unknown: ({ key, allowed, nearest: nearest2, belongs }) => ({
    message: `there is no key \`${key}\` here`,
    hint: unknownKeyHint({ allowed, nearest: nearest2, belongs })
  }),
  key_missing: ({ key }) => ({
    message: `the key \`${key}\` is missing`
  }),
  key_misplaced: ({ key, belongs }) => ({
    message: `\`${key}\` has no meaning here: it belongs to ${belongs}`,
    hint: "Take it out, or move it there."
  }),
  keys_exclusive: ({
    found: found2,
    keys
  }) => ({
    message: `${ticked(found2)} exclude each other`,
    hint: `Give exactly one of ${ticked(keys)}.`
  }),
  keys_none: ({ keys }) => ({
    message: `one of ${ticked(keys)} is missing`,
    hint: "Give exactly one of them."
  }),
  value_type: ({ found: found2, allowed, quoted: quoted5 }) => {
    const hint = quoted5 === void 0 ? shareMeant(found2, allowed) : `Put it in quotes: ${quoted5}.`;
    return {
      message: `found ${found2}; allowed is ${allowed}`,
      ...hint === void 0 ? {} : { hint }
    };
  },
  value_range: ({ found: found2, allowed }) => ({
    message: `found ${found2}, which is out of range; allowed is ${allowed}`
  }),
  value_unknown: ({ found: found2, allowed, nearest: nearest2 }) => ({
    message: `found ${found2}; allowed: ${allowed.join(", ")}`,
    ...nearest2 === void 0 ? {} : { hint: `Did you mean \`${nearest2}\`?` }
  }),
  value_empty: () => ({ message: "found an empty text; something must stand here" }),
  value_long: ({ found: found2, limit }) => ({
    message: `found ${found2} characters; at most ${limit} are allowed`
  }),
  value_characters: ({ found: found2, allowed }) => ({
    message: `found ${found2}; allowed are ${allowed}`
  }),
  value_count: ({ found: found2, allowed }) => ({
    message: `found ${found2 === 0 ? "none" : found2}; allowed are ${allowed}`
  }),
  value_repeated: ({ found: found2 }) => ({
    message: `${found2} is in this list twice`,
    hint: "Keep one of them."
  }),
  strict_refused: () => ({
    message: "--strict refuses what would otherwise be a warning",
    hint: "Correct the suite, or leave --strict out (in a workflow: the action's input `strict`)."
  }),
  prompt_is_list: () => ({
    message: "found a list; `prompt_template` is one text",
    hint: "Write the messages under `messages_template` instead: it is a list of {role, content}."
  }),
  braces_literal: ({ found: found2, key }) => ({
    message: `\`${key}\` is no template: ${found2} stays as it stands`,
    hint: "Templates are prompt_template, messages_template, target_template, those of `fewshot`, `instructions`, `tool_results`, `answer`, and url, headers and body of `http`."
  }),
  short_form_mixed: ({ key }) => ({
    message: `\`${key}\` is written at the top level beside \`tasks\``,
    hint: "Move it into a task, or drop `tasks` and keep one task's keys at the top level."
  }),
  task_duplicate: ({ id, line }) => ({
    message: `the task id ${JSON.stringify(id)} is taken${line === void 0 ? "" : ` by the task on line ${line}`}`,
    hint: "Give each task an id of its own."
  }),
  metric_duplicate: ({ id }) => ({
    message: `the metric id ${JSON.stringify(id)} is declared twice in this task`,
    hint: "Keep one of them."
  }),
  metric_not_given: ({ id, grader, given }) => ({
    message: `the grader ${grader} gives no metric ${JSON.stringify(id)}; it gives ${given.join(", ")}`,
    hint: "Name one of those, or leave `metrics` out."
  }),
  grader_name_taken: ({ name: name2 }) => ({
    message: `two graders of this task are called ${JSON.stringify(name2)}`,
    hint: "Give each a `name` of its own: its scores are the metric of that name."
  }),
  grader_name_reserved: ({ name: name2 }) => ({
    message: `a grader can't be called ${JSON.stringify(name2)}: that is ${name2 === "score" ? "the weighted score of all graders" : "what Regrade measures itself"}`,
    hint: "Give it another `name`."
  }),
  class_misplaced: ({ role, seesAll }) => ({
    message: `\`class\` as ${role} needs a \`file\`, and \`contract: ${seesAll ? "batch" : "sample"}\``,
    hint: seesAll ? "An aggregator and a post-processor see all samples together." : "A unit metric and a lambda see one sample at a time."
  }),
  aggregate_source_unknown: ({ source, sources, suggestion }) => ({
    message: `\`source: ${source}\` is not a grader of this task with one result for each sample; ${sources.length === 0 ? "it has none" : `it has ${sources.join(", ")}`}`,
    hint: suggestion === void 0 ? "Name the grader whose results are to be aggregated: a `unit_metric` in the same `graders`." : `Did you mean ${suggestion}?`
  }),
  grader_weight_direction: ({ name: name2 }) => ({
    message: `of ${name2} less is better, and \`score\` is the weighted mean of what should be high`,
    hint: `Write weight: 0 at the grader ${name2}, and gate its metric by a rule of its own.`
  }),
  reducer_repeats: ({ name: name2, k, repeats }) => ({
    message: `\`reducer: ${name2}\` needs ${k} repeats of a case, and the task has repeats: ${repeats}`,
    hint: `Write repeats: ${k} or more, or a smaller number in the reducer.`
  }),
  reducer_no_pass: ({ name: name2, metric }) => ({
    message: metric.higher_is_better ? `\`reducer: ${name2}\` counts passes, and nothing says which score of ${metric.id} is one` : `\`reducer: ${name2}\` counts passes, and of ${metric.id} less is better`,
    hint: metric.higher_is_better ? "Declare scale: binary if its scores are 0 and 1 (1 passes), or a range (its upper end passes)." : "Use mean, mode or max, or a metric of which more is better."
  }),
  metric_range_empty: ({ low, high }) => ({
    message: `found the range [${low}, ${high}]: the lowest score must be below the highest`,
    hint: "Write the lowest possible score first, then the highest."
  }),
  metric_id_unread: ({ id }) => ({
    message: `a single number that the grader returns is stored under ${JSON.stringify(id)}, which \`metrics\` does not declare`,
    hint: "Declare it in `metrics`, or name a declared metric in `metric_id`."
  }),
  target_missing: ({ grader }) => ({
    message: `the grader ${grader} compares with a target, and this task has no \`target_template\``,
    hint: 'Add one, such as target_template: "{{answer}}".'
  }),
  execution_unlike_contract: (found2) => ({
    message: `\`execution: ${found2.execution}\` calls ${found2.execution === "aggregate" ? "grade_batch" : "grade"}, though the contract is ${found2.contract}`,
    hint: found2.execution === "aggregate" ? "Write contract: batch, or leave `execution` out." : "Write contract: sample, or leave `execution` out."
  }),
  contract_without_models: () => ({
    message: "the contract model_backed is for graders that ask models, and `model_access: none` refuses them every call",
    hint: "Leave `model_access` out, or write contract: sample (batch for grade_batch)."
  }),
  models_missing: () => ({
    message: 'the grader may ask models, and the run names none: ctx.responses_create and ctx.embeddings_create fail where they ask for "auto"',
    hint: 'Set run.judge_model (run.embedding_model for embeddings), or name the model in the call (model="openai:gpt-5.4-mini") or in `allow_models`.'
  }),
  embedding_model_missing: ({ grader }) => ({
    message: `the grader ${grader} asks for embeddings, and the run names no model for them`,
    hint: "Set run.embedding_model, such as run: { embedding_model: openai:text-embedding-3-small }, or the grader's `embedding_model`."
  }),
  judge_model_missing: ({ grader }) => ({
    message: `the grader ${grader} asks a model, and the run names none`,
    hint: "Set run.judge_model, such as run: { judge_model: openai:gpt-5.4-mini }, or the grader's `model`."
  }),
  number_compared_as_text: () => ({
    message: "exact_match compares the extracted number as a text: the answer 51 is then not the target 51.0, nor 1000 the target 1,000",
    hint: "Write grader: numeric, which compares numbers by their value."
  }),
  schema_file_unusable: ({ path, reason }) => ({
    message: `can't use ${path} as a JSON Schema: ${reason}`,
    hint: "The grader json_schema takes a JSON file that holds one schema, or the schema itself under `schema`."
  }),
  setting_idle: ({ key, why }) => ({
    message: `\`${key}\` has no effect: ${why}`
  }),
  candidates_missing: () => ({
    message: "the suite has no candidates: nothing to judge",
    hint: "Declare one, such as candidates: { app: { command: [python3, app.py] } } or candidates: { recorded: { replay: outputs.jsonl } }; or name a model for this run: --model openai:gpt-5.4-mini."
  }),
  candidate_duplicate: ({ id }) => ({
    message: `the candidate ${JSON.stringify(id)} is declared twice`,
    hint: "Give each candidate a name of its own, or keep one."
  }),
  file_id_unknown: ({ id, known: known3, nearest: nearest2 }) => ({
    message: `\`files\` has no path for the file id ${JSON.stringify(id)}`,
    hint: nearest2 === void 0 ? `Add it: files: { ${id}: path/in/this/repository }${known3.length === 0 ? "" : `; there are ${known3.join(", ")}`}.` : `Did you mean ${nearest2}?`
  }),
  file_id_unused: ({ id }) => ({
    message: `nothing in this suite uses the file id ${JSON.stringify(id)}`
  }),
  path_absolute: ({ path }) => ({
    message: `found the absolute path ${path}`,
    hint: "Write it relative to the manifest, so that it means the same on every machine."
  }),
  path_outside: ({ path }) => ({
    message: `the path ${path} leads out of the repository`,
    hint: "Paths are relative to the manifest and stay inside the repository (outside git: the working directory)."
  }),
  path_link_outside: ({ path }) => ({
    message: `the path ${path} leads out of the repository through a symbolic link`,
    hint: "Put the file itself into the repository."
  }),
  path_is_directory: ({ path }) => ({
    message: `${path} is a directory; a file is needed`
  }),
  path_shows_git: ({ path }) => ({
    message: `${path} would let it read .git, which may hold a token of the checkout`,
    hint: "Name the folders that it needs; the repository as a whole can't be opened."
  }),
  path_missing: ({ path }) => ({
    message: `no such file: ${path}`,
    hint: "Paths are relative to the manifest's folder."
  }),
  format_unknown: ({ path }) => ({
    message: `the name ${path} does not tell the dataset's format`,
    hint: `Add format: ${alternatives(Object.keys(datasetFormats))} (names that tell end in ${alternatives(datasetEndings)}).`
  })
};
function unknownKeyHint({ allowed, nearest: nearest2, belongs }) {
  if (nearest2 !== void 0) return `Did you mean \`${nearest2}\`?`;
  if (belongs !== void 0) return `Write it as ${belongs}.`;
  return `Allowed here: ${allowed.join(", ")}.`;
}
function ticked(keys) {
  const quoted5 = keys.map((key) => `\`${key}\``);
  return quoted5.length < 2 ? quoted5.join("") : `${quoted5.slice(0, -1).join(", ")} and ${quoted5.at(-1)}`;
}
function shareMeant(found2, allowed) {
  const [, percent2] = /^"?(\d+(?:\.\d+)?) ?%"?$/.exec(found2) ?? [];
  if (percent2 === void 0 || !allowed.startsWith("a number")) return void 0;
  return `Write ${Number((Number(percent2) / 100).toPrecision(12))}.`;
}

// src/model/problems/model.ts
init_define_builtScripts();
var modelTexts = {
  model_key_missing: (found2) => ({
    message: `${found2.model} needs a key for ${found2.provider}, and the environment variable ${found2.variable} is not set or empty`,
    hint: `Set it where Regrade is started (in a workflow: env: { ${found2.variable}: "\${{ secrets.${found2.variable} }}" }; pull requests from forks get no secrets).`,
    missing: found2.variable
  }),
  model_ends: ({ model, provider, date, days, instead }) => ({
    message: days > 0 ? `${provider} switches ${model} off on ${date}, in ${days} ${plural(days, "day")}` : `${provider} switched ${model} off on ${date}: its calls fail`,
    hint: instead === void 0 ? "Its provider's page on deprecations names others. Run the suite with both as candidates before you change over." : `${provider} names ${instead} in its place. Run the suite with both as candidates before you change over.`
  }),
  model_key_malformed: ({ variable, provider }) => ({
    message: `the key for ${provider} in the environment variable ${variable} has a space, a line break or another character in it that no key has`,
    hint: "Copy the key again, alone and on one line."
  })
};

// src/model/problems/platform.ts
init_define_builtScripts();
var platformTexts = {
  input_unknown_word: ({
    input,
    found: found2,
    allowed
  }) => ({
    message: `the input '${input}' does not know ${JSON.stringify(found2)}`,
    hint: `Allowed: ${allowed.join(", ")}.`
  }),
  input_not_a_number: ({
    input,
    found: found2,
    min,
    max,
    or
  }) => ({
    message: `the input '${input}' is ${JSON.stringify(found2)}, not a whole number`,
    hint: `Allowed: ${min} to ${max}${or === void 0 ? "" : `, or ${or}`}.`
  }),
  input_not_a_setting: ({ input, found: found2 }) => ({
    message: `the input '${input}' has the line ${JSON.stringify(found2)}, which is no setting`,
    hint: "Write KEY=VALUE, a setting a line, such as temperature=0 or reasoning.effort=low."
  }),
  input_directory_missing: ({ directory }) => ({
    message: `the input 'working-directory' names ${directory}, and there is no such directory`,
    hint: "Name a folder of the repository, relative to its root. Was the repository checked out before this step?"
  }),
  input_directory_linked: ({ directory, real }) => ({
    message: `the input 'working-directory' names ${directory}, which leads to ${real} here and not in the base: the base's suites in that place would not be judged`,
    hint: `Name the folder itself: working-directory: ${real}; and keep the base's folder, or let its removal be approved.`
  }),
  suites_not_found: ({
    patterns,
    directory,
    skipped = []
  }) => ({
    message: `no suite found: nothing in ${directory} matches ${patterns.join(", ")}${skipped.length === 0 ? "" : ` but files that are no suites (${skipped.join(", ")})`}`,
    hint: "Name the suite's file with the input 'suite'. Was the repository checked out before this step (actions/checkout)?"
  }),
  page_failed: ({ suite, reason }) => ({
    message: `the report page of ${suite} could not be made: ${reason}`,
    hint: "The verdict stands. `regrade report DIR --html` makes the page from the run's artifact."
  }),
  artifact_failed: ({ name: name2, reason }) => ({
    message: `the artifact ${name2} was not uploaded: ${reason}`,
    hint: "The verdict does not depend on it. The run is in the output 'run-path' until the job ends."
  }),
  artifacts_late: ({ names: names2, minutes }) => ({
    message: `not uploaded within the ${minutes} minutes that all uploads of a step have together: ${names2.join(", ")}`,
    hint: "The artifact service is slow or silent. The verdict does not depend on it; later runs have no baseline from this one. The runs are in the output 'run-path' until the job ends."
  }),
  artifact_no_service: () => ({
    message: "no artifact was uploaded: this machine offers no artifact service",
    hint: "That is normal under act and outside GitHub Actions. The run is in the output 'run-path'."
  }),
  summary_failed: ({ reason }) => ({
    message: `the job summary was not written: ${reason}`,
    hint: "The verdict does not depend on it. The summary is in the output 'summary-path'."
  }),
  outputs_failed: ({ reason }) => ({
    message: `the step's outputs were not written: ${reason}`,
    hint: "The step's own conclusion still tells the verdict."
  }),
  metrics_too_long: ({ kept }) => ({
    message: `the output 'metrics' would be too long for GitHub; it has ${kept}`,
    hint: "All metrics are in run.json, in the output 'run-path'."
  }),
  github_forbidden: ({
    what,
    permission,
    message
  }) => ({
    message: `${what} failed: the token may not do it (${message})`,
    hint: `Give the job the permission '${permission}'. The verdict does not depend on it. A fork's or Dependabot's token can only read.`
  }),
  github_missing: ({
    what,
    permission,
    message,
    status
  }) => ({
    message: `${what} failed: GitHub answers ${status ?? 404} (${message})`,
    hint: `It is not there, or the token may not know of it: the permission is '${permission}'. The verdict does not depend on it.`
  }),
  github_refused: ({
    what,
    message,
    status
  }) => ({
    message: `${what} failed: GitHub does not take it (${status ?? "no status"}: ${message})`,
    hint: "The verdict does not depend on it. The job summary has the same content."
  }),
  github_limited: ({ what, message }) => ({
    message: `${what} failed: too many requests to GitHub (${message})`,
    hint: "The verdict does not depend on it. The limit is shared by all workflows of the repository; a later run has it again."
  }),
  github_down: ({ what, message }) => ({
    message: `${what} failed: GitHub can't be reached or has trouble (${message})`,
    hint: "The verdict does not depend on it. It was tried several times; behind a proxy, set HTTPS_PROXY for the runner."
  }),
  github_cancelled: ({ what }) => ({
    message: `${what}: left undone, the job is cancelled`
  }),
  comment_crowded: ({ rounds }) => ({
    message: `the comment on the pull request was written ${rounds} times, and other jobs wrote over it each time`,
    hint: "The verdict does not depend on it. Let one job judge all suites, or join the matrix with 'mode: merge'."
  }),
  github_waits_no_more: ({ seconds, most }) => ({
    message: `GitHub asks for a pause of ${seconds} s before the next request; that is not waited for, as all such calls of a step wait at most ${most} s together`
  }),
  github_waits: ({ seconds }) => ({
    message: `GitHub asks for a pause of ${seconds} s before the next request`
  }),
  baseline_lookup_failed: ({ reason, remedy }) => ({
    message: `looking for a baseline: ${reason}`,
    hint: `Where no older run can be read either, rules that compare are inconclusive. ${remedy}`
  }),
  baseline_not_here: ({ reason }) => ({
    message: `a baseline is to be looked for among earlier runs, and ${reason}`,
    hint: "Name a run directory (`baseline: path/to/run`, or `gate.baseline.path`), or let the base run in this job: `gate.baseline: { from: rerun }`."
  }),
  policy_base_unreachable: ({ sha, reason }) => ({
    message: `the files of the base commit ${sha.slice(0, 12)} can't be had, and they say how this change is judged: ${reason}`,
    hint: "It takes git or a token, and 'contents: read' where the job names its permissions."
  }),
  policy_of_new_workflow: ({ path, asked }) => ({
    message: `the base has no ${path}, so \`policy-from: ${asked}\` is this change's own word: the base's rules judge`,
    hint: "The input counts once the workflow is on the base."
  }),
  results_without_base: ({ reason }) => ({
    message: `it is not known whether this change edits its results, what judged them, or the workflow: ${reason}`,
    hint: "It takes git or a token, and 'contents: read' where the job names its permissions."
  }),
  report_without_token: () => ({
    message: "`mode: report` needs a token, and the input 'token' is empty",
    hint: "Leave the input out: the job's own token is its default."
  }),
  report_wrong_event: ({ event }) => ({
    message: `\`mode: report\` works in a workflow that is started by workflow_run, and this one was by ${event || "nothing"}`,
    hint: "Put it into a workflow of its own: on: { workflow_run: { workflows: [Evals], types: [completed] } }."
  }),
  report_other_workflow: (found2) => ({
    message: `the run was of ${found2.path}, and on the base ${found2.names.join(", ")} is ${found2.paths.length === 0 ? "no workflow" : found2.paths.join(", ")}: what ran is the fork's own, or another one that the fork calls so`,
    hint: "Nothing is reported on it. A workflow, and its name, count once they are on the base branch."
  }),
  report_several_workflows: (found2) => ({
    message: `this workflow listens to several ones (${found2.names.join(", ")}: ${found2.paths.join(", ")}): a fork could choose by which one's baselines it is judged`,
    hint: "Give each workflow with evals a report workflow of its own, and names that no other has."
  }),
  report_listens_to_nothing: ({ path }) => ({
    message: `the workflow ${path} was not found in the checkout, or names no workflows under on.workflow_run.workflows: which one's runs may be reported on is not known`,
    hint: "Check the default branch out before this step (actions/checkout), with on: { workflow_run: { workflows: [Evals], types: [completed] } }."
  }),
  same_key: ({ suite, key }) => ({
    message: `another job or step of this workflow run has run the suite ${suite} as the same one (${key}), so that later runs could not tell their baselines apart`,
    hint: "Give each of them an input `leg` of its own, or the suites different names."
  }),
  legs_unknown: ({ reason }) => ({
    message: `whether another job or step of this workflow run has run the same suite could not be looked up: ${reason}`,
    hint: "Where one has, later runs say so when they look for their baseline."
  }),
  report_no_outputs: (found2) => ({
    message: `${found2.source} has no outputs of the suite ${found2.suite} that could be judged: ${found2.reason}`,
    hint: "The run's own log says what happened there. Someone with write access can run the change from a branch of this repository."
  }),
  report_outputs_failed: (found2) => ({
    message: `the outputs of the suite ${found2.suite} could not be fetched from ${found2.source}, so that nothing was judged: ${found2.reason}`,
    hint: "Run this job again ('Re-run jobs' on its page). Where it names its permissions, 'actions: read' is one that it needs."
  }),
  report_check_lost: ({ suite, sha }) => ({
    message: `the check of the suite ${suite} could not be written on ${sha.slice(0, 12)}: nobody sees the verdict on the pull request, so this job fails`,
    hint: "Run it again ('Re-run jobs' on its page). Where it names its permissions, 'checks: write' is one that it needs."
  }),
  report_without_check: () => ({
    message: "`mode: report` tells its verdict by a check on the pull request, and `check-run: false` leaves it out",
    hint: "Leave the input `check-run` out, and give the job the permission 'checks: write'."
  }),
  cache_of_commit: ({ folder }) => ({
    message: `${folder} is not read: git has files of it, or can't be asked, so the change may have brought its answers`
  }),
  cache_in_git: ({ path }) => ({
    message: `${path} is checked in: answers and data cached there would replace those of the run`,
    hint: `Remove it (git rm -r --cached ${path}), and put it into .gitignore.`
  }),
  merge_into_other_base: ({ base, parent }) => ({
    message: `this pull request was pointed at ${base}, and the commit that is checked out merges it into ${parent.slice(0, 12)}, which ${base} does not have: GitHub had not made the merge into ${base} yet`,
    hint: "Close the pull request and open it again, or push to it: that starts a run on the right merge. Re-running this one does not."
  }),
  change_not_checked_out: (found2) => ({
    message: `the commit that is checked out, ${found2.found.slice(0, 12)}, is the base's, and not the change (${found2.head.slice(0, 12)}): its verdict would be shown as that of the change`,
    hint: found2.event === "pull_request_target" ? "Judge pull requests by the event pull_request, whose checkout is the merge of the change; forks that need secrets by a second workflow (docs/github.md, Forks and Dependabot)." : "Leave out the `ref` of actions/checkout: by default it takes the commit that is to be judged."
  }),
  inputs_of_base: ({
    path,
    inputs
  }) => ({
    message: `the change edits the inputs of this step in ${path}, and does not choose by that how it is judged. As in the base's file: ${Object.entries(
      inputs
    ).map(([name2, value]) => `${name2}: ${JSON.stringify(value)}`).join(", ")}`,
    hint: "Its own values count once they are merged. Suites and failing verdicts that it adds count at once."
  }),
  event_of_other_commit: ({ found: found2, head }) => ({
    message: `the event's payload (GITHUB_EVENT_PATH) is about the head ${head.slice(0, 12)}, which the commit that is checked out, ${found2.slice(0, 12)}, does not merge: which change is judged, and by which base's rules, is not certain`,
    hint: "A push meanwhile has a run of its own. If a step before this one writes that file, take that out."
  }),
  token_of_base: ({ path }) => ({
    message: `the change takes the token away from this step in ${path}, and with it every comparison with an earlier run`,
    hint: "Leave the input `token` as the base's file has it."
  }),
  event_unreadable: ({ event }) => ({
    message: `the payload of the event ${event} can't be read (GITHUB_EVENT_PATH): which change is judged, and by which base's rules, is not known`,
    hint: "Run the job again. If a step before this one writes that file, take that out; under act, give the event with --eventpath. `policy-from: none` judges a change by its own rules."
  }),
  pull_of_head_unknown: ({ reason }) => ({
    message: `whether a pull request stands at this commit is not known, and the verdict is by the commit's own rules: ${reason}`,
    hint: "Give the job the permission 'pull-requests: read', or leave other branches than the default one out of its events: a check of this name may count for a pull request."
  }),
  pull_of_several_bases: ({ bases }) => ({
    message: `this commit is the head of pull requests to several branches (${bases.join(", ")}), and none of them is the default branch: by whose rules it is to be judged is not known`,
    hint: "The runs of the pull requests themselves judge it, each by its base. Let this event start no run for such a commit."
  }),
  labels_unknown: ({ reason, isDenied }) => ({
    message: `whether a label approves this change is not known: ${reason}`,
    hint: `Without an approval the stricter verdict decides. ${isDenied ? "The job needs the permissions 'contents: read', 'pull-requests: read' and 'actions: read'." : "Run the job again."}`
  }),
  baseline_artifact_refused: ({ name: name2, reason }) => ({
    message: `the artifact ${name2} of an earlier run is no baseline: ${reason}`,
    hint: "Another run is looked for. A push to the base branch leaves a new one."
  }),
  interrupted: () => ({
    message: "cancelled: what was finished is kept, and nothing was judged",
    hint: "The run is in the output 'run-path' until the job ends. Run the job again for a verdict."
  })
};

// src/model/problems/policy.ts
init_define_builtScripts();
var policyTexts = {
  policy_from_missing: ({ source }) => ({
    message: `--policy-from ${source}: there is no such commit here, and no such folder`,
    hint: "In a shallow checkout fetch it first: git fetch --depth=1 origin main, then --policy-from FETCH_HEAD. Or name a folder with a tree of the base."
  }),
  policy_from_ambiguous: ({ name: name2, known: known3 }) => ({
    message: `--policy-from ${name2} may be several commits: ${known3.join(", ")}`,
    hint: "Write one of these refs in full, the remote's as a rule, or the commit's full id."
  }),
  policy_from_in_change: ({ source }) => ({
    message: `--policy-from ${source}: there is no such commit here, and the folder of that name is in git: a change could bring it`,
    hint: "Name a commit: after git fetch --depth=1 origin main it is FETCH_HEAD. A folder with a tree of the base has to be outside of the repository, or in no commit."
  }),
  policy_in_submodule: ({ path }) => ({
    message: `the working directory is in the submodule ${path}: the base commit of this repository has no files of it, and can't say how its suites are judged`,
    hint: "Gate them in the submodule's own repository, or keep suites out of submodules. `policy-from: none` judges a change by its own rules."
  }),
  policy_submodule_missing: ({ source, path }) => ({
    message: `in ${source} ${path} is a submodule, whose files are not here: what the base has there can't be known`,
    hint: "Check it out with the commit that the base has (in a workflow: `submodules: true` at actions/checkout); after a change that takes the submodule away, keep suites and their files out of submodules."
  }),
  policy_git_failed: (found2) => ({
    message: `--policy-from ${found2.source}: git can't read the repository ${found2.repository}: ${found2.reason}`,
    hint: "Install git, or mend what it names. If the folder belongs to another user, as in a container: git config --global --add safe.directory followed by its path. Or name a folder with a tree of the base."
  }),
  policy_checkout_failed: ({ source, reason }) => ({
    message: `--policy-from ${source}: its files can't be written to a temporary folder: ${reason}`,
    hint: "Mend what it names: free some space, set TMPDIR to another folder, or let git fetch what a partial clone lacks. Or name a folder with a tree of the base."
  }),
  policy_other_repository: (found2) => ({
    message: `${found2.suite} is not in the repository of ${found2.source} (${found2.root})`,
    hint: "Start Regrade within the suite's own repository, or name a folder with a tree of its base."
  })
};

// src/model/problems/preprocess.ts
init_define_builtScripts();
var preprocessTexts = {
  preprocess_file_unreadable: ({ file, reason }) => ({
    message: `can't read the preprocessor's file ${file}: ${reason}`,
    hint: "Check preprocess.file; it is relative to the manifest."
  }),
  preprocess_syntax: ({ reason, text: text3 }) => ({
    message: `the preprocessor has a syntax error: ${reason}${text3 === void 0 ? "" : `
    ${text3.trim()}`}`,
    hint: "Correct it; 'python3 -m py_compile' finds such errors in a file."
  }),
  preprocess_not_loaded: ({ reason, traceback }) => ({
    message: `the preprocessor can't be imported: ${reason}${traceback === "" ? "" : `
${traceback.replaceAll(/^/gmu, "    ")}`}`,
    hint: "Its top level must run without an error, in its own folder and without the job's environment variables; its imports must be next to it, or installed for the interpreter that Regrade uses."
  }),
  preprocess_no_function: ({ contract, reason }) => ({
    message: `the preprocessor has no function that the contract ${contract} can call${reason === "" ? "" : `: ${reason}`}`,
    hint: contract === "row" ? "Define transform_row(row), transform(row) or process_doc(row) at its top level; for transform_batch(rows) write contract: batch." : "Define transform_batch(rows) or process_docs(rows) at its top level; for transform(row) write contract: row."
  }),
  preprocess_no_sandbox: ({ reason }) => ({
    message: `the preprocessor can't be shut in: ${reason}`,
    hint: "Use --sandbox auto to run with what this machine offers."
  }),
  preprocess_failed: ({
    row,
    type,
    message
  }) => ({
    message: `the preprocessor failed${row === void 0 ? "" : ` on row ${row}`} (${type}): ${message}`,
    hint: "Nothing was run. 'regrade validate' tries the preprocessor again without a sample."
  }),
  preprocess_no_rows: ({ rows }) => ({
    message: `the preprocessor left none of ${rows} ${plural(rows, "row")}`,
    hint: "Return the rows that are to be cases: without cases nothing is measured."
  })
};

// src/model/problems/provider.ts
init_define_builtScripts();
var providerTexts = {
  model_without_provider: ({ model }) => ({
    message: `found the model ${JSON.stringify(model)}; a model is written provider:model`,
    hint: `Put its provider before it, such as openai:${model}.`
  }),
  provider_unknown: ({ provider, known: known3, nearest: nearest2 }) => ({
    message: `there is no provider ${JSON.stringify(provider)}; there are ${known3.join(", ")}`,
    hint: nearest2 === void 0 ? `Declare it: providers: { ${provider}: { base_url: "https://\u2026/v1", api_key_env: \u2026 } }.` : `Did you mean ${nearest2}?`
  }),
  provider_unused: ({ provider }) => ({
    message: `no model of this suite is of the provider ${JSON.stringify(provider)}`
  }),
  provider_address_fixed: (found2) => ({
    message: `the built-in provider ${found2.provider} answers at ${found2.hosts}, not at ${found2.host}: its key goes nowhere else`,
    hint: "Give your own provider another name, and a key of its own in `api_key_env`."
  }),
  azure_resource_missing: ({ variable }) => ({
    message: "a model of azure needs the address of your resource",
    hint: `Add it: providers: { azure: { base_url: "https://NAME.openai.azure.com/openai/v1" } }, or set ${variable}.`
  }),
  key_of_builtin: (found2) => ({
    message: `${found2.name} is the key of the built-in provider ${found2.owner}, and would go to ${found2.host}`,
    hint: "A built-in provider's key goes to its own host only, and over https. Put this one's key into a variable of another name."
  }),
  key_of_runner: ({ name: name2, host }) => ({
    message: `${name2} belongs to the runner, and would go to ${host}`,
    hint: "With it the other side could act as the workflow. Give it a key of its own, under another name."
  }),
  url_malformed: ({ found: found2 }) => ({
    message: `found ${JSON.stringify(found2)}, which is no address`,
    hint: "Write it in full, such as https://models.example.com/v1."
  }),
  url_scheme: ({ scheme }) => ({
    message: `found an address with ${scheme}; allowed are https:// and http://`
  }),
  url_credentials: () => ({
    message: "the address holds a user or a password",
    hint: "A manifest is no place for secrets. Put the key into an environment variable and name that."
  }),
  url_extra: ({ part, found: found2 }) => ({
    message: `the base URL has ${part} (${found2})`,
    hint: "It ends before /chat/completions and /responses, which are put behind it, and has neither ? nor #."
  }),
  url_template_host: () => ({
    message: "the address has a template before its path",
    hint: "Where requests go is not for a row to say: write the host out, and templates after it."
  }),
  url_not_encrypted: ({ host }) => ({
    message: `http:// to ${host} is not encrypted: prompts, answers and keys can be read on the way`,
    hint: "Use https://, if the other side offers it."
  }),
  header_reserved: ({ name: name2, instead }) => ({
    message: `the header ${name2} can't be set here`,
    hint: instead
  }),
  proxy_malformed: ({ name: name2 }) => ({
    message: `the variable ${name2} holds no address of a proxy`,
    hint: "Write it as http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT with percent-encoded words; or leave the variable unset."
  }),
  setting_conflict: (found2) => ({
    message: `\`${found2.key}\` and \`${found2.other}\` mean the same and have different values`,
    hint: "Keep one of them."
  }),
  settings_not_sent: ({ settings: settings3, model, why }) => ({
    message: `not sent to ${model}: ${settings3.join(", ")}; ${why}`
  }),
  settings_refused: ({ settings: settings3, model, why, instead }) => ({
    message: `${model} will refuse ${settings3.join(", ")}: ${why}`,
    hint: instead
  }),
  body_fields_unsafe: ({ fields }) => ({
    message: `taken out of \`extra_body\`: ${fields.join(", ")}`,
    hint: "It adds to the request; it does not change the model, the prompt, where they go, or how the answer comes."
  }),
  http_env_undeclared: ({ name: name2 }) => ({
    message: `{{env.${name2}}} is used here, and \`env\` does not name ${name2}`,
    hint: `Add it beside \`http\`: env: [${name2}].`
  }),
  http_env_in_url: ({ name: name2 }) => ({
    message: `{{env.${name2}}} is in the address`,
    hint: "Addresses end up in logs: pass a secret in a header."
  }),
  http_same_request: () => ({
    message: "every case would send the same request: it contains no template",
    hint: 'Add the prompt, such as body: { prompt: "{{prompt}}" }.'
  }),
  http_body_of_get: () => ({
    message: "a GET request has no body",
    hint: "Use method: POST, or put what the body says into the address."
  }),
  pointer_malformed: ({ found: found2 }) => ({
    message: `found ${JSON.stringify(found2)}, which is no JSON pointer`,
    hint: "A JSON pointer is empty or begins with /, such as /choices/0/text; ~0 and ~1 stand for ~ and /."
  })
};

// src/model/problems/remote.ts
init_define_builtScripts();
var remoteTexts = {
  hub_path_malformed: ({ path }) => ({
    message: `found ${JSON.stringify(path)}, which can't be a dataset of Hugging Face`,
    hint: "A path is owner/name, such as facebook/belebele; files behind addresses go under `path: json` or `path: csv` with `data_files`."
  }),
  data_files_missing: ({ builder }) => ({
    message: `\`path: ${builder}\` reads files, and \`data_files\` does not say which`,
    hint: "Add data_files: an http(s) address, a list of them, or a mapping by split."
  }),
  data_files_empty: () => ({
    message: "`data_files` names no file",
    hint: "Name at least one http(s) address."
  }),
  data_files_kind: () => ({
    message: "found something else than an address in `data_files`",
    hint: "Give an http(s) address, a list of them, or a mapping by split of these."
  }),
  data_files_split: ({ split: split2, known: known3, nearest: nearest2 }) => ({
    message: `\`data_files\` has no files of the split ${JSON.stringify(split2)}; it has ${listed(known3)}`,
    hint: nearest2 === void 0 ? "Name one of these in `split` (the default is test), or add it." : `Did you mean \`split: ${nearest2}\`?`
  }),
  hub_needs_token: ({ path }) => ({
    message: `Hugging Face has no dataset ${path}, or it is private or gated: nobody may read it without a token`,
    hint: "Check the spelling. Where it is private or gated, put a token of an account that may read it into the environment variable HF_TOKEN (in a workflow: env: HF_TOKEN: ${{ secrets.HF_TOKEN }})."
  }),
  hub_no_access: ({ path }) => ({
    message: `Hugging Face has no dataset ${path}, or the account of HF_TOKEN may not read it`,
    hint: "Check the spelling. Where it is gated, accept its conditions on its page with that account; a fine-grained token must also allow the dataset."
  }),
  hub_refused: ({ path, reason }) => ({
    message: `the dataset server gives no rows of ${path} (${reason})`,
    hint: "Whether it can is shown by the viewer on the dataset's page. Where it can't, name the dataset's files: path: json or path: csv with data_files."
  }),
  hub_answer_bad: ({ where, reason }) => ({
    message: `the dataset server's answer for ${where} can't be used: ${reason}`,
    hint: "Run again; if it stays so, name the dataset's files: path: json or path: csv with data_files."
  }),
  hub_config_unknown: (found2) => ({
    message: `the dataset ${found2.path} has no config ${JSON.stringify(found2.name)}; it has ${listed(found2.known)}`,
    hint: found2.nearest === void 0 ? "Name one of these in `name`, or leave it out." : `Did you mean \`name: ${found2.nearest}\`?`
  }),
  hub_split_unknown: (found2) => ({
    message: `the dataset ${found2.path}${found2.config === void 0 ? "" : ` (config ${found2.config})`} has no split ${JSON.stringify(found2.split)}; it has ${listed(found2.known)}`,
    hint: found2.nearest === void 0 ? "Name one of these in `split` (the default is test; train for few-shot examples)." : `Did you mean \`split: ${found2.nearest}\`?`
  }),
  hub_config_chosen: (found2) => ({
    message: `${found2.count} configs of ${found2.path} have a split ${JSON.stringify(found2.split)}, and \`name\` chooses none: ${found2.config} is read, the first`,
    hint: `Write name: ${found2.config}, so that a config that is added before it changes nothing.`
  }),
  hub_revision_untold: ({ path, revision }) => ({
    message: `the dataset server does not tell which revision of ${path} it has: it may not be ${revision}`,
    hint: "Leave `revision` out to read its current one."
  }),
  hub_revision_unknown: (found2) => ({
    message: `the dataset ${found2.path} has no revision ${JSON.stringify(found2.revision)} (${found2.reason})`,
    hint: "A revision is a branch, a tag or a commit of the dataset's repository."
  }),
  hub_revision_other: (found2) => ({
    message: `the dataset server has ${found2.path} as of the commit ${found2.served}, and \`revision\` asks for ${found2.revision}; it has no other`,
    hint: `Write revision: ${found2.served} or leave it out; or read that revision's files: path: json or path: csv with data_files: https://huggingface.co/datasets/${found2.path}/resolve/${found2.revision}/\u2026`
  }),
  hub_changed: ({ where }) => ({
    message: `the dataset ${where} was changed while it was read`,
    hint: "Run again: half of two revisions would be neither."
  }),
  hub_page_short: (found2) => ({
    message: `the dataset server gave ${found2.found} rows of ${found2.where} from row ${found2.offset + 1} on, where ${found2.expected} should be`,
    hint: "Rows would go missing unseen. Run again; if it stays so, name the dataset's files: path: json or path: csv with data_files."
  }),
  hub_partial: ({ path, rows }) => ({
    message: `the dataset server holds only the first ${rows} rows of this split of ${path}`,
    hint: `Write max_rows: ${rows} or less to take these, or name the dataset's files: path: json or path: csv with data_files.`
  }),
  hub_cells_cut: ({ row, columns }) => ({
    message: `the dataset server truncated row ${row} in ${listed(columns)}: the row is incomplete`,
    hint: "Name the dataset's files instead: path: json or path: csv with data_files."
  }),
  hub_files: ({ path, columns }) => ({
    message: `the dataset ${path} has files (images, sound) under ${listed(columns)}: the rows hold links to them that no candidate can open`
  }),
  remote_too_many: ({ rows, limit }) => ({
    message: rows === void 0 ? `there are more than ${limit} rows, which is the most that is read` : `there are ${rows} rows; the most that is read is ${limit}`,
    hint: `Write max_rows: ${limit} or less.`
  }),
  remote_forbidden: ({ url, reason }) => ({
    message: `${url} is not asked: ${reason}`,
    hint: "Data is read from public http(s) hosts only, including redirects: a suite may come from a stranger, and must not reach this machine's network. Put the file into the repository."
  }),
  remote_broken: ({ url, reason }) => ({
    message: `the answer of ${shortUrl(url)} broke off: ${reason}`,
    hint: "Run again."
  }),
  remote_failed: ({ url, reason }) => ({
    message: `${url} gives no answer that can be used: ${reason}`,
    hint: "Run again later; what has been read of it so far is kept."
  }),
  remote_paused: (found2) => ({
    message: `${found2.url} asks to come back in ${found2.minutes} ${plural(found2.minutes, "minute")} (${found2.reason}; asked ${found2.attempts} times)`,
    hint: "Run again then: what has been read so far is kept. With a token in HF_TOKEN Hugging Face allows more requests, and max_rows needs fewer."
  }),
  data_file_denied: (found2) => ({
    message: `${found2.url} may not be read (HTTP ${found2.status})`,
    hint: found2.needsToken ? "Where the dataset is private or gated, put a token of an account that may read it into the environment variable HF_TOKEN." : "Its server requires a login; Regrade sends one only to Hugging Face (HF_TOKEN), if the account has access. Put the file into the repository, or behind an address that everybody may read."
  }),
  data_file_status: ({ url, reason }) => ({
    message: `${url} can't be read (${reason})`,
    hint: "Open the address in a browser that is not logged in: it must give the file itself."
  }),
  data_file_kind: ({ what }) => ({
    message: `the file is ${what}; JSON lines, a JSON list or CSV is needed`,
    hint: "On Hugging Face the address of a file has /resolve/ in it, that of its page /blob/. A compressed file has to be unpacked, another kind converted."
  })
};
var mostListed = 20;
function listed(names2) {
  if (names2.length === 0) return "none";
  const more = names2.length - mostListed;
  return `${names2.slice(0, mostListed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
function shortUrl(text3) {
  return text3.replace(/[?#].*$/s, "");
}

// src/model/problems/results.ts
init_define_builtScripts();
var resultTexts = {
  /** The file ends early. `at` is the place (`byte 10240`, `line 12`), `of` the thing that is cut off. */
  results_list: () => ({
    message: "the file begins with a list, and JSON lines have an object on each line",
    hint: "Write each object on a line of its own, without brackets and commas around them: `jq -c '.[]' results.json > results.jsonl` does it."
  }),
  results_truncated: ({ at, of }) => ({
    message: `the file ends in the middle${of === void 0 ? "" : ` of ${of}`}, at ${at}: it was cut off`,
    hint: "Was the tool stopped, or the copy broken off? Results that are not whole can't be judged: let the tool finish, or copy the file again."
  }),
  /** The text at `at` is not JSON, XML, ZIP or CSV as expected. */
  results_unreadable: ({ at, reason }) => ({
    message: `the file can't be read at ${at}: ${reason}`
  }),
  results_version: (found2) => ({
    message: `it is of ${found2.tool}'s format ${quoted2(found2.found)}, which is not known here`,
    hint: `Known are ${found2.known.join(", ")}. Write the results with one of those, or map them to JSON lines (format: jsonl).`
  }),
  /**
   * The file does not have this format; `expected`: the feature that identifies it, such as `an object with "results"`.
   */
  results_not_format: ({ format, expected }) => ({
    message: `it is no ${format} file: ${expected} was expected`,
    hint: "Name the format that it has, or let `auto` look."
  }),
  /** A field that can't be mapped; `at` is its row: `line 12`, `results[3]`. */
  results_field: (found2) => ({
    message: `${found2.at}: '${found2.field}' is ${found2.found}; ${found2.expected} was expected`
  }),
  results_metric_missing: (found2) => ({
    message: `no row has the metric '${found2.metric}'`,
    hint: found2.nearest !== void 0 ? `Did you mean '${found2.nearest}'?` : found2.known.length === 0 ? "No row has a score." : `There ${found2.known.length === 1 ? "is" : "are"} ${found2.known.join(", ")}.`
  }),
  results_limit_outside: (found2) => ({
    message: found2.limit === "min" ? `min is ${found2.value}, and '${found2.metric}' lies between ${found2.range.join(" and ")}` : `max-drop is ${found2.value}, and '${found2.metric}' lies between ${found2.range.join(" and ")}: no drop can be as large`,
    hint: found2.range[0] === 0 && found2.range[1] === 1 ? found2.limit === "min" ? "Write 0.8 for 80 %." : "Write 0.02 for 2 percentage points." : "Write it in the metric's own unit."
  }),
  results_candidates_alike: ({ names: names2 }) => ({
    message: `the candidates ${names2.map((name2) => name2 === null ? "without a name" : quoted2(name2)).join(" and ")} can't be told apart: blanks at the ends or between words are no difference, and one without a name is called 'recorded'`,
    hint: "Write one name for one candidate."
  }),
  results_row_too_large: ({ at, most }) => ({
    message: `${at}: the row is larger than ${most}`,
    hint: "Leave attachments and long logs out of the results: the answer, the question and the scores are enough."
  }),
  results_no_scores: () => ({
    message: "no row has a score that a rule could judge",
    hint: "Give the rows numbers: a column `score`, or name the columns with --metric."
  }),
  results_unfinished: ({ reason }) => ({
    message: `the eval is not whole: ${reason}`,
    hint: "A part of the results can't be judged: let the tool finish, or mend what stopped it."
  }),
  results_none: () => ({
    message: "it has no tests: no row was found",
    hint: "Did the tool run? Without cases nothing is measured, and nothing measured is never a pass."
  }),
  results_empty: () => ({
    message: "the file is empty",
    hint: "Did the tool run, and was its output copied whole?"
  }),
  results_no_files: ({ pattern }) => ({
    message: `no file matches '${pattern}'`,
    hint: "Does the step that writes the results come before this one? Paths are relative to the working directory, in a manifest to its folder."
  }),
  results_mixed: ({
    format,
    first,
    other
  }) => ({
    message: `it is a file of ${format}, and ${first} is one of ${other}`,
    hint: "Files given together are parts of one run. Gate each tool's results in a step of their own."
  }),
  results_many: ({ what, count: count3, most }) => ({
    message: `the results have ${count3} ${what}; a run has ${most} at most`,
    hint: "Give fewer files at once, or gate them in several steps."
  }),
  results_groups: ({
    found: found2,
    known: known3
  }) => ({
    message: found2 === void 0 ? `the results have several groups, and the task does not say which one it is: ${known3.join(", ")}` : `the results have no group '${found2}'; they have ${known3.join(", ") || "none"}`,
    hint: "Name one of them with `group` under `from`, in a task each."
  }),
  results_direction: ({ metric }) => ({
    message: `of the metric '${metric}' more is better in one file, and less in another`,
    hint: "Gate these files in steps of their own."
  }),
  results_flag_idle: ({ flag, why }) => ({
    message: `${flag} has no meaning with results that were recorded elsewhere: ${why}`,
    hint: "Leave it out."
  }),
  results_and_suites: () => ({
    message: "suites are run, and --results names results of another tool: both at once is no one run",
    hint: "Leave the manifests out, or name the results in a manifest, in a task's `from`."
  }),
  results_nothing_named: () => ({
    message: "neither a suite nor results are named",
    hint: "Name a manifest, or the results of another tool with --results FILE."
  }),
  results_flag_alone: ({ flag }) => ({
    message: `${flag} is about results of another tool, and none are named`,
    hint: "Name them with --results FILE; a manifest has its rules under `gate`."
  }),
  export_folder: ({ file }) => ({
    message: `${file} can't be written: its folder does not exist`,
    hint: "Make the folder first, or name another file."
  }),
  export_directory: ({ file }) => ({
    message: `${file} can't be written: it is a folder`,
    hint: "Name a file in it."
  }),
  export_metrics_missing: ({
    tool,
    missing
  }) => ({
    message: `the run can't be written as ${tool}'s files: it has no ${missing.join(", ")}`,
    hint: `${tool}'s files hold these scores and no others. Export a run that was graded with them.`
  }),
  results_direction_unknown: ({ metric, beside }) => ({
    message: `nothing says whether more is better for the metric '${metric}'`,
    hint: `lm-eval says it in ${beside}: keep that file beside this one.`
  }),
  results_key_idle: ({ key }) => ({
    message: `\`${key}\` means nothing to a task with \`from\`: its results are there already, and nothing is run or graded`,
    hint: "Leave it out."
  }),
  results_mixed_tasks: ({
    recorded,
    run
  }) => ({
    message: `${recorded.join(", ")} ${recorded.length === 1 ? "takes its" : "take their"} results \`from\` another tool, and ${run.join(", ")} ${run.length === 1 ? "is" : "are"} to be run: a suite does one of both`,
    hint: "Put them into suites of their own; the gate's comment shows both."
  }),
  results_baseline_from: ({ from }) => ({
    message: `\`from: ${from}\` runs or pools runs of the same input, and results of another tool can't be made again here`,
    hint: "Leave it out, or say `auto`: the base branch's last results are the baseline."
  }),
  results_input_alone: ({ input }) => ({
    message: `the input '${input}' is about results of another tool, and the input 'results' names none`,
    hint: "Name their files in `results`; a manifest has its rules under `gate`."
  }),
  results_input_idle: ({ input }) => ({
    message: `the input '${input}' means nothing beside 'results': nothing is run, and the rules are those of these inputs`,
    hint: "Leave it out, or name the results in a manifest, in a task's `from`."
  }),
  results_input_name: ({ found: found2 }) => ({
    message: `the input 'name' is ${JSON.stringify(found2)}: letters, digits, dots, hyphens and underscores are allowed, 100 at most, a letter or digit first`
  }),
  results_input_limit: ({ input, found: found2 }) => ({
    message: `the input '${input}' is ${JSON.stringify(found2)}, not a number${input === "min" ? "" : " from 0 on"}`,
    hint: "Write it in the metric's unit: 0.02 of a metric from 0 to 1 is two percentage points."
  }),
  results_duplicate: (found2) => ({
    message: `${found2.at}: the case '${found2.id}' is there already, at ${found2.first}`,
    hint: "An id names one case from run to run. Give each test its own, or count its repeats."
  }),
  results_overlap: (found2) => ({
    message: `${found2.at}: the case '${found2.id}' is in ${found2.first} too${found2.count === 1 ? "" : `, and so are ${found2.count - 1} more`}`,
    hint: "Files given together are parts of one run. To compare two runs, use `regrade compare BASE HEAD`."
  }),
  results_unknown: ({ known: known3 }) => ({
    message: "the tool that wrote the file can't be recognized",
    hint: `Name its format: ${known3.join(", ")}.`
  }),
  results_ambiguous: ({ formats }) => ({
    message: `it could be ${formats.join(" or ")}`,
    hint: "Name its format."
  }),
  results_column_missing: ({ key, column, known: known3, nearest: nearest2 }) => ({
    message: `\`from.columns.${key}\` names the column '${column}', which the file does not have`,
    hint: nearest2 === void 0 ? `Its columns are ${known3.slice(0, 20).join(", ")}${known3.length > 20 ? ", \u2026" : ""}.` : `Did you mean '${nearest2}'?`
  }),
  results_fields_not_taken: ({ format }) => ({
    message: `columns can't be named for ${format}: the tool's own fields are read`,
    hint: "Name columns for jsonl and csv only."
  })
};
function quoted2(text3) {
  return JSON.stringify(text3);
}

// src/model/problems/run.ts
init_define_builtScripts();
var scarcities = /^(?:too many open files|file table overflow|resource temporarily unavailable|not enough memory)$/;
var runTexts = {
  import_no_suite: () => ({
    message: "this is no suite of the hosted product: it has no `manifest` with `tasks`, and no `tasks` itself",
    hint: "Export a suite version as JSON; the manifest alone will do."
  }),
  import_no_sample: () => ({
    message: "the line is no sample of the hosted product: it needs task_id, model and dataset_row",
    hint: "Export the run's samples as JSON lines, an object a line."
  }),
  import_files: ({ ids }) => ({
    message: `the suite names uploaded files, and their paths here are unknown: ${ids.join(", ")}`,
    hint: `Put them into the repository, and say where, relative to the manifest: ${ids.map((id) => `--file ${id}=PATH`).join(" ")}.`
  }),
  import_exists: ({ path }) => ({
    message: `${path} is there already, and is not written over`,
    hint: "Choose another --out, or move it away."
  }),
  rerun_other_input: ({ out }) => ({
    message: `the run in ${out} was made from other inputs than there are now: data, graders, candidates or settings have changed since`,
    hint: "Put them back as they were, or run the suite anew: two halves of different runs are no run."
  }),
  rerun_policy: ({ directory }) => ({
    message: `the run in ${directory} was judged by the policy of another tree (--policy-from), which is not kept with it`,
    hint: "Run the suite anew with --policy-from; answers that are in the cache are not asked for again."
  }),
  rerun_part: ({ directory }) => ({
    message: `the run in ${directory} is a shard, or reuses another run: its samples are incomplete`,
    hint: "Run the shard's job again, or the suite."
  }),
  rerun_attempts: ({ directory }) => ({
    message: `the run in ${directory} holds the samples of several attempts at a workflow run`,
    hint: "Re-run the job on GitHub: it asks again for what has no grade, and adds one more sample of every other case."
  }),
  no_latest_run: ({ folder, suite, isWhole: isWhole2 }) => ({
    message: `${folder}/runs has no ${isWhole2 ? "completed run of all cases" : "finished run"}${suite === void 0 ? "" : ` of the suite '${suite}'`}`,
    hint: "Runs with --out are not looked for: name their directory."
  }),
  history_empty: ({ folder, suites, nearest: nearest2, known: known3 }) => ({
    message: `${folder} has no finished run of a suite called ${suites.map((name2) => `'${name2}'`).join(" or ")}, and no folder has that name`,
    hint: nearest2 === void 0 ? known3.length === 0 ? "It has no finished run at all. Name a folder that holds runs." : `It has runs of ${firstOf(known3)}.` : `Did you mean '${nearest2}'?`
  }),
  out_in_use: ({ out }) => ({
    message: `the output directory ${out} is not empty`,
    hint: "Choose another --out, empty this one, or add --resume to continue the run in it."
  }),
  stopped_early: () => ({
    message: "stopped before the first sample: nothing was run, and nothing is left behind"
  }),
  out_is_file: ({ out }) => ({
    message: `the output directory ${out} can't be made: a file has that name`,
    hint: "Choose another --out."
  }),
  resume_other_input: ({ out }) => ({
    message: `the run in ${out} was started with other inputs (suite, data, graders or candidates changed since)`,
    hint: "Start a new run in another --out; a resumed run must answer the same question."
  }),
  resume_none: ({ folder }) => ({
    message: `no run with these inputs was interrupted in ${folder}/runs`,
    hint: "Name the directory of an interrupted run with --out, or leave --resume out to start one. A run can't be resumed if its suite, data, graders or candidates have changed."
  }),
  resume_nothing: ({ out }) => ({
    message: `there is no run in ${out} to resume`,
    hint: "Name the directory of an interrupted run with --out, or leave --resume out to start one."
  }),
  out_busy: ({ out, pid }) => ({
    message: `${pid === 0 ? "another process" : `process ${pid}`} is running in ${out}`,
    hint: "Wait for it to end, or choose another --out."
  }),
  journal_damaged: ({ reason }) => ({
    message: `not a sample of Regrade: ${reason}`,
    hint: "A torn last line is dropped on its own; a damaged line before it is not ours to guess. Mend or remove the line."
  }),
  run_encrypted: () => ({
    message: "the run has not ended, and its samples are encrypted until then, because its candidates could read the answers in them",
    hint: "Wait for its end. If it was killed, the same command with --resume continues it."
  }),
  decryption_failed: () => ({
    message: "the line can't be decrypted: the data sets that its key is made from have changed, or the line was edited",
    hint: "Put the data sets back as they were, or start a new run in another --out."
  }),
  resume_finished: ({ out }) => ({
    message: `the run in ${out} is complete`,
    hint: "Read it with 'regrade report', or start a new run in another --out."
  }),
  write_failed: ({ file, reason }) => ({
    message: `can't write ${file}: ${reason}`,
    hint: "Free some space or choose another --out. What was written before is kept; --resume continues from it."
  }),
  working_directory_gone: () => ({
    message: "the folder that Regrade was started in is no longer there",
    hint: "Change to a folder that is there, and start it again."
  }),
  temporary_failed: ({
    folder,
    variable = "TMPDIR",
    reason
  }) => ({
    message: `can't write temporary files in ${folder}: ${reason}`,
    hint: `Free some space there, or set ${variable} to a folder that you can write to.`
  }),
  output_failed: ({ reason }) => ({
    message: `can't write to standard output: ${reason}`,
    hint: "Free some space, or send the output elsewhere. A run that ended is whole in its directory: 'regrade report' prints it."
  }),
  budget_blind: ({ unit, candidates }) => ({
    message: `\`budget.${unit}\` does not end the run for what ${candidates.join(", ")} may spend: it reports no ${unit === "usd" ? "dollars" : "tokens"} to Regrade`,
    hint: "Give `budget.minutes` too, or for an agent `budget.tokens`; a worker may report its `usage`."
  }),
  budget_price_unknown: (found2) => ({
    message: `no price is known for ${found2.model}, so that a budget in dollars can't hold`,
    hint: `Add its price in dollars per million tokens, providers: { ${found2.provider}: { prices: { "${found2.name}": { input: \u2026, output: \u2026 } } } }, or give the budget in tokens.`
  }),
  manifest_missing: ({ path }) => ({
    message: `no such suite: ${path}`,
    hint: "Check the path; a relative one starts at the folder that Regrade was started in (in the action: at its input 'working-directory')."
  }),
  manifest_is_directory: ({ path }) => ({
    message: `${path} is a directory; a suite is a YAML or JSON file`,
    hint: "Name the file in it."
  }),
  file_missing: ({ file }) => ({
    message: `no such file: ${file}`
  }),
  read_failed: ({ file, reason }) => ({
    message: `can't read ${file}: ${reason}`
  }),
  run_missing: ({
    directory,
    inside,
    nowhere
  }) => ({
    message: nowhere === void 0 ? `${directory} holds no run: it has no run.json` : `there is no folder ${directory}`,
    hint: nowhere ? `Did you mean '${nowhere}'?` : inside === void 0 || inside.length === 0 ? "Name a directory that 'regrade run --out' wrote; a run that was interrupted is ended with --resume." : `It holds runs in folders of their own. Name one of these: ${firstOf(inside)}.`
  }),
  run_unreadable: ({ reason }) => ({
    message: `not a run that Regrade can read: ${reason}`,
    hint: "Make it again with 'regrade run --out'."
  }),
  baseline_missing: ({ suite, path }) => ({
    message: "the baseline that gate.baseline.path names does not exist",
    hint: `Make it from a version that you trust: regrade run ${suite} --baseline none --out ${path}`
  }),
  baseline_selected: ({ source }) => ({
    message: `the run ${source} is no baseline: only some of its cases were run (--case, --failed)`,
    hint: "Name a run of all cases; make one with 'regrade run SUITE'."
  }),
  baseline_unfinished: ({ source, status }) => ({
    message: `the run ${source} is no baseline: it was stopped before its end (status ${status})`,
    hint: "Finish it with --resume, or name a run that is complete."
  }),
  pool_same_run: ({ one, other, id }) => ({
    message: `${one} and ${other} are the same run (${id}): together they tell no more than one of them`,
    hint: "Name runs that were made one after the other."
  }),
  pool_other_input: ({ one, other }) => ({
    message: `${one} and ${other} are no repetitions of one run: their tasks, candidates or settings differ`,
    hint: "Runs that are taken together as a baseline have the same input_hash in run.json; name only such, or one of them."
  }),
  run_other_format: ({ found: found2, known: known3 }) => ({
    message: `this run has the format ${found2}; this version of Regrade reads ${known3}`,
    hint: "Make the run again with this version, or compare with the version that made it."
  }),
  run_of_other_suite: ({
    directory,
    suite,
    name: name2
  }) => ({
    message: `${directory} is a run of the suite ${name2}, not of ${suite}`,
    hint: `Leave --suite out, or give --suite ${name2}.`
  }),
  python_missing: ({ python, reason }) => ({
    message: `can't start Python (${python}): ${reason}`,
    hint: scarcities.test(reason) ? "The machine allows no more: raise the limit (`ulimit -n` for open files, `ulimit -u` for processes), or end other programs." : "Install Python 3.10 or newer, or name an interpreter with --python (the action's input 'python')."
  }),
  python_old: ({ python, version: version2 }) => ({
    message: `${python} is Python ${version2}; Regrade needs 3.10 or newer`,
    hint: "Name a newer interpreter with --python (the action's input 'python')."
  }),
  grader_runs_text: ({ where }) => ({
    message: `the grader can run text (${where}), so each sample is graded in its own process: an answer can't change another one's scores`,
    hint: "This takes some milliseconds per sample. Write 'isolation: sample' to confirm it, or 'isolation: chunk' if no answer is ever executed."
  }),
  grader_runs_text_together: ({ where }) => ({
    message: `the grader can run text (${where}), and 'isolation: chunk' grades up to 256 samples in one process: an answer that is run can forge the scores of the others`,
    hint: "Remove 'isolation: chunk', or write 'isolation: sample'; keep it only if no answer is ever executed."
  }),
  batch_runs_text: ({ where }) => ({
    message: `the batch grader can run text (${where}), and sees all samples of a task in one process: an answer that is run can forge the scores of the others`,
    hint: "Grade what runs answers with 'contract: sample', each in a process of its own."
  }),
  cache_left_over: ({ path, folder }) => ({
    message: `${path} holds answers that an earlier version of Regrade kept: they are not read any more, as a change could bring such a folder with it`,
    hint: `Delete it. Answers are cached in ${folder}; --cache-path (the input cache-path) changes that.`
  }),
  sandbox_partial: ({ level, missing }) => ({
    message: `graders are not fully held here (sandbox: ${level}): ${missing}`,
    hint: "'regrade doctor' lists this machine's protections; --sandbox required refuses to run with fewer."
  })
};
var directoriesNamed = 8;
function firstOf(directories) {
  const more = directories.length - directoriesNamed;
  const named = directories.slice(0, directoriesNamed).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

// src/model/problems/shard.ts
init_define_builtScripts();
var shardTexts = {
  shard_invalid: ({ name: name2, found: found2, most }) => ({
    message: `${name2} is ${JSON.stringify(found2)}, and not a shard`,
    hint: `Write I/N, counted from 1: 2/4 is the second of four. N is at most ${most}.`
  }),
  baseline_is_shard: ({ source, shard }) => ({
    message: `the run ${source} is no baseline: it is shard ${shard} of a run, and lacks the other cases`,
    hint: "Join the shards with 'regrade merge', and name the run that it writes."
  }),
  merge_no_shard: ({ directory }) => ({
    message: `${directory} is a whole run, and no shard of one`,
    hint: "Name the directories that 'regrade run --shard I/N' wrote."
  }),
  merge_unfinished: (found2) => ({
    message: `shard ${found2.shard} (${found2.directory}) was stopped before its end (status ${found2.status})`,
    hint: "Finish it (on GitHub: re-run the failed jobs; on a terminal: --resume), then merge again."
  }),
  merge_missing: ({ missing, of }) => ({
    message: `${plural(missing.length, "shard")} ${missing.join(", ")} of ${of} ${missing.length === 1 ? "is" : "are"} missing: without ${missing.length === 1 ? "it" : "them"} nothing is judged`,
    hint: "Run it, or name its directory too. On GitHub: re-run the failed jobs."
  }),
  merge_twice: (found2) => ({
    message: `shard ${found2.shard} is there twice: ${found2.directories.join(" and ")}`,
    hint: "Name each shard once. In a matrix with another dimension, give each of its rows a suite name or a merge of its own."
  }),
  merge_other: (found2) => ({
    message: `the shards are not of one run: the ${found2.what} is ${found2.one} in ${found2.directories[0]} and ${found2.other} in ${found2.directories[1]}`,
    hint: "Run all shards on the same commit with the same inputs, and merge those."
  }),
  merge_other_suite: ({ what, suite }) => ({
    message: `${suite} is not the suite that the shards ran: ${what} differ`,
    hint: "Check out the commit that the shards ran on, and merge in the folder where they were started."
  }),
  merge_sample_missing: (found2) => ({
    message: `shard ${found2.shard} (${found2.directory}) lacks a sample of its part of the plan: ${found2.task}, case ${found2.caseId}, candidate ${found2.candidate}`,
    hint: "Run that shard again: a run with a hole in it is not judged."
  }),
  merge_too_many: (found2) => ({
    message: `shard ${found2.shard} (${found2.directory}) has ${found2.found} samples, and its part of the plan ${found2.planned}`,
    hint: "Run that shard again."
  }),
  merge_policy_needed: ({ source }) => ({
    message: `the shards are to be judged by the policy of ${source} too, and no policy was named for the merge`,
    hint: `Merge with --policy-from ${source}.`
  }),
  merge_policy_not_run: ({ source }) => ({
    message: `the shards were run without --policy-from, and can't be judged by the policy of ${source} now`,
    hint: "Run the shards with the same --policy-from, or merge without it."
  }),
  shards_no_service: () => ({
    message: "mode 'merge' needs the artifacts of the shards, and this machine offers no artifact service",
    hint: "GitHub Enterprise Server and act without a server have none: pass on the run directories by other means and use 'regrade merge'."
  }),
  shards_not_fetched: ({ reason }) => ({
    message: `the shards of this workflow run can't be fetched, and nothing is judged without them: ${reason}`,
    hint: "Re-run the failed jobs."
  }),
  shards_missing: ({
    manifest,
    others
  }) => ({
    message: `no job of this workflow run has uploaded a shard of ${manifest}${others.length === 0 ? "" : `; there are shards of ${others.join(", ")}`}`,
    hint: "The jobs of the matrix need the same 'suite' and 'working-directory' as this one, and 'shard: I/N'. If they failed, re-run them."
  }),
  shard_and_mode: ({ mode }) => ({
    message: `the input 'shard' and 'mode: ${mode}' exclude each other`,
    hint: "The jobs of the matrix have 'shard: I/N' and no mode; the one that joins them has 'mode: merge'."
  }),
  merge_chooses_nothing: () => ({
    message: "the inputs that choose what is run ('candidates', 'tasks', 'max-samples', 'model' and the like) choose nothing in 'mode: merge'",
    hint: "The shards have chosen. Take them out here."
  }),
  resume_not_noted: ({ reason }) => ({
    message: `the step's state was not written: ${reason}`,
    hint: "A re-run of this job begins anew: it does not know what this attempt showed."
  }),
  attempts_unread: ({ manifest, reason }) => ({
    message: `${manifest}: what earlier attempts of this workflow run showed is not known: ${reason}`,
    hint: "The run begins anew, and does not pass: a re-run adds to them. Re-run again, or push a commit."
  })
};

// src/model/problems/sygra.ts
init_define_builtScripts();
var runThere = "Run the task with SyGra, and gate what it recorded: regrade run --results output.json --format sygra.";
function oneOf(words2) {
  return words2.length === 0 ? "there is none" : `there are ${words2.join(", ")}`;
}
function suggestionOr(suggestion, otherwise) {
  return suggestion === void 0 ? otherwise : `Did you mean ${suggestion}?`;
}
var sygraTexts = {
  sygra_text_missing: ({ key }) => ({
    message: `\`${key}\` is missing, or is not a text`,
    hint: "SyGra needs it too: docs/sygra.md shows a whole task."
  }),
  sygra_key_unsupported: ({
    key,
    what,
    known: known3
  }) => ({
    message: `\`${key}\` of ${what} is not taken here; ${oneOf(known3)}`,
    hint: `Leave it out, or: ${runThere}`
  }),
  sygra_node_unsupported: ({ name: name2, what }) => ({
    message: `the node ${JSON.stringify(name2)} is ${what}: a task that is run here asks one model, and judges its answer in lambda nodes`,
    hint: runThere
  }),
  sygra_node_missing: ({ type }) => ({
    message: `the graph has no node with node_type: ${type}`,
    hint: runThere
  }),
  sygra_edge_branches: ({ name: name2 }) => ({
    message: `the graph branches after the node ${JSON.stringify(name2)}: a task that is run here goes from one node to the next`,
    hint: runThere
  }),
  sygra_llm_code: ({ key }) => ({
    message: `\`${key}\` of the model's node is not run here`,
    hint: `Let the model answer in a structured_output, whose field is taken by its name; or: ${runThere}`
  }),
  sygra_outputs_of_model: ({ count: count3 }) => ({
    message: `\`output_keys\` of the model's node names ${count3} fields; its answer is one`,
    hint: runThere
  }),
  sygra_output_not_in_answer: ({
    field,
    fields
  }) => ({
    message: `\`output_keys\` names ${field}, and structured_output has no such field; ${oneOf(fields)}`,
    hint: "Give the field of the answer the name of the output key."
  }),
  sygra_output_missing: ({
    name: name2,
    keys,
    suggestion
  }) => ({
    message: `the result of ${name2} is lost: \`output_keys\` does not name it; ${oneOf(keys)}`,
    hint: suggestionOr(suggestion, `Add ${name2} to output_keys.`)
  }),
  sygra_unit_twice: ({ name: name2 }) => ({
    message: `the unit metric ${name2} is there twice, and its result is one field`,
    hint: "Keep one of them (SyGra keeps the last)."
  }),
  sygra_registered_twice: ({ name: name2, files }) => ({
    message: `several files register ${name2}: ${files.join(", ")}; the first is used`,
    hint: "Give each class a name of its own in its decorator."
  }),
  sygra_file_missing: ({ path }) => ({
    message: `no such file: ${path}`,
    hint: "The path starts at the folder that holds `tasks`."
  }),
  sygra_column_missing: ({
    field,
    columns
  }) => ({
    message: `'${field}' not found in output columns: output_config.output_map does not map it; ${oneOf(columns)}`,
    hint: `Add to output_map: ${field}: { from: ${field} }.`
  }),
  sygra_results_unknown: ({ field, keys, suggestion }) => ({
    message: `unit_metrics_results field '${field}' not found: no lambda node has it among its output_keys; ${oneOf(keys)}`,
    hint: suggestionOr(suggestion, "Name one of the output_keys.")
  }),
  sygra_name_unknown: ({ what, name: name2, known: known3, suggestion }) => ({
    message: `there is no ${what} ${JSON.stringify(name2)}; ${oneOf(known3)}`,
    hint: suggestionOr(
      suggestion,
      "One of your own is found by its decorator: beside the task, or in SyGra's folder of metrics."
    )
  }),
  sygra_class_missing: ({ path, file }) => ({
    message: `${path} is not there: there is no file ${file}`,
    hint: "The path is that of the module and the class, from the folder that holds `tasks`."
  }),
  sygra_previous_output: () => ({
    message: "`use_previous_output` is not run here: every post-processor is given the records of the run",
    hint: runThere
  }),
  sygra_sources_several: () => ({
    message: "a task with several data sources is not run here",
    hint: `Write one file with all rows, or: ${runThere}`
  }),
  sygra_splits_several: () => ({
    message: "a data source with several splits is not run here",
    hint: "Name one split."
  }),
  sygra_source_unknown: ({ type, known: known3 }) => ({
    message: `a data source of type ${JSON.stringify(type)} is not run here; ${oneOf(known3)}`,
    hint: runThere
  }),
  sygra_format_unknown: ({
    format,
    known: known3
  }) => ({
    message: `files of the format ${JSON.stringify(format)} are not read; ${oneOf(known3)}`,
    hint: "Convert the file to JSON lines."
  }),
  sygra_transform_unsupported: ({ name: name2 }) => ({
    message: `the transformation ${JSON.stringify(name2)} is not run here; there are RenameFieldsTransform and AddNewFieldTransform`,
    hint: `Change the data set beforehand, or: ${runThere}`
  }),
  sygra_prompt_unsupported: ({ what }) => ({
    message: `the prompt holds ${what}: here it is one text of the user, and one of the system without fields`,
    hint: runThere
  }),
  sygra_schema_unsupported: () => ({
    message: "`structured_output.schema` is supported only with `fields`, not as a class",
    hint: "Write the fields with their types, or leave structured_output out."
  }),
  sygra_parameter_unknown: ({ key, known: known3 }) => ({
    message: `the parameter \`${key}\` of a model is not taken here; ${oneOf(known3)}`,
    hint: "Leave it out, or give the candidate yourself under `regrade: { candidates: \u2026 }`."
  }),
  sygra_model_kind: ({
    name: name2,
    kind,
    known: known3
  }) => ({
    message: `the model ${name2} is of model_type ${kind}, which is not asked here; ${oneOf(known3)}`,
    hint: "Give the candidate yourself under `regrade: { candidates: \u2026 }`."
  }),
  sygra_model_unknown: ({ name: name2, variable }) => ({
    message: `no address is given for the model ${name2}`,
    hint: `Set ${variable}_URL (and ${variable}_TOKEN), as SyGra has it; or give the candidate yourself: regrade: { candidates: { model: "openai:gpt-5.4-mini" } }.`,
    missing: `${variable}_URL`
  })
};

// src/model/problems/waza.ts
init_define_builtScripts();
var page2 = "docs/waza.md lists the keys of a waza file.";
function listed2(words2) {
  return words2.length === 0 ? "there is none" : `there are ${words2.join(", ")}`;
}
var wazaTexts = {
  waza_value: ({ key, expected }) => ({
    message: `\`${key}\` must be ${expected}`,
    hint: page2
  }),
  waza_key_unknown: ({ key, what, known: known3, suggestion }) => ({
    message: `${what} has no key \`${key}\`; ${listed2(known3)}`,
    hint: suggestion === void 0 ? "Remove it: an unknown key checks nothing." : `Did you mean ${suggestion}?`
  }),
  waza_key_idle: ({ key, why }) => ({
    message: `\`${key}\` changes nothing: ${why}`,
    hint: page2
  }),
  waza_unsupported: ({ what, way }) => ({
    message: `${what} is not run here`,
    hint: way
  }),
  waza_grader_unknown: ({
    type,
    known: known3,
    suggestion
  }) => ({
    message: `there is no grader of the type ${JSON.stringify(type)}; ${listed2(known3)}`,
    hint: suggestion === void 0 ? "A grader of your own is a Python file: docs/waza.md shows how Go's interface becomes grade(sample, item)." : `Did you mean ${suggestion}?`
  }),
  waza_check_empty: ({ grader, keys }) => ({
    message: `the grader ${JSON.stringify(grader)} checks nothing, and would always pass`,
    hint: `Give its config ${keys.join(", ")}.`
  }),
  waza_name_taken: ({ name: name2 }) => ({
    message: `two graders of one task are called ${JSON.stringify(name2)}: waza keeps the result of the last one alone`,
    hint: "Give each a name of its own; names that differ in other characters than letters, digits, _ and - are one."
  }),
  waza_tasks_missing: ({ patterns }) => ({
    message: `no task file matches ${patterns.map((each) => JSON.stringify(each)).join(", ")}`,
    hint: "The patterns of `tasks` start at this file's folder; ** means one folder, as in waza."
  }),
  waza_tasks_none: () => ({
    message: "there is no task to run: all are switched off, or the list is empty",
    hint: "Give a task `enabled: true`."
  }),
  waza_task_ungraded: ({ task }) => ({
    message: `the task ${JSON.stringify(task)} has no grader: nothing of its answer is checked`,
    hint: "Give the file, or the task, `graders`."
  }),
  waza_task_twice: ({ id, renamed }) => ({
    message: `two tasks have the id ${JSON.stringify(id)}; this one is ${JSON.stringify(renamed)} here`,
    hint: "Give each task an id of its own, so that runs can be compared."
  }),
  waza_file_missing: ({ path, reason }) => ({
    message: `the file ${JSON.stringify(path)} is left out: ${reason}`,
    hint: "waza leaves it out, too, and reports it only in its log. Files belong in `fixtures` next to the eval file."
  }),
  waza_file_unusable: ({ path, reason }) => ({
    message: `${path} can't be used: ${reason}`,
    hint: page2
  }),
  waza_csv: ({ reason }) => ({
    message: `the CSV file of \`tasks_from\` can't be used: ${reason}`,
    hint: "Its first row names the columns; id, name and prompt have a meaning."
  }),
  waza_template: ({ template, reason }) => ({
    message: `the template ${JSON.stringify(template)} can't be filled: ${reason}`,
    hint: "There are {{.Vars.NAME}} for columns and inputs, {{.TaskName}}, {{.Iteration}} and {{.Attempt}}."
  }),
  waza_era: ({ era, why }) => ({
    message: `the file is read as one for waza ${era}: ${why}`,
    hint: "docs/waza.md says what each version means by the same keys."
  }),
  waza_metrics_idle: ({ names: names2 }) => ({
    message: `waza computes no metric but trigger_accuracy: ${names2.join(", ")} changes nothing`,
    hint: "Every grader of every task must pass; for other rules write a manifest with `uses:` this file and a `gate`."
  }),
  waza_skills_missing: ({
    names: names2,
    found: found2
  }) => ({
    message: `required skills are not found: ${names2.join(", ")}; in skill_directories ${listed2(found2)}`,
    hint: "Each folder of `skill_directories` holds a SKILL.md itself, whose front matter has the skill's name."
  }),
  waza_vally: () => ({
    message: "the file is Vally's: it has `stimuli`, and Vally's suites are not read",
    hint: "Write a manifest for it (docs/suite.md), or gate what Vally recorded as CSV or JSON lines."
  })
};

// src/model/refusal.ts
var texts = {
  __proto__: null,
  ...baselineTexts,
  ...calibrateTexts,
  ...candidateTexts,
  ...commandTexts,
  ...datasetTexts,
  ...extractionTexts,
  ...foreignTexts,
  ...gateTexts,
  ...graderTexts,
  ...initTexts,
  ...kEvalTexts,
  ...manifestTexts,
  ...modelTexts,
  ...platformTexts,
  ...policyTexts,
  ...preprocessTexts,
  ...providerTexts,
  ...remoteTexts,
  ...resultTexts,
  ...runTexts,
  ...shardTexts,
  ...sygraTexts,
  ...wazaTexts
};
var table2 = texts;
function problem(code, found2, place2) {
  const { message, hint, missing, more } = table2[code](found2);
  return {
    code,
    message,
    hint,
    place: place2,
    ...missing !== void 0 && { missing },
    ...more !== void 0 && { more }
  };
}
function countProblems(problems) {
  return problems.reduce((sum, { more = 1 }) => sum + more, 0);
}
function formatProblem({ message, hint, place: place2 }) {
  const where = place2 && [place2.file, place2.line, place2.column].filter((part) => part !== void 0);
  const head = [where?.join(":"), place2?.path].filter((part) => part !== void 0 && part !== "");
  const text3 = [...head, message].join(": ");
  return hint === void 0 ? text3 : `${text3}
  ${hint}`;
}

// src/model/figures/detectable.ts
var clearFactor = 2;
var manyRepeats = 5;
function isBeyondReach({
  limit,
  detects
}) {
  return limit > 0 && detects >= clearFactor * limit;
}
function reachProblem(asked, place2) {
  if (!isBeyondReach(asked)) return void 0;
  const { limit, detects, cases, unit, rule, kind } = asked;
  const { needed, repeated: repeated2 } = asked.ways();
  const found2 = {
    rule,
    kind,
    cases,
    asked: size(limit, unit),
    seen: size(detects, unit),
    needed,
    repeated: repeated2 === void 0 ? void 0 : size(repeated2, unit),
    holds: roundUp(detects),
    assumption: asked.assumption
  };
  return problem("rule_beyond_reach", found2, place2);
}
function size(value, unit) {
  return unit === "share" ? `${(100 * value).toFixed(1)} points` : String(Number(value.toPrecision(3)));
}
function roundUp(value) {
  if (!(value > 0)) return 0;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(2));
}

// src/model/outcomes/history.ts
init_define_builtScripts();
function historyKey({ task, candidate, metric, slice }) {
  return JSON.stringify([task, candidate, metric, slice]);
}
function meaningOf({ suite }) {
  return Object.fromEntries(
    Object.entries(suite.tasks).map(([task, { fingerprint }]) => [task, markOf(fingerprint)])
  );
}
var markLength = 12;
function markOf({ dataset, preprocess, extraction, grader, judge }) {
  return [dataset, preprocess, extraction, grader, judge].map((hash) => (hash ?? "-").replace(/^sha256:/, "").slice(0, markLength)).join(".");
}
function breaksIn(points, task) {
  const breaks = [];
  let last;
  for (const [i, { meaning }] of points.entries()) {
    const mark = meaning?.[task];
    if (mark !== void 0 && last !== void 0 && mark !== last) breaks.push(i);
    last = mark ?? last;
  }
  return breaks;
}

// src/report/words/figures.ts
init_define_builtScripts();
function unitOf(run, { task, metric }) {
  const found2 = run.metrics.find((value) => value.task === task && value.metric === metric);
  const declared = ownValue(run.suite.tasks, task)?.metrics.find((spec) => spec.id === metric);
  return metricUnit(metric, (found2 === void 0 ? declared?.range : found2.range) ?? null);
}
function metricUnit(metric, range) {
  if (metric.endsWith("_seconds")) return "seconds";
  if (metric === "usd") return "usd";
  return isShare(range) ? "share" : "number";
}
function figure(value, unit) {
  switch (unit) {
    case "share":
      return `${percent(value)}%`;
    case "seconds":
      return `${significant(value)} s`;
    case "usd":
      return usd(value);
    case "number":
      return significant(value);
  }
}
function distance(value, unit) {
  const size3 = Math.abs(value);
  return unit === "share" ? `${percent(size3)} points` : figure(size3, unit);
}
function difference(value, unit) {
  const sign2 = value < 0 ? "\u2212" : value > 0 ? "+" : "";
  return `${sign2}${distance(value, unit)}`;
}
function differenceRange([lower, upper], unit) {
  return `${difference(lower, unit).replace(/ (?:points|s)$/, "")} to ${difference(upper, unit)}`;
}
function figureRange([lower, upper], unit) {
  const from = unit === "number" ? lower : Math.max(0, lower);
  const to = unit === "share" ? Math.min(1, upper) : upper;
  return `${figure(from, unit)} to ${figure(to, unit)}`;
}
function percentName(level) {
  return `${Number((level * 100).toFixed(1))}%`;
}
function pValue(p) {
  return p < 1e-3 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}
function duration(seconds) {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (whole < 3600) return `${minutes} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${count(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, "0")} min`;
}
function usd(value) {
  const size3 = Math.abs(value);
  const text3 = size3 >= 1 || size3 === 0 ? groupedDigits(size3.toFixed(2)) : decimal(size3);
  return `${value < 0 ? "\u2212" : ""}$${text3}`;
}
function count(value) {
  return groupedDigits(value).replace("-", "\u2212");
}
function counted(value, noun) {
  return `${count(value)} ${plural(value, noun)}`;
}
function forCount(value, one, several) {
  return value === 1 ? one : several;
}
function countedOf(value, all, noun) {
  return `${count(value)} of ${counted(all, noun)}`;
}
function listed3(items) {
  const shown3 = items.slice(0, itemsShown).join(", ");
  return items.length > itemsShown ? `${shown3} and ${count(items.length - itemsShown)} more` : shown3;
}
var itemsShown = 5;
function percent(value) {
  const size3 = Math.abs(value) * 100;
  let decimals = 1;
  const gone = (text3) => Number(text3) === 0 && size3 !== 0 || Number(text3) === 100 && size3 !== 100;
  while (decimals < 4 && gone(size3.toFixed(decimals))) decimals += 1;
  return `${value < 0 ? "\u2212" : ""}${size3.toFixed(decimals)}`;
}
function significant(value) {
  const size3 = Math.abs(value);
  const sign2 = value < 0 ? "\u2212" : "";
  if (Number.isInteger(size3) && size3 < 1e15) return `${sign2}${groupedDigits(size3)}`;
  return size3 >= 1e3 && size3 < 1e15 ? `${sign2}${groupedDigits(size3.toFixed(0))}` : `${sign2}${decimal(size3)}`;
}
function decimal(size3) {
  return size3.toPrecision(3).replace("e-", "e\u2212");
}
var andUnpriced = " and what has no known price";
function costWords({ usd: candidates, judge_usd: judges, unpriced }) {
  const sum = usd(candidates + judges);
  const known3 = judges === 0 ? sum : `${sum}, ${usd(judges)} of it for judges`;
  return unpriced ? `${known3}${andUnpriced}` : known3;
}

// src/report/words/rules.ts
init_define_builtScripts();

// src/model/place.ts
init_define_builtScripts();
function valueAt(values, { task, candidate, metric, slice }) {
  return values.find(
    (value) => value.task === task && value.candidate === candidate && value.metric === metric && value.slice === slice
  );
}

// src/report/words/outcomes.ts
init_define_builtScripts();
var outcomeWords = {
  met: "passes",
  missed: "fails",
  inconclusive: "inconclusive",
  unmeasured: "not measured"
};

// src/report/words/rules.ts
var none = "\u2013";
function ruleWords(run, rule) {
  const unit = unitOf(run, rule);
  const cases = casesOfRule(run, rule);
  return {
    name: ruleName(run, rule),
    baseline: rule.baseline === null ? none : figure(rule.baseline, unit),
    value: valueWords(rule, unit),
    delta: rule.delta === null ? none : difference(rule.delta, unit),
    interval: intervalWords(run, rule),
    range: rule.delta_ci === null ? "" : differenceRange(rule.delta_ci, unitOf(run, rule)),
    cases: cases === null ? none : count(cases),
    consequence: consequenceWords(run, rule),
    mark: markOf2(rule),
    shown: `${outcomeWords[rule.outcome]}: ${codeWords(rule)}${inBrackets(powerWords(run, rule))}`,
    brief: `${markOf2(rule)} ${codeWords(rule)}`,
    found: codeWords(rule),
    evidence: evidenceWords(run, rule)
  };
}
function valueWords(rule, unit) {
  if (rule.kind !== "must_pass" || rule.n === null || rule.code === "cases_ungraded")
    return rule.value === null ? none : figure(rule.value, unit);
  const fallen = (rule.short?.length ?? 0) + (rule.changed.failing?.count ?? 0);
  const passing = Math.max(0, rule.n - fallen);
  return `${count(passing)} of ${count(rule.n)} ${forCount(rule.n, "passes", "pass")}`;
}
function ruleName(run, rule) {
  const candidate = run.candidates.length > 1 ? ` \xB7 ${rule.candidate}` : "";
  const slice = rule.slice === null ? "" : ` \xB7 ${rule.slice}`;
  const against = rule.against === void 0 ? "" : ` \xB7 against ${rule.against}`;
  return `${rule.task}/${rule.metric}${candidate}${slice}${against}`;
}
function casesOfRule(run, rule) {
  if (rule.n !== null) return rule.n;
  const found2 = valueAt(run.metrics, rule);
  return found2?.n ?? null;
}
function ruleFacts(run, rule) {
  const cases = casesOfRule(run, rule);
  const rest = [ruleFrame(run, rule), ...cases === null ? [] : [counted(cases, "case")]];
  const moved = rule.delta === null ? "" : `${difference(rule.delta, unitOf(run, rule))} `;
  return `${moved}(${rest.join("; ")})`;
}
function ruleFrame(run, rule) {
  const limit = limitFact(run, rule);
  if (rule.delta_ci === null) return limit;
  const level = rule.ci_level === null ? "interval" : `${percentName(rule.ci_level)} interval`;
  return `${level} ${differenceRange(rule.delta_ci, unitOf(run, rule))}; ${limit}`;
}
function detectable(run, rule) {
  const unit = unitOf(run, rule);
  if (rule.mde === null || unit === "share" && rule.mde > 1) return void 0;
  return `could detect \u2265 ${distance(rule.mde, unit)}`;
}
function changeNoun(rule) {
  return rule.kind === "max_rise" ? "rise" : "drop";
}
function intervalWords(run, rule) {
  if (rule.delta_ci === null) return "";
  const range = differenceRange(rule.delta_ci, unitOf(run, rule));
  return rule.ci_level === null ? range : `${percentName(rule.ci_level)}: ${range}`;
}
function limitWords(run, rule) {
  const unit = unitOf(run, rule);
  const size3 = isRelative(rule) ? threshold(rule, unit) : figure(rule.limit, unit);
  return rule.prove === "nothing" ? `${size3}, without proof` : size3;
}
function consequenceWords(run, rule) {
  const verb = verbs[rule.level];
  const size3 = figure(rule.limit, unitOf(run, rule));
  switch (rule.kind) {
    case "min":
      return `${verb} below ${size3}`;
    case "max":
      return `${verb} above ${size3}`;
    case "must_pass":
      return size3 === "100.0%" ? `${verb} if one fails` : `${verb} if one is not ${size3}`;
    case "max_drop":
    case "max_rise":
      return limitWords(run, rule);
  }
}
function limitFact(run, rule) {
  const unit = unitOf(run, rule);
  switch (rule.kind) {
    case "min":
      return `at least ${figure(rule.limit, unit)} asked`;
    case "max":
      return `at most ${figure(rule.limit, unit)} allowed`;
    case "must_pass":
      return `${figure(rule.limit, unit)} asked of each must-pass case`;
    case "max_drop":
    case "max_rise":
      return threshold(rule, unit);
  }
}
function isRelative({ kind }) {
  return kind === "max_drop" || kind === "max_rise";
}
var verbs = { block: "blocks", warn: "warns", info: "notes" };
function threshold(rule, unit) {
  const verb = verbs[rule.level];
  return rule.limit === 0 ? `${verb} on any ${changeNoun(rule)}` : `${verb} from ${distance(rule.limit, unit)}`;
}
function evidenceWords(run, rule) {
  const { code } = rule;
  if (code === "drop_proven" || code === "drop_hidden") return adjustedP(rule) ?? "";
  return powerWords(run, rule) ?? "";
}
function powerWords(run, rule) {
  const { code } = rule;
  return code === "drop_not_proven" || code === "no_drop_detected" ? detectable(run, rule) : void 0;
}
function codeWords(rule) {
  const noun = changeNoun(rule);
  const words2 = {
    within_limit: "within the limit",
    beyond_limit: "beyond the limit",
    drop_proven: `${noun} proven`,
    drop_not_confirmed: `${noun} not confirmed when run again`,
    confirm_undecided: `${noun} proven, running again could not decide`,
    drop_not_proven: `${noun} seen, not proven`,
    drop_left_open: `${noun} seen, too large to pass and not proven`,
    drop_within_limit: `${noun} below the limit`,
    drop_hidden: `${noun} proven in this slice, hidden by the total`,
    no_drop_detected: `no ${noun} detected`,
    no_drop_shown: `a ${noun} of the limit's size is ruled out`,
    no_drop_not_shown: `a ${noun} of the limit's size is not ruled out`,
    cases_short: "a must-pass case fails",
    cases_short_before: "the must-pass cases that fail did so before",
    cases_absent: "a must-pass case is not in this run",
    cases_ungraded: "a must-pass case could not be graded",
    slice_missing: "no case is in this slice",
    run_stopped: "the run was stopped",
    no_baseline: rule.against === void 0 ? "no baseline" : `no answers of ${rule.against}`,
    not_comparable: "not comparable",
    too_few_to_prove: `too few cases or clusters to prove a ${noun}`,
    baseline_moved: "this run's grader moves the baseline itself",
    not_provable: `${noun} seen, can't be proven`,
    no_pairs: `no case in common with ${rule.against ?? "the baseline"}`,
    metric_missing: rule.value === null ? "no case has a score in it" : "a number outside of the metric's range",
    metric_new: "new metric, not in the baseline"
  };
  return words2[rule.code];
}
function adjustedP({ p, p_adjusted: adjusted }) {
  const shown3 = adjusted ?? p;
  return shown3 === null ? void 0 : pValue(shown3);
}
function inBrackets(text3) {
  return text3 === void 0 ? "" : ` (${text3})`;
}
function markOf2(rule) {
  switch (rule.outcome) {
    case "met":
      return "\u2705";
    case "missed":
      return rule.level === "block" ? "\u274C" : "\u26A0\uFE0F";
    case "inconclusive":
      return "\u26A0\uFE0F";
    case "unmeasured":
      return "\u2796";
  }
}

// src/report/words/differences.ts
init_define_builtScripts();
var fewCases = 50;

// src/report/words/losses.ts
init_define_builtScripts();
function locatedWords(places, broke) {
  const parts = places.map((place2, i) => `${partWords(place2, broke, i)})`);
  return `where it broke: ${parts.join("; ")}, more than by chance`;
}
function partWords(place2, broke, i) {
  const { kind, name: name2, broke: here, cases } = place2;
  const part = kind === "cluster" ? "in one cluster" : clip2(name2);
  const noun = i === 0 ? " broken cases" : "";
  const whole = here === cases ? `all of its ${count(cases)} cases` : `${count(here)} of its ${count(cases)} cases`;
  return `${count(here)} of ${count(broke)}${noun} are ${part} (${whole}`;
}
var longestName = 80;
function clip2(name2) {
  const characters2 = Array.from(name2);
  return characters2.length > longestName ? `${characters2.slice(0, longestName).join("")}\u2026` : name2;
}

// src/report/words/sentences.ts
function ruleSentence(run, rule) {
  const unit = unitOf(run, rule);
  const subject = name(ruleName(run, rule));
  const isBare = ["unmeasured", "inconclusive"].includes(rule.outcome) || isMissing(rule);
  const isNamed = rule.kind === "must_pass" && rule.code !== "within_limit";
  if (isBare || isNamed || rule.value === null) {
    return [subject, text(": "), ...quoted3(rule.reason)];
  }
  const before = rule.baseline === null ? " " : ` ${figure(rule.baseline, unit)} \u2192 `;
  const value = { kind: "strong", text: figure(rule.value, unit) };
  const old = missedBefore(run, rule);
  const already = old === void 0 ? "" : `, already failing in the baseline, at ${figure(old, unit)}`;
  const comma = rule.delta === null ? " " : ", ";
  return [subject, text(before), value, text(`${comma}${ruleFacts(run, rule)}${already}.`)];
}
var rounding = 1e-9;
function missedBefore(run, rule) {
  const isLimit3 = rule.kind === "min" || rule.kind === "max";
  if (!isLimit3 || rule.outcome !== "missed" || run.baseline?.comparable[rule.task] !== true)
    return void 0;
  const values = run.baseline.history?.at(-1)?.values ?? [];
  const before = values.find((each) => historyKey(each) === historyKey(rule))?.value;
  if (before === void 0) return void 0;
  const short = rule.kind === "min" ? rule.limit - before : before - rule.limit;
  return short > rounding ? before : void 0;
}
function isMissing({ code }) {
  return code === "metric_missing";
}
function greySentence(run, rule) {
  if (rule.located !== void 0) return hidingSentence(run, rule);
  const unit = unitOf(run, rule);
  const seen = rule.delta === null ? `a ${changeNoun(rule)}` : difference(rule.delta, unit);
  const values = rule.baseline === null || rule.value === null ? "" : ` (${figure(rule.baseline, unit)} \u2192 ${figure(rule.value, unit)}; ${ruleFrame(run, rule)})`;
  const found2 = rule.confirmation ? unconfirmed(rule.confirmation) : power(run, rule);
  const proven = rule.confirmation ? "proven, not confirmed" : "not proven";
  return [name(ruleName(run, rule)), text(` ${seen} seen, ${proven}${found2}${values}.`)];
}
function hidingSentence(run, rule) {
  return [name(ruleName(run, rule)), text(" "), ...quoted3(rule.reason)];
}
function locatedSentence(run, rule) {
  const { places = [] } = rule.located ?? {};
  const reason = locatedWords(places, rule.broke ?? 0);
  const clusters = places.filter(({ kind }) => kind === "cluster").map((place2) => place2.name);
  const isShown = clusters.length > 0 && run.suite.publish !== "ids";
  const names2 = clusters.map((each) => clip(each, longestName2)).join(", ");
  const said = isShown ? [text(` The ${forCount(clusters.length, "cluster", "clusters")}: ${names2}.`)] : [];
  return [name(ruleName(run, rule)), text(": "), ...quoted3(reason), ...said];
}
var longestName2 = 80;
function unconfirmed({ cases, broke, fixed }) {
  return `: of the ${counted(cases, "case")} that changed, run again on both sides, ${broke ?? 0} broke and ${fixed ?? 0} ${forCount(fixed ?? 0, "was", "were")} fixed`;
}
function power(run, rule) {
  const cases = casesOfRule(run, rule);
  const detects = detectable(run, rule);
  if (detects === void 0) return "";
  return `; ${cases === null ? "this run" : counted(cases, "case")} ${detects}`;
}
function advice(run, rule) {
  const cases = casesOfRule(run, rule);
  if (cases === null || cases >= fewCases || rule.located !== void 0) return [];
  const few = ` ${counted(cases, "case")} can prove little: add cases`;
  const repeats = ownValue(run.suite.tasks, rule.task)?.repeats ?? 1;
  if (repeats >= manyRepeats || rule.steady === true) return [text(`${few}.`)];
  return [text(`${few}, or set `), name(`repeats: ${manyRepeats}`), text(".")];
}
function quoted3(reason) {
  const parts = full(reason).split("`");
  if (parts.length % 2 === 0) return [text(full(reason))];
  return parts.map((part, i) => i % 2 === 0 ? text(part) : name(part)).filter((piece) => piece.text !== "");
}
function full(reason) {
  return /[.!?]\s*$/.test(reason) ? reason.trim() : `${reason.trim()}.`;
}
function text(words2) {
  return { kind: "text", text: words2 };
}
function name(words2) {
  return { kind: "name", text: words2 };
}

// src/report/words/diagnoses.ts
var longestDetail = 300;
var crashesShown = 3;
function ofSetUp({ diagnoses = [] }) {
  return diagnoses.filter(({ symptom }) => symptom !== lossMessage && symptom !== crash);
}
function lossMessageLines({ candidates, diagnoses = [], suite }) {
  if (suite.publish !== "ids") return [];
  const found2 = diagnoses.filter(({ symptom }) => symptom === lossMessage);
  return found2.map(({ task, candidate, message }) => {
    const at = candidates.length > 1 ? `${task} \xB7 ${candidate}` : task;
    return [name(at), text(": ")].concat(quoted3(message));
  });
}
function crashClauses({ candidates, suite, diagnoses = [] }) {
  const found2 = diagnoses.filter(({ symptom }) => symptom === crash);
  const isSeveral = candidates.length > 1 || Object.keys(suite.tasks).length > 1;
  return found2.slice(0, crashesShown).map(({ task, candidate, message, detail }) => {
    const at = candidates.length > 1 ? `${task} \xB7 ${candidate}` : task;
    const isShown = detail !== null && suite.publish !== "ids";
    const clause = text(`${message}${isShown ? `: ${clip(detail, longestDetail)}` : ""}`);
    return isSeveral ? [name(at), text(": "), clause] : [clause];
  });
}
function diagnosisSentence(diagnosis, content) {
  const sentence2 = quoted3(diagnosis.message);
  const detail = detailOf(diagnosis, content);
  const last = sentence2.at(-1);
  if (detail === "" || last === void 0) return sentence2;
  const open2 = { ...last, text: last.text.replace(/\.$/, "") };
  return [...sentence2.slice(0, -1), open2, text(`${detail}.`)];
}
function detailOf({ detail }, content) {
  return detail === null || content === "ids" ? "" : ` (the first: ${clip(detail, longestDetail)})`;
}

// src/report/annotations.ts
var longestMessage = 4e3;
var longestTitle = 200;
function annotationsOf(view) {
  const { hasFile } = view.circumstances;
  const shown3 = notesOf(view).filter(({ path }) => hasFile?.(path) !== false);
  return shown3.toSorted((a, b) => weights[a.annotation_level] - weights[b.annotation_level]);
}
function notesOf(view) {
  if (view.kind === "no_run") {
    return view.reason.kind === "refused" ? view.reason.problems.flatMap(problemNote) : [];
  }
  const { run, circumstances, content, errors = [] } = view;
  const { locate } = circumstances;
  if (locate === void 0) return [];
  return [
    ...run.gate.rules.flatMap((rule) => ruleNote(run, rule, locate)),
    ...errors.flatMap((group2) => graderNote(group2, { content, manifest: locate([]).file })),
    ...ofSetUp(run).map(
      ({ task, message }) => note(locate(taskPath(run, task)), {
        annotation_level: "warning",
        title: task,
        message
      })
    )
  ];
}
var weights = { failure: 0, warning: 1, notice: 2 };
function problemNote({ message, hint, place: place2 }) {
  if (place2 === void 0) return [];
  const path = place2.path === void 0 || place2.path === "" ? "" : `${place2.path}: `;
  const advice2 = hint === void 0 ? "" : `
${hint}`;
  const text3 = `${path}${message}${advice2}`;
  return [
    note(place2, { annotation_level: "failure", title: "Regrade could not run", message: text3 })
  ];
}
function ruleNote(run, rule, locate) {
  const { outcome, level } = rule;
  if (level === "info" || outcome !== "missed" && outcome !== "inconclusive") return [];
  const isAccepted2 = Boolean(run.approvals?.loss) && isRelative(rule) && rule.against === void 0;
  const blocks2 = outcome === "missed" && level === "block" && !isAccepted2;
  return [
    note(locate(rulePath(run, rule)), {
      annotation_level: blocks2 ? "failure" : "warning",
      title: `${ruleName(run, rule)} ${outcomeWords[outcome]}`,
      message: `${rule.reason}
${ruleFacts(run, rule)}`
    })
  ];
}
function rulePath({ suite }, rule) {
  const rules = suite.gate === "none" ? [] : suite.gate.rules ?? [];
  const fitting = rules.flatMap((spec, i) => isOf(spec, rule) ? [{ spec, i }] : []);
  const exact = fitting.find(({ spec }) => spec.metric === `${rule.task}/${rule.metric}`);
  const found2 = exact ?? fitting[0];
  if (found2 !== void 0) return ["gate", "rules", found2.i];
  return rule.kind === "max_drop" ? ["gate", "max_drop"] : ["gate"];
}
function isOf(spec, rule) {
  if (rule.kind === "must_pass") return spec.must_pass !== void 0;
  if (spec.against !== rule.against) return false;
  return spec.must_pass === void 0 && spec[rule.kind] === rule.limit;
}
function taskPath({ suite }, task) {
  const position = Object.keys(suite.tasks).indexOf(task);
  return position === -1 ? ["tasks"] : ["tasks", position];
}
var origin = /\(((?!\/)[\w./-]{1,300}\.py):(\d{1,7}), in [^()\n]*\)/;
function graderNote(group2, known3) {
  if (group2.fault !== "grader") return [];
  const found2 = origin.exec(group2.message);
  const file = (0, import_posix.normalize)(`${(0, import_posix.dirname)(known3.manifest)}/${found2?.[1] ?? ""}`);
  if (found2 === null || file.startsWith("..")) return [];
  const samples = counted(group2.count, "sample");
  const words2 = known3.content === "ids" ? "" : `
${clip(group2.message, 600)}`;
  return [
    note(
      { file, line: Number(found2[2]) },
      {
        annotation_level: "warning",
        title: `${group2.task}: the grader failed on ${samples}`,
        message: `${group2.type}, first in ${group2.caseIds[0] ?? "an unnamed case"}${words2}`
      }
    )
  ];
}
function note(place2, words2) {
  const line = Math.max(1, place2.line ?? 1);
  return {
    path: place2.file,
    start_line: line,
    end_line: line,
    annotation_level: words2.annotation_level,
    title: clip(escapeLogLine(clip(words2.title, longestTitle)), 250).slice(0, 255),
    message: clip(escapeLog(clip(words2.message, longestMessage)), 2 * longestMessage)
  };
}

// src/report/markdown/budget.ts
init_define_builtScripts();

// src/report/markdown/layout.ts
init_define_builtScripts();

// node_modules/markdown-table/index.js
init_define_builtScripts();
function defaultStringLength(value) {
  return value.length;
}
function markdownTable(table5, options) {
  const settings3 = options || {};
  const align = (settings3.align || []).concat();
  const stringLength = settings3.stringLength || defaultStringLength;
  const alignments = [];
  const cellMatrix = [];
  const sizeMatrix = [];
  const longestCellByColumn = [];
  let mostCellsPerRow = 0;
  let rowIndex = -1;
  while (++rowIndex < table5.length) {
    const row2 = [];
    const sizes2 = [];
    let columnIndex2 = -1;
    if (table5[rowIndex].length > mostCellsPerRow) {
      mostCellsPerRow = table5[rowIndex].length;
    }
    while (++columnIndex2 < table5[rowIndex].length) {
      const cell = serialize(table5[rowIndex][columnIndex2]);
      if (settings3.alignDelimiters !== false) {
        const size3 = stringLength(cell);
        sizes2[columnIndex2] = size3;
        if (longestCellByColumn[columnIndex2] === void 0 || size3 > longestCellByColumn[columnIndex2]) {
          longestCellByColumn[columnIndex2] = size3;
        }
      }
      row2.push(cell);
    }
    cellMatrix[rowIndex] = row2;
    sizeMatrix[rowIndex] = sizes2;
  }
  let columnIndex = -1;
  if (typeof align === "object" && "length" in align) {
    while (++columnIndex < mostCellsPerRow) {
      alignments[columnIndex] = toAlignment(align[columnIndex]);
    }
  } else {
    const code = toAlignment(align);
    while (++columnIndex < mostCellsPerRow) {
      alignments[columnIndex] = code;
    }
  }
  columnIndex = -1;
  const row = [];
  const sizes = [];
  while (++columnIndex < mostCellsPerRow) {
    const code = alignments[columnIndex];
    let before = "";
    let after = "";
    if (code === 99) {
      before = ":";
      after = ":";
    } else if (code === 108) {
      before = ":";
    } else if (code === 114) {
      after = ":";
    }
    let size3 = settings3.alignDelimiters === false ? 1 : Math.max(
      1,
      longestCellByColumn[columnIndex] - before.length - after.length
    );
    const cell = before + "-".repeat(size3) + after;
    if (settings3.alignDelimiters !== false) {
      size3 = before.length + size3 + after.length;
      if (size3 > longestCellByColumn[columnIndex]) {
        longestCellByColumn[columnIndex] = size3;
      }
      sizes[columnIndex] = size3;
    }
    row[columnIndex] = cell;
  }
  cellMatrix.splice(1, 0, row);
  sizeMatrix.splice(1, 0, sizes);
  rowIndex = -1;
  const lines = [];
  while (++rowIndex < cellMatrix.length) {
    const row2 = cellMatrix[rowIndex];
    const sizes2 = sizeMatrix[rowIndex];
    columnIndex = -1;
    const line = [];
    while (++columnIndex < mostCellsPerRow) {
      const cell = row2[columnIndex] || "";
      let before = "";
      let after = "";
      if (settings3.alignDelimiters !== false) {
        const size3 = longestCellByColumn[columnIndex] - (sizes2[columnIndex] || 0);
        const code = alignments[columnIndex];
        if (code === 114) {
          before = " ".repeat(size3);
        } else if (code === 99) {
          if (size3 % 2) {
            before = " ".repeat(size3 / 2 + 0.5);
            after = " ".repeat(size3 / 2 - 0.5);
          } else {
            before = " ".repeat(size3 / 2);
            after = before;
          }
        } else {
          after = " ".repeat(size3);
        }
      }
      if (settings3.delimiterStart !== false && !columnIndex) {
        line.push("|");
      }
      if (settings3.padding !== false && // Don\u2019t add the opening space if we\u2019re not aligning and the cell is
      // empty: there will be a closing space.
      !(settings3.alignDelimiters === false && cell === "") && (settings3.delimiterStart !== false || columnIndex)) {
        line.push(" ");
      }
      if (settings3.alignDelimiters !== false) {
        line.push(before);
      }
      line.push(cell);
      if (settings3.alignDelimiters !== false) {
        line.push(after);
      }
      if (settings3.padding !== false) {
        line.push(" ");
      }
      if (settings3.delimiterEnd !== false || columnIndex !== mostCellsPerRow - 1) {
        line.push("|");
      }
    }
    lines.push(
      settings3.delimiterEnd === false ? line.join("").replace(/ +$/, "") : line.join("")
    );
  }
  return lines.join("\n");
}
function serialize(value) {
  return value === null || value === void 0 ? "" : String(value);
}
function toAlignment(value) {
  const code = typeof value === "string" ? value.codePointAt(0) : 0;
  return code === 67 || code === 99 ? 99 : code === 76 || code === 108 ? 108 : code === 82 || code === 114 ? 114 : 0;
}

// src/report/markdown/layout.ts
var longestName3 = 120;
var longestSentence = 600;
function inlineCode(text3) {
  return codeSpan(clip(text3, longestName3));
}
function inlineText(text3) {
  return escapeInline(clip(text3, longestSentence));
}
var nbsp = "\xA0";
function unbroken(escaped) {
  return escaped.replaceAll(" ", nbsp);
}
function toMarkdown(words2) {
  const line = words2.map((piece) => {
    switch (piece.kind) {
      case "text":
        return inlineText(piece.text);
      case "name":
        return inlineCode(piece.text);
      case "strong":
        return `**${inlineText(piece.text)}**`;
    }
  }).join("");
  return beginLine(line);
}
function details(summary2, body) {
  return `<details><summary>${summary2}</summary>

${body}

</details>`;
}
function table3(heads, align, rows) {
  const kept = heads.flatMap((_, i) => rows.some((row) => (row[i] ?? "") !== "") ? [i] : []);
  const pick = (row) => kept.map((i) => row[i] ?? "");
  return markdownTable([heads, ...rows].map(pick), {
    align: pick(align.split("")),
    alignDelimiters: false
  });
}
function renderedOnce(items, render) {
  const rows = [];
  return (shown3) => {
    for (const item of items.slice(rows.length, shown3)) rows.push(render(item));
    return rows.slice(0, shown3);
  };
}

// src/report/markdown/budget.ts
function fit(text3, limitBytes) {
  const { heads, blocks: blocks2, tail: tail2 = "", separator = blankLine } = text3;
  const join6 = (parts) => `${parts.filter((part) => part !== "").join(separator)}
`;
  const all = blocks2.map((block) => block.render(block.rows));
  const whole = join6([heads[0] ?? "", ...foldTexts(blocks2, all), tail2]);
  if (bytes(whole) <= limitBytes) return whole;
  const every = blocks2.map((block) => ({ block, rows: block.rows }));
  const around = [note2(every, text3), tail2, ...foldTexts(blocks2, foldMarks(blocks2))].map(
    (part) => bytes(part) + separator.length
  );
  const room = limitBytes - around.reduce((sum, part) => sum + part, 0) - 1;
  const short = heads.find((head) => bytes(head) <= room);
  if (short === void 0) return heads.find((head) => bytes(head) <= limitBytes) ?? "";
  const { texts: texts2, leftOut: leftOut2 } = fitBlocks(blocks2, room - bytes(short), separator);
  return join6([short, ...foldTexts(blocks2, texts2), note2(leftOut2, text3), tail2]);
}
function foldTexts(blocks2, texts2) {
  const parts = [];
  for (const [i, { fold }] of blocks2.entries()) {
    const text3 = texts2[i] ?? "";
    const last = parts.at(-1);
    if (text3 === "") continue;
    if (fold !== void 0 && last?.fold === fold) last.texts.push(text3);
    else parts.push({ fold, texts: [text3] });
  }
  return parts.map(({ fold, texts: some }) => {
    const body = some.join(blankLine);
    return fold === void 0 ? body : details(fold.summary, body);
  });
}
function foldMarks(blocks2) {
  return blocks2.map(
    ({ fold }, i) => fold !== void 0 && blocks2.findIndex((other) => other.fold === fold) === i ? "-" : ""
  );
}
function fitBlocks(blocks2, room, separator) {
  const texts2 = /* @__PURE__ */ new Map();
  const shown3 = [];
  let left = room;
  const order = blocks2.toSorted((a, b) => a.rank - b.rank);
  for (const [position, block] of order.entries()) {
    const share2 = position === order.length - 1 ? left : Math.floor(left / 2);
    const rows = mostRows(block, share2 - separator.length);
    if (rows < block.rows) shown3.push({ block, rows });
    if (rows === 0) continue;
    const text3 = block.render(rows);
    texts2.set(block, text3);
    left -= bytes(text3) + separator.length;
  }
  return {
    texts: blocks2.map((block) => texts2.get(block) ?? ""),
    leftOut: blocks2.flatMap((block) => shown3.filter((part) => part.block === block))
  };
}
function mostRows(block, room) {
  if (block.rows === 0 || bytes(block.render(block.rows)) <= room) return block.rows;
  let fits = 0;
  let tooMany = block.rows;
  while (tooMany - fits > 1) {
    const middle2 = Math.floor((fits + tooMany) / 2);
    if (bytes(block.render(middle2)) <= room) fits = middle2;
    else tooMany = middle2;
  }
  return fits;
}
function note2(parts, { elsewhere: elsewhere2 }) {
  const said = parts.filter(({ block }) => block.rows > 0).map(({ block, rows }) => `${block.name} (${count(rows)} of ${count(block.rows)} shown)`);
  if (said.length === 0) return "";
  return `Left out to stay under the size limit: ${said.join(", ")}. All of it is in ${elsewhere2}.`;
}
var blankLine = "\n\n";
function bytes(text3) {
  return Buffer.byteLength(text3, "utf8");
}

// src/report/comment.ts
init_define_builtScripts();

// src/model/comment.ts
init_define_builtScripts();

// src/model/outcomes/verdict.ts
init_define_builtScripts();
var verdictsWorstFirst = ["error", "fail", "inconclusive", "pass", "neutral"];
var exitCodes = {
  pass: 0,
  neutral: 0,
  fail: 1,
  refused: 2,
  inconclusive: 3,
  error: 4,
  bug: 70,
  interrupted: 130
};

// src/report/head.ts
init_define_builtScripts();

// src/report/words/effort.ts
init_define_builtScripts();
var notable = 1.5;
var leastSlower = 0.1;
var fewestCases2 = 5;
function effortWords(run) {
  const all = run.baseline?.effort ?? [];
  const [first] = all.toSorted((a, b) => growthFactor(b) - growthFactor(a));
  if (first === void 0) return void 0;
  const { task, candidate } = first;
  const own = all.filter((one) => one.task === task && one.candidate === candidate);
  const isOnly = own.length === all.length;
  const at = run.candidates.length > 1 ? `${task} \xB7 ${candidate}` : task;
  const figures = own.filter(({ baseline, value }) => baseline > 0 || value > 0).map(words);
  return figures.length === 0 ? void 0 : `${isOnly ? "" : `${at}: `}${figures.join(", ")}`;
}
function isDearer(run) {
  return (run.baseline?.effort ?? []).some(isNotable);
}
function isNotable(effort) {
  const { metric, baseline, value, n } = effort;
  const isSlower = metric !== "latency_seconds" || value - baseline >= leastSlower;
  return n >= fewestCases2 && isSlower && growthFactor(effort) >= notable;
}
function growthFactor({ baseline, value }) {
  if (baseline > 0) return value / baseline;
  return value > 0 ? Number.POSITIVE_INFINITY : 1;
}
var units = {
  latency_seconds: { unit: "seconds", noun: "" },
  input_tokens: { unit: "number", noun: " input tokens" },
  output_tokens: { unit: "number", noun: " output tokens" },
  usd: { unit: "usd", noun: "" },
  agent_turns: { unit: "number", noun: " turns" },
  agent_tool_calls: { unit: "number", noun: " calls of tools" }
};
function words(effort) {
  const { metric, baseline, value } = effort;
  const { unit, noun } = units[metric];
  const times = isNotable(effort) && baseline > 0 ? ` (${growthFactor(effort).toFixed(1)} times)` : "";
  return `${figure(baseline, unit)} \u2192 ${figure(value, unit)}${noun}${times}`;
}

// src/report/headline.ts
init_define_builtScripts();

// src/report/first-run.ts
init_define_builtScripts();
function firstRun(run, circumstances) {
  const { judgedAgainst: branch } = circumstances ?? {};
  const isFirst = circumstances?.isFirst === true || run.policy?.suite === "new";
  if (!isFirst || branch === void 0 || run.baseline !== null) return void 0;
  const rule = run.gate.rules.find((each) => each.level === "block" && isRelative(each));
  if (rule === void 0) return void 0;
  return {
    sentence: [
      text(`${counted(run.cases.declared, "case")} ran`),
      ...measured(run, rule),
      text(". There is no run of this suite on "),
      name(branch),
      text(" to compare with yet.")
    ],
    lines: [nextStep(run, rule, branch)]
  };
}
function measured(run, rule) {
  if (rule.value === null) return [];
  const value = { kind: "strong", text: figure(rule.value, unitOf(run, rule)) };
  return [text(", "), name(ruleName(run, rule)), text(" "), value];
}
function nextStep(run, rule, branch) {
  const noun = changeNoun(rule);
  const proven = rule.prove === "nothing" ? noun : `proven ${noun}`;
  const size3 = rule.limit === 0 ? `any ${proven} blocks` : `a ${proven} of ${distance(rule.limit, unitOf(run, rule))} or more blocks`;
  return [
    { kind: "strong", text: "Next step: merge this." },
    text(" The run on "),
    name(branch),
    text(` leaves the first baseline; from the next pull request on, ${size3}.`)
  ];
}

// src/report/words/titles.ts
init_define_builtScripts();

// src/report/words/relaxed.ts
init_define_builtScripts();
function isRelaxed({ policy }) {
  if (policy?.decided_by !== "approval" || policy.base === null) return false;
  return policy.base.verdict !== "pass" && policy.base.verdict !== "neutral";
}
function asExplained(run) {
  const base = run.policy?.base;
  return isRelaxed(run) && base ? { ...run, gate: base } : run;
}

// src/report/words/worse-cases.ts
init_define_builtScripts();

// src/model/outcomes/sample.ts
init_define_builtScripts();

// src/model/models/session.ts
init_define_builtScripts();

// src/model/models/transcript.ts
init_define_builtScripts();

// src/model/models/message.ts
init_define_builtScripts();

// src/model/outcomes/sample.ts
function caseKey({ task, candidate, caseId }) {
  return JSON.stringify([task, candidate, caseId]);
}

// src/report/words/worse-cases.ts
function worseCases(run) {
  const rules = run.gate.rules.filter(isAboutCases);
  const main = mainRules(rules);
  const places = new Set(main.map(placeOf));
  const isMain = (rule) => places.has(placeOf(rule));
  const cases = collect(rules.filter(isMain).toSorted((a, b) => rank(a) - rank(b)));
  const known3 = new Set(cases.map(caseKey));
  const others = collect(rules.filter((rule) => !isMain(rule)));
  const counted2 = main.map(({ slice, broke }) => slice === null ? broke ?? 0 : 0);
  return {
    cases,
    total: Math.max(cases.length, ...counted2),
    of: casesLookedAt(run, main),
    others: others.filter((one) => !known3.has(caseKey(one)))
  };
}
function worseKey({ against, ...one }) {
  return JSON.stringify([caseKey(one), against]);
}
function isAboutCases({ metric }) {
  return !isSampleMetric(metric);
}
function mainRules(rules) {
  const blocking = rules.filter(({ level }) => level === "block");
  const missed = blocking.filter(({ outcome }) => outcome === "missed");
  return [missed, blocking, rules].find((some) => some.length > 0) ?? [];
}
function placeOf({ task, candidate, metric, against }) {
  return JSON.stringify([task, candidate, metric, against]);
}
function rank({ level, outcome, kind }) {
  const blocks2 = level === "block" && outcome === "missed";
  if (blocks2) return kind === "must_pass" ? 1 : 0;
  return outcome === "missed" ? 2 : 3;
}
function collect(rules) {
  const must = new Set(rules.filter(mustHold).flatMap(namedKeys));
  const found2 = /* @__PURE__ */ new Map();
  for (const rule of rules) {
    const { task, candidate, against } = rule;
    for (const { caseId, ...change2 } of changesOf(rule)) {
      const key = worseKey({ task, candidate, caseId, against });
      const changes = [];
      const of = { task, candidate, against, caseId, changes, mustPass: must.has(key) };
      const one = found2.get(key) ?? { of, changes };
      found2.set(key, one);
      take(one.changes, change2);
    }
  }
  return onceEach([...found2.values()].map(({ of }) => of));
}
function onceEach(cases) {
  const first = /* @__PURE__ */ new Map();
  for (const one of cases) {
    const known3 = first.get(caseKey(one));
    if (known3 === void 0 || known3.against !== void 0 && one.against === void 0)
      first.set(caseKey(one), one);
  }
  return cases.filter((one) => first.get(caseKey(one)) === one);
}
function mustHold({ kind, level, outcome }) {
  return kind === "must_pass" && level === "block" && outcome === "missed";
}
function namedKeys({ task, candidate, short = [] }) {
  return short.map(({ case_id: caseId }) => worseKey({ task, candidate, caseId }));
}
function changesOf({ metric, changed: changed2, short = [] }) {
  return [
    ...changed2.broke.map(({ case_id: caseId, before, after }) => {
      return { caseId, metric, before, after };
    }),
    // A named case's earlier score is in the comparison of its metric, if there is one.
    ...short.map(({ case_id: caseId, value }) => ({ caseId, metric, before: null, after: value }))
  ];
}
function take(changes, next) {
  const at = changes.findIndex(({ metric }) => metric === next.metric);
  const known3 = changes[at];
  if (known3 === void 0) changes.push(next);
  else if (known3.before === null) changes[at] = { ...known3, before: next.before };
}
function casesLookedAt(run, rules) {
  const most = /* @__PURE__ */ new Map();
  for (const rule of rules) {
    const { task, candidate, kind, slice, n } = rule;
    const key = caseKey({ task, candidate, caseId: "" });
    const isWhole2 = kind !== "must_pass" && slice === null && n !== null;
    most.set(key, Math.max(most.get(key) ?? 0, isWhole2 ? n : scoredCases(run, rule)));
  }
  return [...most.values()].reduce((sum, n) => sum + n, 0);
}
function scoredCases({ metrics }, { task, candidate, metric }) {
  const found2 = metrics.find(
    (value) => value.task === task && value.candidate === candidate && value.metric === metric && value.slice === null
  );
  return found2?.n ?? 0;
}

// src/report/words/titles.ts
function ownConsequence({ of_change: ofChange, key }) {
  return ofChange === true && key !== void 0 ? "merge blocked" : "the gate fails";
}
var statusMarks = {
  pass: "\u2705",
  grey: "\u2705",
  accepted: "\u26A0\uFE0F",
  relaxed: "\u26A0\uFE0F",
  fail: "\u274C",
  inconclusive: "\u26A0\uFE0F",
  error: "\u26A0\uFE0F",
  neutral: "\u2796",
  ungated: "\u2796",
  cancelled: "\u2796"
};
var verdictMarks = {
  pass: "\u2705",
  fail: "\u274C",
  inconclusive: "\u26A0\uFE0F",
  error: "\u26A0\uFE0F",
  neutral: "\u2796"
};
function titleWords(run, status, { lead, follows }) {
  switch (status) {
    case "fail":
      return joined(failureWords(run, lead), follows);
    case "inconclusive":
      return joined("inconclusive", heldUp(follows));
    case "error":
      return joined(errorWords(run), "no verdict", heldUp(follows));
    case "accepted":
      return joined("loss accepted", brokenWords(run));
    case "relaxed":
      return joined("passes by relaxed rules", brokenWords(asExplained(run)));
    case "pass":
      return joined("passes", lead === void 0 ? "" : improvedWords(run, lead));
    case "grey":
      return "passes, a loss was seen and is not proven";
    case "neutral":
      return run.baseline === null ? "measured, not compared yet" : "nothing was judged";
    case "ungated":
      return "measured, not judged";
    case "cancelled":
      return "cancelled, no verdict";
  }
}
function heldUp(follows) {
  return follows === "the gate fails" ? "" : follows;
}
function joined(...parts) {
  return parts.filter((part) => part !== "").join(", ");
}
function brokenWords(run) {
  const { total, of, cases } = worseCases(run);
  if (total === 0) return "";
  const verb = cases.every((one) => isGraded(run, one)) ? "got worse" : "broke";
  const some = of < total ? counted(total, "case") : countedOf(total, of, "case");
  return `${some} ${verb}`;
}
function isGraded({ metrics }, { task, candidate, changes, mustPass }) {
  const [change2] = changes;
  const found2 = metrics.find(
    (value) => value.task === task && value.candidate === candidate && value.metric === change2?.metric
  );
  return found2?.scale === "graded" && !mustPass;
}
function failureWords(run, lead) {
  if (lead === void 0) return missingWords(run);
  const named = namedWords(run);
  if (lead.kind === "must_pass") return named;
  if (lead.code === "metric_missing" || lead.code === "slice_missing")
    return `${shortName(run, lead)} was not measured`;
  if (isSampleMetric(lead.metric) && isRelative(lead)) return changeWords(run, lead);
  if (isRelative(lead)) return brokenWords(run) || changeWords(run, lead);
  return lead.code === "beyond_limit" ? limitWords2(run, lead) : "";
}
function missingWords({ cases }) {
  const verb = forCount(cases.missing, "is", "are");
  return cases.missing === 0 ? "" : `${counted(cases.missing, "case")} ${verb} missing`;
}
function namedWords({ gate }) {
  const rules = gate.rules.filter(
    ({ kind, level, outcome }) => kind === "must_pass" && level === "block" && outcome === "missed"
  );
  const ids = new Set(
    rules.flatMap(
      ({ task, candidate, short = [] }) => short.map(({ case_id: id }) => JSON.stringify([task, candidate, id]))
    )
  );
  if (ids.size === 0) return "a must-pass case is missing";
  return `${counted(ids.size, "must-pass case")} ${forCount(ids.size, "fails", "fail")}`;
}
function errorWords({ diagnoses = [], cases, stopped }) {
  if (typeof stopped === "string") return "stopped before its end";
  const found2 = diagnoses.find(({ symptom }) => symptom === crash);
  if (found2 !== void 0) return found2.message;
  const lost = cases.ungraded;
  return lost === 0 ? "" : `${countedOf(lost, cases.declared, "case")} could not be graded`;
}
function shortName(run, rule) {
  const name2 = ruleName(run, rule);
  const task = `${run.suite.name}/`;
  return name2.startsWith(task) ? name2.slice(task.length) : name2;
}
function changeWords(run, rule) {
  if (rule.delta === null) return "";
  const verb = changeNoun(rule) === "rise" ? "rose" : "fell";
  return `${shortName(run, rule)} ${verb} by ${distance(rule.delta, unitOf(run, rule))}`;
}
function improvedWords(run, rule) {
  const { delta, delta_ci: interval } = rule;
  if (delta === null || interval === null || !isRelative(rule)) return "";
  const [lower, upper] = interval;
  const isBetter = changeNoun(rule) === "rise" ? delta < 0 && upper < 0 : delta > 0 && lower > 0;
  return isBetter ? `improved by ${distance(delta, unitOf(run, rule))}` : "";
}
function limitWords2(run, rule) {
  if (rule.value === null) return "";
  const unit = unitOf(run, rule);
  const side = rule.kind === "min" ? "below" : "above";
  return `${shortName(run, rule)} is ${figure(rule.value, unit)}, ${side} ${figure(rule.limit, unit)}`;
}

// src/report/words/verdict.ts
init_define_builtScripts();

// src/report/words/confirmation.ts
init_define_builtScripts();

// src/model/outcomes/confirmation.ts
init_define_builtScripts();

// src/report/words/confirmation.ts
function confirmLines(record) {
  const run = record.rounds.filter(({ outcome }) => outcome === "run");
  const samples = run.reduce((sum, round) => sum + round.samples, 0);
  const cases = run.reduce((sum, round) => sum + round.cases, 0);
  const joint = `${Number((100 * record.joint_error).toFixed(2))} %`;
  return [
    ...record.rounds.flatMap(obstacleLine),
    ...run.length === 0 ? [] : [
      `proven drops were run again before they block: ${counted(cases, "case")}, ${counted(samples, "sample")} on both sides together; a change that alters nothing is blocked in at most ${joint} of runs`
    ]
  ];
}
function obstacleLine({ task, candidate, outcome, reason }) {
  if (outcome === "run" || reason === null) return [];
  return [`${task}, ${candidate}: the proven drop was not run again: ${reason}`];
}

// src/report/words/remarks.ts
init_define_builtScripts();

// src/base/row-words.ts
init_define_builtScripts();

// src/base/fields.ts
init_define_builtScripts();

// src/report/words/case-remarks.ts
init_define_builtScripts();

// src/report/words/reasons.ts
init_define_builtScripts();

// src/report/words/must-pass.ts
init_define_builtScripts();

// src/report/words/policy.ts
init_define_builtScripts();
function byPolicy(whose, reason, verdict) {
  const by = whose === "base" ? "the base's policy" : "the change's own policy";
  return `By ${by}${verdict === void 0 ? "" : ` (${verdict})`}: ${reason}`;
}
function linesByPolicy(reason) {
  return [
    byPolicy("base", reason),
    byPolicy("head", reason),
    ...verdictsWorstFirst.map((verdict) => byPolicy("base", reason, verdict))
  ];
}

// src/report/words/remarks.ts
function linesOfRule(rule) {
  const lines = [ruleLine(rule), acceptedLine(rule), ...locatedLines(rule)];
  return [...lines, ...lines.flatMap(linesByPolicy)];
}
function ruleLine(result) {
  const levels = { block: "", warn: "warning: ", info: "info: " };
  const slice = result.slice === null ? "" : `, ${result.slice}`;
  const where = `${slice}${againstWords(result)}`;
  return `${levels[result.level]}${result.task}/${result.metric}, ${result.candidate}${where}: ${result.reason}`;
}
function locatedLines(rule) {
  const { task, metric, candidate, located } = rule;
  const what = `${task}/${metric}, ${candidate}${againstWords(rule)}`;
  return located === void 0 ? [] : [`${what}: ${located.reason}`];
}
function againstWords({ against }) {
  return against === void 0 ? "" : `, against ${against}`;
}
function acceptedLine(result) {
  return `accepted: ${ruleLine(result)}`;
}

// src/report/words/other-rules.ts
init_define_builtScripts();
function otherRules(run, lead) {
  const others = run.gate.rules.filter((rule) => !isSame(rule, lead) && isTold(run, rule));
  const notMet = others.filter(
    (rule) => (rule.outcome === "missed" || rule.outcome === "inconclusive") && !isUnscored(run, rule)
  );
  const [fallen, bad] = [
    notMet.filter(isFallenByCrashes),
    notMet.filter((rule) => !isFallenByCrashes(rule))
  ];
  return [
    ...locatedLines2(run, lead),
    ...lossMessageLines(run),
    ...fallen.length > 0 ? [fallenLine(run, fallen)] : [],
    ...bad.map((rule) => besideLead(rule).concat(ruleSentence(run, rule))),
    ...others.filter(isShortBefore).map((rule) => ruleSentence(run, rule)),
    ...others.filter(isGrey).map((rule) => greySentence(run, rule).concat(advice(run, rule)))
  ];
}
function isUnscored({ cases }, { code, value }) {
  return code === "metric_missing" && value === null && cases.scored === 0;
}
function isSame(rule, lead) {
  return rule === lead || lead !== void 0 && JSON.stringify(rule) === JSON.stringify(lead);
}
function locatedLines2(run, lead) {
  const found2 = run.gate.rules.filter(
    (rule) => rule.located !== void 0 && (isSame(rule, lead) || !isFallenByCrashes(rule))
  );
  return found2.flatMap((rule) => {
    if (rule.outcome !== "met") return [locatedSentence(run, rule)];
    return isSame(rule, lead) || isGrey(rule) ? [] : [hidingSentence(run, rule)];
  });
}
function isFallenByCrashes({ broke, crashed = 0 }) {
  return crashed > 0 && crashed >= (broke ?? 0);
}
var fallenNamed = 5;
function fallenLine(run, fallen) {
  const named = fallen.slice(0, fallenNamed).flatMap((rule) => [text(", "), name(ruleName(run, rule))]);
  const rest = fallen.length - fallenNamed;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return [
    text("fallen with the cases that ended without a score, and by nothing else: "),
    ...named.slice(1),
    text(`${more}.`)
  ];
}
function isTold(run, told) {
  const { level, code, task, metric, candidate, slice, against } = told;
  if (code !== "drop_hidden") return level !== "info";
  return !run.gate.rules.some(
    (rule) => rule.task === task && rule.metric === metric && rule.candidate === candidate && rule.against === against && rule.located?.places.some(({ kind, name: part }) => kind === "slice" && part === slice)
  );
}
var levelWords = { warn: "warning", info: "note" };
function besideLead(rule) {
  if (rule.kind === "must_pass" && rule.level === "block") return [];
  const level = rule.level === "block" ? "" : `${levelWords[rule.level]}, `;
  return [text(`${level}${outcomeWords[rule.outcome]}: `)];
}
function isUnconfirmed({ code, outcome }) {
  return code === "drop_not_confirmed" && outcome === "met";
}
function isShortBefore({ code }) {
  return code === "cases_short_before";
}
function isGrey(rule) {
  const isDoubtful = rule.code === "drop_not_proven" || isUnconfirmed(rule);
  return isDoubtful && rule.level !== "info";
}

// src/report/words/verdict.ts
var linesShown = 8;
function verdictWords(run, follows = ownConsequence(run)) {
  const tone = toneOf(run);
  const lead = leadRule(run, tone);
  const all = typeof run.stopped === "string" ? [] : [
    ...otherRules(run, lead),
    ...costIncrease(run),
    ...unmeasured(run, tone),
    ...otherReasons(run, tone, lead)
  ];
  const rest = all.length - linesShown;
  return {
    tone,
    title: titleWords(run, tone, { lead, follows }),
    sentence: sentence(run, tone, lead),
    lines: rest > 0 ? [...all.slice(0, linesShown), [text(`And ${rest} more.`)]] : all
  };
}
function toneOf(run) {
  if (run.status === "cancelled") return "cancelled";
  switch (run.gate.verdict) {
    case "error":
      return "error";
    case "fail":
      return "fail";
    case "inconclusive":
      return "inconclusive";
    case "pass":
      if (run.gate.rules.some((rule) => isAccepted(run, rule))) return "accepted";
      if (isRelaxed(run)) return "relaxed";
      return run.gate.rules.some(isGrey) ? "grey" : "pass";
    case "neutral":
      return run.suite.gate === "none" ? "ungated" : "neutral";
  }
}
function leadRule(run, tone) {
  const { rules } = asExplained(run).gate;
  const blocking = rules.filter((rule) => rule.level === "block");
  switch (tone) {
    case "fail":
    case "relaxed":
      return worstOf(blocking);
    case "accepted":
      return blocking.find((rule) => isAccepted(run, rule));
    case "inconclusive":
      return blocking.find((rule) => rule.outcome === "inconclusive");
    case "grey":
      return blocking.find(isGrey) ?? run.gate.rules.find(isGrey);
    case "pass":
      return blocking.find((rule) => rule.delta !== null) ?? blocking.find((rule) => rule.outcome === "met");
    case "error":
    case "neutral":
    case "ungated":
    case "cancelled":
      return void 0;
  }
}
function worstOf(blocking) {
  const missed = blocking.find((rule) => rule.outcome === "missed");
  return blocking.find((rule) => rule.code === "drop_proven") ?? missed;
}
function sentence(run, tone, lead) {
  if (tone === "cancelled") return cancelledSentence(run);
  const crashes = crashClauses(run);
  if (isOfCrashes(run, tone)) return [...joined2(crashes), text(".")];
  const reason = lead === void 0 ? firstReason(run) : leadSentence(run, tone, lead);
  return joined2([...crashes, reason]);
}
function isOfCrashes(run, tone) {
  return tone === "error" && crashClauses(run).length > 0;
}
function joined2(clauses) {
  return clauses.flatMap((clause, i) => i === 0 ? clause : [text("; "), ...clause]);
}
function leadSentence(run, tone, lead) {
  switch (tone) {
    case "accepted":
      return [...ruleSentence(run, lead), ...signedWords(run)];
    case "grey":
      return [...greySentence(run, lead), ...advice(run, lead)];
    case "pass":
      return passSentence(run, lead);
    case "fail":
    case "inconclusive":
    case "relaxed":
    case "error":
    case "neutral":
    case "ungated":
    case "cancelled":
      return [...ruleSentence(run, lead), ...changed(run, lead)];
  }
}
function changed(run, { fixed, broke }) {
  const { verdict } = run.gate;
  if (!fixed || verdict !== "fail" && (verdict !== "pass" || broke)) return [];
  const others = verdict === "pass" ? ", none broke" : "";
  return [text(` ${counted(fixed, "case")} ${forCount(fixed, "was", "were")} fixed${others}.`)];
}
function passSentence(run, lead) {
  if (lead.located !== void 0) return hidingSentence(run, lead);
  const met = run.gate.rules.filter((rule) => rule.outcome === "met").length;
  const rules = run.gate.rules.length > 1 ? [text(` ${met} of ${run.gate.rules.length} rules pass.`)] : [];
  return [...passOpening(run, lead), ...ruleSentence(run, lead), ...changed(run, lead), ...rules];
}
function passOpening(run, lead) {
  if (lead.delta === null) return [];
  if (lead.code === "drop_within_limit") return [text(`A ${changeNoun(lead)} below the limit: `)];
  const detects = detectable(run, lead);
  return [text(`No regression detected${detects === void 0 ? "" : `; ${detects}`}: `)];
}
function cancelledSentence(run) {
  const { completed, failed: failed2, total, planned = total } = run.request_counts;
  const done = `Stopped after ${completed + failed2} of ${counted(planned, "sample")}${leftWords(planned - total)}; there is no verdict. Go on with `;
  return [text(done), name("--resume"), text(".")];
}
function leftWords(left) {
  return left <= 0 ? "" : `, ${count(left)} are left`;
}
function firstReason(run) {
  const reason = run.gate.reasons[0] ?? "the gate gave no reason";
  return quoted3(reason.replace(/^(?:nothing|no|not|the)\b/, (word) => capital(word)));
}
function capital(word) {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
function costIncrease(run) {
  const words2 = isDearer(run) ? effortWords(run) : void 0;
  return words2 === void 0 ? [] : [[text(`a case takes more: ${words2}.`)]];
}
function unmeasured(run, tone) {
  const rules = run.gate.rules.filter((rule) => rule.outcome === "unmeasured");
  if (rules.length === 0 || tone === "neutral") return [];
  const isAll = rules.every(({ code, against }) => code === "no_baseline" && against === void 0);
  const absent = run.baseline === null ? "there is no baseline" : "the baseline has none of it";
  const why = isAll ? `: ${absent}` : "";
  return [
    [text(`${rules.length} of ${counted(run.gate.rules.length, "rule")} not measured${why}.`)]
  ];
}
function otherReasons(run, tone, lead) {
  const isUsed = lead === void 0 && tone !== "cancelled" && !isOfCrashes(run, tone);
  const used = isUsed ? run.gate.reasons[0] : void 0;
  const again = run.confirmation ? confirmLines(run.confirmation) : [];
  const told = /* @__PURE__ */ new Set([...run.gate.rules.flatMap(linesOfRule), ...again]);
  return run.gate.reasons.filter((reason) => reason !== used && !told.has(reason)).map(quoted3);
}
function isAccepted({ approvals }, { kind, level, outcome, against }) {
  const isComparison = (kind === "max_drop" || kind === "max_rise") && against === void 0;
  return Boolean(approvals?.loss) && isComparison && level === "block" && outcome === "missed";
}
function signedWords({ approvals }) {
  if (!approvals?.loss) return [];
  const { label, by, approvers } = approvals.loss;
  const rule = approvers === void 0 ? [] : [text(" ("), name(`gate.approvers: ${approvers}`), text(")")];
  const accepted = [text(" Accepted by "), name(by), text(" with the label "), name(label)];
  return [...accepted, ...rule, text(".")];
}

// src/report/headline.ts
var quiet = ["pass", "grey"];
function headlineOf(run, circumstances) {
  const words2 = verdictWords(run, consequenceIn(circumstances));
  const isForeign = run.outputs_from !== void 0;
  const isGreen = quiet.includes(words2.tone);
  const first = firstRun(run, circumstances);
  return {
    // A pass with unverified outputs is not green.
    mark: isForeign && isGreen ? statusMarks.accepted : statusMarks[words2.tone],
    suite: run.suite.name,
    title: isForeign ? `${words2.title}, unverified` : words2.title,
    isQuiet: isGreen && !isForeign,
    sentence: words2.tone === "neutral" && first ? first.sentence : words2.sentence,
    lines: [
      ...first?.lines ?? [],
      ...isGreen && circumstances ? resolvedLine(circumstances) : [],
      ...words2.lines
    ]
  };
}
function consequenceIn(circumstances) {
  if (circumstances === void 0) return void 0;
  if (circumstances.judgedAgainst === void 0) return "the gate fails";
  return circumstances.isReportedOnly === true ? "reported only" : "merge blocked";
}
function acceptLine(run, circumstances) {
  const { gate, suite, approvals } = run;
  const label = suite.gate === "none" ? void 0 : suite.gate.accept_label;
  const blocking = gate.rules.filter(
    ({ level, outcome }) => level === "block" && outcome === "missed"
  );
  const losses = blocking.filter((rule) => isRelative(rule) && rule.against === void 0);
  if (label === void 0 || approvals?.loss || losses.length === 0) return void 0;
  if (gate.verdict !== "fail" || circumstances?.judgedAgainst === void 0) return void 0;
  const others = blocking.filter((rule) => !losses.includes(rule));
  return [
    { kind: "strong", text: "Meant?" },
    ...beforeLabel(others),
    name(label),
    text(", put on by someone with write access, accepts the loss.")
  ];
}
function beforeLabel(others) {
  if (others.length === 0) return [text(" The label ")];
  const [named] = others.flatMap(({ short = [] }) => short);
  if (named === void 0) return [text(" First what no label can accept, then the label ")];
  return [
    text(" First "),
    name(named.case_id),
    text(": a must-pass case can't be waived. Then the label ")
  ];
}
var red = ["fail", "error", "inconclusive"];
var formerWords = {
  fail: "it had failed",
  error: "there was no verdict",
  inconclusive: "it was inconclusive",
  pass: "it had passed",
  neutral: "nothing was gated"
};
function resolvedLine({ previous, sha }) {
  if (previous === void 0 || !red.includes(previous.verdict)) return [];
  const where = previous.sha === sha ? "in an earlier run of this commit" : void 0;
  const at = where === void 0 ? [text(" at "), shortSha(previous.sha)] : [text(` ${where}`)];
  return [[text(`Resolved: ${formerWords[previous.verdict]}`), ...at, text(".")]];
}
function shortSha(sha) {
  return name(sha.slice(0, 7));
}
function opening(headline, options) {
  const lines = options.lines ? headline.lines.map((line) => `- ${toMarkdown(line)}`) : [];
  return [...firstParagraphs(headline), ...lines.length === 0 ? [] : [lines.join("\n")]].join(
    "\n\n"
  );
}
function shortest({ mark, suite, title: title2 }) {
  return `${mark} ${inlineText(clip(suite, 80))}: ${inlineText(title2)}.`;
}
function firstParagraphs(headline) {
  const { mark, title: title2, suite, sentence: sentence2 } = headline;
  const first = `${inlineText(clip(suite, 80))}: ${inlineText(title2)}`;
  if (headline.isQuiet) return [`${mark} **${first}.** ${toMarkdown(sentence2)}`];
  return [`### ${mark} ${first}`, toMarkdown(sentence2)];
}

// src/report/head.ts
function factsLine(run) {
  const { cases, usage } = run;
  const compared = run.baseline === null ? `**${count(cases.declared)}** cases, none compared` : `**${count(cases.paired)}** paired cases`;
  const lead = run.gate.rules.find((rule) => rule.mde !== null);
  const detects = lead && detectable(run, lead);
  const effort = isDearer(run) ? void 0 : effortWords(run);
  return [
    compared,
    `**${count(cases.failed)}** failed`,
    `**${count(cases.invalid)}** invalid`,
    `**${count(cases.ungraded)}** ungraded`,
    ...run.baseline === null ? [] : [`**${count(cases.new)}** new`, `**${count(cases.missing)}** missing`],
    ...notSelected(run),
    ...detects === void 0 ? [] : [detects],
    ...effort === void 0 ? [] : [`a case: ${inlineText(effort)}`],
    ...usage.cached === 0 ? [] : [`${counted(usage.cached, "answer")} from the cache`],
    inlineText(costWords(usage)),
    duration(run.timing.seconds)
  ].join(" \xB7 ");
}
function notSelected({ suite }) {
  const { tasks, candidates, cases = [] } = suite.not_selected;
  return [
    ...cases.map(
      ({ task, selected, of }) => `${count(selected)} of ${count(of)} cases of ${inlineCode(task)} selected`
    ),
    ...tasks.length === 0 ? [] : [`${counted(tasks.length, "task")} not selected`],
    ...candidates.length === 0 ? [] : [`${counted(candidates.length, "candidate")} not selected`]
  ];
}
function baselineLine(run, circumstances) {
  const { baseline } = run;
  if (baseline === null) {
    const why2 = circumstances?.noBaseline;
    const reason2 = why2 === void 0 ? "" : ` (${inlineText(why2)})`;
    return `No baseline: nothing was compared with an earlier run${reason2}.`;
  }
  const parts = [
    `Baseline: ${sourceWords(baseline)}`,
    ...baseline.sha === null ? [] : [commitWords(baseline.sha, circumstances)],
    ...baseline.age_days === null ? [] : [ageWords(baseline.age_days)],
    ...baseline.distance === null ? [] : [distanceWords(baseline.distance)]
  ];
  const { reason } = baseline;
  const why = typeof reason === "string" ? `; why this one: ${inlineText(reason)}` : "";
  return `${parts.join(", ")}${why}${notComparable(baseline.comparable)}`;
}
function sourceWords({ source, run_id: runId }) {
  const number2 = /\/actions\/runs\/(\d+)$/.exec(source)?.[1];
  if (number2 !== void 0) return link(`run ${number2}`, source);
  return `${inlineText(source)}, run ${inlineCode(runId)}`;
}
function notComparable(comparable) {
  const lost = Object.entries(comparable).filter(([, isComparable]) => !isComparable);
  if (lost.length === 0) return "";
  const names2 = lost.slice(0, 5).map(([task]) => inlineCode(task));
  const more = lost.length > names2.length ? ` and ${lost.length - names2.length} more` : "";
  return `. Not comparable: ${names2.join(", ")}${more}`;
}
function commitWords(sha, circumstances) {
  if (circumstances?.repositoryUrl === void 0)
    return `commit ${codeSpan(clip(sha, 12).slice(0, 12))}`;
  return `commit ${commitLink(sha, circumstances)}`;
}
function commitLink(sha, { repositoryUrl }) {
  const isSha = /^[0-9a-f]{7,64}$/.test(sha);
  const url = repositoryUrl !== void 0 && isSha ? `${repositoryUrl}/commit/${sha}` : void 0;
  return link(codeSpan(sha.slice(0, 7)), url);
}
function ageWords(days) {
  return days < 1 ? "less than a day old" : `${counted(Math.round(days), "day")} old`;
}
function distanceWords(commits) {
  return commits === 0 ? "at the base commit" : `${counted(commits, "commit")} before the base`;
}
function footer(circumstances) {
  const { runId, attempt: attempt2, sha, runUrl, artifactUrl, reportUrl, isUploading, previous } = circumstances;
  const { judgedAgainst: base } = circumstances;
  const tries = attempt2 > 1 ? `, attempt ${attempt2}` : "";
  const parts = [
    `commit ${commitLink(sha, circumstances)}${base === void 0 ? "" : ` against ${inlineCode(base)}`}`,
    `${link(`run ${runId}`, runUrl)}${tries}`,
    ...reportUrl === void 0 ? [] : [link("report", reportUrl)],
    ...artifactUrl === void 0 ? [] : [link("artifact", artifactUrl)],
    ...isUploading === true ? ["artifact still uploading: look on the run's page"] : [],
    ...previous === void 0 || previous.sha === sha ? [] : [
      `updated in place; at ${commitLink(previous.sha, circumstances)} ${formerWords[previous.verdict]}`
    ]
  ];
  return `<sub>${parts.join(" \xB7 ")}</sub>`;
}

// src/report/no-run.ts
init_define_builtScripts();
function headlineOfNoRun(suite, reason, circumstances) {
  const lines = [];
  switch (reason.kind) {
    case "not_affected": {
      const sentence2 = [
        text("Nothing that the suite depends on differs from "),
        name(reason.base),
        text("; it was not run.")
      ];
      return { mark: "\u2796", suite, title: "not affected", isQuiet: true, sentence: sentence2, lines };
    }
    case "no_secrets": {
      const title2 = "not run here, no secrets";
      const sentence2 = withoutSecrets(reason);
      return { mark: "\u2796", suite, title: title2, isQuiet: false, sentence: sentence2, lines };
    }
    case "refused": {
      const problems = counted(countProblems(reason.problems), "problem");
      const title2 = `not run, ${problems} to mend first`;
      const sentence2 = [text("This is neither a pass nor a fail.")];
      return { mark: "\u26A0\uFE0F", suite, title: title2, isQuiet: false, sentence: sentence2, lines };
    }
    case "crashed": {
      const sentence2 = [
        text("Regrade stopped on an error of its own; nothing was judged. The log of "),
        text(`attempt ${circumstances.attempt} has it.`)
      ];
      return { mark: "\u26A0\uFE0F", suite, title: "no verdict", isQuiet: false, sentence: sentence2, lines };
    }
    case "cancelled": {
      const sentence2 = [text("The job was cancelled before there was a run.")];
      return { mark: "\u2796", suite, title: "cancelled, no verdict", isQuiet: false, sentence: sentence2, lines };
    }
  }
}
var whoWords = {
  fork: "pull requests of forks",
  dependabot: "pull requests of Dependabot"
};
function withoutSecrets({ who, missing }) {
  const keys = missing.slice(0, 5).flatMap((key, i) => [text(i === 0 ? "" : ", "), name(key)]).filter((piece) => piece.text !== "");
  const more = missing.length > 5 ? [text(` and ${missing.length - 5} more`)] : [];
  return [
    text("Its candidates need "),
    ...keys.length === 0 ? [text("secrets")] : keys,
    ...more,
    text(
      `, which GitHub does not hand to ${whoWords[who]}. The suite is gated in the merge queue, or when someone with write access runs it.`
    )
  ];
}
function problemsBlock(problems) {
  const rows = renderedOnce(problems, ({ message, hint, place: place2 }) => {
    const where = [place2?.file, place2?.line, place2?.column].filter((part) => part !== void 0);
    const head = where.length > 0 ? `${inlineCode(where.join(":"))} ` : "";
    const path = place2?.path === void 0 || place2.path === "" ? "" : `${inlineCode(place2.path)}: `;
    const advice2 = hint === void 0 ? "" : `<br><sub>${toMarkdown(quoted3(hint))}</sub>`;
    return `- ${head}${path}${toMarkdown(quoted3(clip(message, 600)))}${advice2}`;
  });
  return {
    name: "problems",
    rank: 1,
    rows: problems.length,
    render: (shown3) => rows(shown3).join("\n")
  };
}

// src/report/markdown/story.ts
init_define_builtScripts();

// src/report/markdown/already.ts
init_define_builtScripts();

// src/report/cases.ts
init_define_builtScripts();
function changedGroups(run, side) {
  const groups = /* @__PURE__ */ new Map();
  for (const rule of run.gate.rules) {
    if (rule.changed[side].length === 0) continue;
    const key = groupKey(rule);
    const group2 = groups.get(key) ?? { rule, total: 0, cases: /* @__PURE__ */ new Map() };
    groups.set(key, group2);
    group2.total = Math.max(group2.total, rule[side] ?? 0);
    for (const changed2 of rule.changed[side]) group2.cases.set(changed2.case_id, changed2);
  }
  const all = [...groups.values()];
  const aboutAnswers = all.filter(({ rule }) => !isSampleMetric(rule.metric));
  const named = aboutAnswers.length > 0 || side === "fixed" ? aboutAnswers : all;
  return named.map(({ rule, total, cases }) => ({
    rule,
    total: Math.max(total, cases.size),
    cases: [...cases.values()]
  }));
}
function failingGroups(run) {
  const groups = /* @__PURE__ */ new Map();
  for (const rule of run.gate.rules) {
    const { failing } = rule.changed;
    const known3 = groups.get(groupKey(rule));
    if (failing === void 0 || known3 && known3.total >= failing.count) continue;
    groups.set(groupKey(rule), { rule, total: failing.count, cases: failing.cases });
  }
  return [...groups.values()];
}
function indexBroken(broken) {
  const byKey = new Map(
    broken.map((item) => [JSON.stringify([groupKey(item), item.caseId]), item])
  );
  return (group2, caseId) => byKey.get(JSON.stringify([groupKey(group2.rule), caseId]));
}
function groupKey({ task, candidate, metric, against }) {
  return JSON.stringify([task, candidate, metric, against]);
}

// src/report/markdown/already.ts
function failingBlock(run, circumstances) {
  const groups = failingGroups(run);
  const total = groups.reduce((sum, group2) => sum + group2.total, 0);
  const [first, ...others] = groups;
  const items = groups.flatMap(
    ({ rule, cases }) => cases.map((caseId) => ({ caseId, metric: others.length === 0 ? "" : metricOf(run, rule) }))
  );
  const rows = renderedOnce(items, ({ caseId, metric }) => [
    inlineCode(caseId),
    metric === "" ? "" : inlineCode(metric)
  ]);
  const one = first && others.length === 0 ? metricOf(run, first.rule) : void 0;
  const where = one === void 0 ? "" : ` in ${htmlCode(clip(one, 120))}`;
  const kept = total > items.length ? ` (${items.length} are listed)` : "";
  const summary2 = `${counted(total, "case")} already failing ${placeWords(circumstances)}${where}${kept}`;
  return {
    name: "cases that were failing already",
    rank: 8,
    rows: items.length,
    render: (shown3) => shown3 === 0 ? "" : details(summary2, table3(["Case", "Metric"], "ll", rows(shown3)))
  };
}
function metricOf(run, rule) {
  return ruleName(run, { ...rule, slice: null });
}
function placeWords(circumstances) {
  const branch = circumstances?.baseBranch;
  return branch === void 0 ? "in the baseline" : `on ${htmlCode(clip(branch, 80))}`;
}

// src/report/markdown/case-blocks.ts
init_define_builtScripts();

// src/report/words/beyond-cases.ts
init_define_builtScripts();
function limitRules({ gate }) {
  const missed = gate.rules.filter(isMissedLimit);
  const blocking = missed.filter(({ level }) => level === "block");
  return blocking.length > 0 ? blocking : missed;
}
function decidingLimits(run) {
  const blocking = run.gate.rules.filter(blocks);
  const others = new Set(blocking.filter((rule) => !isLimit(rule)).map(metricPlace));
  return limitRules(run).filter((rule) => blocks(rule) && !others.has(metricPlace(rule)));
}
function metricPlace(of) {
  return JSON.stringify([of.task, of.candidate, of.metric, of.against]);
}
function casesBeyond(rules) {
  const found2 = /* @__PURE__ */ new Map();
  for (const { task, candidate, metric, limit, beyond } of rules)
    for (const { case_id: caseId, value, before = null } of beyond.cases) {
      const key = `${metric} ${caseKey({ task, candidate, caseId })}`;
      const beyondBy = Math.abs(value - limit);
      if ((found2.get(key)?.beyondBy ?? -1) >= beyondBy) continue;
      const changes = [{ metric, before, after: value }];
      found2.set(key, { task, candidate, caseId, changes, mustPass: false, beyondBy });
    }
  return [...found2.values()];
}
function countBeyond(rules) {
  return Math.max(0, ...rules.map(({ beyond }) => beyond.count), casesBeyond(rules).length);
}
function beyondWords(run, rule) {
  const { of } = rule.beyond;
  const some = countedOf(rule.beyond.count, of, "case");
  if (isPassOrFail(run, rule)) return `${some} ${of === 1 ? "fails" : "fail"}`;
  const side = rule.kind === "min" ? "below" : "above";
  return `${some} ${of === 1 ? "is" : "are"} ${side} ${figure(rule.limit, unitOf(run, rule))}`;
}
function worseSince({ kind, beyond }) {
  const sign2 = kind === "min" ? 1 : -1;
  const worse = beyond.cases.filter(
    ({ value, before }) => before !== void 0 && sign2 * (before - value) > 0
  ).length;
  const isKnown2 = beyond.cases.length === beyond.count && worse > 0 && worse < beyond.count;
  return isKnown2 ? `, ${count(worse)} of them worse than in the baseline` : "";
}
function beyondTitle(run, rules) {
  const [rule, ...others] = rules;
  if (rule === void 0) return { words: "", metric: "" };
  if (others.length > 0) return { words: "Cases beyond a limit", metric: "" };
  return { words: beyondWords(run, rule), metric: ruleName(run, rule) };
}
function isPassOrFail({ metrics, suite }, { task, metric, kind }) {
  const found2 = metrics.find((value) => value.task === task && value.metric === metric);
  const isWorstWay = found2?.higher_is_better === (kind === "min");
  return found2?.scale === "binary" && isWorstWay && ownValue(suite.tasks, task)?.repeats === 1;
}
function isMissedLimit(rule) {
  return isLimit(rule) && rule.outcome === "missed" && rule.beyond !== void 0;
}
function isLimit({ kind }) {
  return kind === "min" || kind === "max";
}
function blocks({ level, outcome }) {
  return level === "block" && outcome === "missed";
}

// src/report/words/broken-groups.ts
init_define_builtScripts();

// src/report/words/answer-reasons.ts
init_define_builtScripts();
function answerReasons(cases, least) {
  const reasons = /* @__PURE__ */ new Map();
  const give = (some, words2) => {
    for (const one of some) reasons.set(one, { key: `made: ${words2}`, words: words2 });
  };
  const [empty, answered] = split(cases.filter(isKnown), (one) => answerOf(one).trim() === "");
  for (const one of empty) give([one], emptyWords(one));
  const [short, long] = split(answered.filter(isOther), (one) => isShort(answerOf(one)));
  for (const [answer, some] of Map.groupBy(short, (one) => answerOf(one).trim()))
    for (const { of, words: words2 } of shortKinds(answer, some)) if (of.length >= least) give(of, words2);
  for (const [opening3, some] of Map.groupBy(long, (one) => openingOf(answerOf(one))))
    if (some.length >= least && !some.some(({ before }) => openingOf(before.output ?? "") === opening3))
      give(some, `the answer begins ${JSON.stringify(`${opening3} \u2026`)}`);
  return reasons;
}
function answerOf({ after }) {
  return after.extracted ?? after.output ?? "";
}
function isKnown({ after }) {
  return after.extracted !== void 0 || after.output !== void 0;
}
function emptyWords({ after }) {
  const isSearched = after.extracted === null && (after.output ?? "").trim() !== "";
  return isSearched ? "no answer was found in the output" : "the answer is empty";
}
function isOther(one) {
  const answer = answerOf(one).trim();
  return answer !== one.target?.trim() && answer !== one.before.output?.trim();
}
var longestAnswer = 40;
function isShort(text3) {
  return text3.trim().length <= longestAnswer && !text3.trim().includes("\n");
}
var manyTargets = 3;
function shortKinds(answer, cases) {
  const got = `got ${JSON.stringify(answer)}`;
  const byTarget = Map.groupBy(cases, ({ target }) => target?.trim());
  if (byTarget.size >= manyTargets)
    return [{ of: cases, words: `${got} for ${counted(byTarget.size, "different target")}` }];
  return Array.from(byTarget, ([target, some]) => {
    const isNamed = target !== void 0 && target !== "" && isShort(target);
    return { of: some, words: isNamed ? `expected ${JSON.stringify(target)}, ${got}` : got };
  });
}
var openingWords = 6;
var longestOpening = 60;
function openingOf(text3) {
  return cutText(text3.trim().split(/\s+/, openingWords).join(" "), longestOpening);
}
function split(items, test) {
  return [items.filter(test), items.filter((item) => !test(item))];
}

// src/report/words/call-reasons.ts
init_define_builtScripts();
function callReasons(cases, least) {
  const reasons = /* @__PURE__ */ new Map();
  for (const [words2, some] of Map.groupBy(cases, lostWords)) {
    if (words2 === "" || some.length < least) continue;
    for (const one of some) reasons.set(one, { key: `calls: ${words2}`, words: words2 });
  }
  return reasons;
}
function lostWords({ before, after }) {
  const now = new Set(after.calls);
  const lost = (before.calls ?? []).filter((name2) => !now.has(name2)).toSorted();
  if (after.calls === void 0 || lost.length === 0) return "";
  if (now.size === 0) return `no tool is called any more (before: ${names(lost)})`;
  return `${names(lost)} ${forCount(lost.length, "is", "are")} not called any more`;
}
function callFaults(judge) {
  const parts = Object.entries(judge).map(
    ([key, value]) => Object.hasOwn(faults, key) && Array.isArray(value) ? faults[key]?.(value) : orderFault(key, value)
  );
  const isKnown2 = parts.length > 0 && parts.every((part) => part !== void 0);
  return isKnown2 ? parts.join("; ") : void 0;
}
function orderFault(key, value) {
  return key === "order" && typeof value === "string" ? value : void 0;
}
var faults = {
  missing: (list) => about(
    list,
    (all, n) => `the required ${forCount(n, "call", "calls")} of ${all} ${forCount(n, "is", "are")} missing`
  ),
  unexpected: (list) => about(list, (all) => `unexpected calls of ${all}`),
  forbidden: (list) => about(list, (all, n) => `${all} ${forCount(n, "is", "are")} called and forbidden`),
  arguments: (list) => about(list, (all) => `the arguments of ${all} don't fit${problemOf(list)}`)
};
function problemOf([first = null]) {
  const problem2 = isJsonObject(first) ? first["problem"] : void 0;
  return typeof problem2 === "string" ? `: ${problem2}` : "";
}
function about(list, say) {
  const found2 = list.map(nameOf);
  const known3 = [...new Set(found2.flatMap((name2) => name2 ?? []))];
  if (known3.length === 0 || found2.includes(void 0)) return void 0;
  return say(names(known3), known3.length);
}
function nameOf(entry) {
  const name2 = isJsonObject(entry) ? entry["name"] : entry;
  return typeof name2 === "string" ? name2 : void 0;
}
var longestName4 = 80;
function names(all) {
  return listed3(all.map((name2) => cutText(name2, longestName4)));
}

// src/report/words/grader-words.ts
init_define_builtScripts();

// src/base/error-line.ts
init_define_builtScripts();
var longestLine = 300;
function errorLine(message) {
  const lines = message.slice(-longestMessage2).split(/\r?\n|\r/).filter(isSaid);
  const thrown = pythonError(lines) ?? scriptError(lines);
  if (thrown === void 0) return plain(message, lines);
  const { error: error2, place: place2 } = thrown;
  const name2 = /^[\w.]+/.exec(error2)?.[0] ?? error2;
  const at = place2 === void 0 ? "" : ` at ${place2}`;
  return {
    text: clip3(error2) + at,
    kind: `${name2}${place2 === void 0 ? messagePattern(error2) : at}`,
    thrown: true
  };
}
function messagePattern(message) {
  return message.slice(0, longestLine).replaceAll(/"[^"]*"|(?<!\w)'[^']*'|`[^`]*`/g, "\u2026").replaceAll(/\b0x[\da-f]+\b|\d+/gi, "0").replaceAll(/\s+/g, " ").trim();
}
var longestMessage2 = 16384;
function isSaid(line) {
  return line.trim() !== "";
}
var frame = /^\s+File "([^"]+)", line (\d+)/;
function pythonError(lines) {
  const last = lines.findLastIndex((line2) => frame.test(line2));
  if (last === -1) return void 0;
  const error2 = lines.slice(last + 1).find((line2) => !/^\s/.test(line2));
  if (error2 === void 0) return void 0;
  const [, file = "", line = ""] = frame.exec(lines[last] ?? "") ?? [];
  return { error: error2.trim(), place: `${fileName(file)}:${line}` };
}
var stackFrame = /^\s+at (?:.*\()?([^()\s]+):(\d+):\d+\)?$/;
function scriptError(lines) {
  const first = lines.findIndex((line2) => stackFrame.test(line2));
  const error2 = lines.slice(0, Math.max(0, first)).findLast((line2) => /^(?:Uncaught )?\w*(?:Error|Exception)\b/.test(line2));
  if (error2 === void 0) return void 0;
  const [, file = "", line = ""] = stackFrame.exec(lines[first] ?? "") ?? [];
  return { error: error2.trim(), place: `${fileName(file)}:${line}` };
}
function plain(message, lines) {
  const last = (lines.at(-1) ?? "").trim();
  const head = lines.length > 1 ? /^(?:ended|exit code|no answer)[^:\n]*/.exec(message)?.[0] : void 0;
  const text3 = clip3(head === void 0 ? last : `${head}: ${last}`);
  return { text: text3, kind: messagePattern(text3), thrown: false };
}
function fileName(path) {
  return path.split(/[\\/]/).at(-1) ?? path;
}
function clip3(text3) {
  return text3.length > longestLine ? `${cutText(text3, longestLine)}\u2026` : text3;
}

// src/report/words/judge-parts.ts
init_define_builtScripts();
function judgeParts(judge, scores, metric) {
  const parts = Object.entries(judge).flatMap(
    ([name2, part]) => isJsonObject(part) && isOfGrader(name2, part, scores) ? [{ name: name2, judge: part }] : []
  );
  if (parts.length === 0 || parts.length < Object.keys(judge).length) return void 0;
  if (metric === void 0) return parts;
  if (metric === weightedId && ownValue(scores, weightedId) !== void 0)
    return parts.filter(({ name: name2 }) => (ownValue(scores, name2) ?? 0) < best);
  return parts.filter(({ name: name2 }) => name2 === metric.split(".")[0]);
}
var best = 1;
function isOfGrader(name2, part, scores) {
  const isScored = Object.keys(scores).some((id) => id.split(".")[0] === name2);
  return isScored || part["invalid"] === true;
}

// src/report/words/grader-words.ts
function graderWords(after, metric) {
  if (after.error) return errorWords2(after.error);
  const judge = after.judge ?? {};
  const parts = judgeParts(judge, after.scores ?? {}, metric);
  if (parts !== void 0) return severalWords(parts, metric);
  return detailWords(judge, metric) || (after.printed ?? "");
}
function severalWords(parts, metric) {
  const told = parts.flatMap(({ name: name2, judge }) => {
    const words2 = detailWords(judge, metric);
    return words2 === "" ? [] : [{ name: name2, words: words2 }];
  });
  const [only] = told;
  if (only?.name === metric?.split(".")[0]) return only?.words ?? "";
  return told.map(({ name: name2, words: words2 }) => `${name2}: ${words2}`).join("\n");
}
function detailWords(judge, metric) {
  const faults2 = callFaults(judge);
  if (faults2 !== void 0) return faults2;
  const texts2 = Object.entries(judge).filter(
    (field) => isText(field[1])
  );
  const own = `${metric?.split(".").at(-1)}_reasoning`;
  const explained = [own, ...explanations].flatMap((key) => texts2.filter(([name2]) => name2 === key));
  const [, words2] = explained[0] ?? (texts2.length === 1 ? texts2[0] : void 0) ?? [];
  if (words2 !== void 0) return words2;
  return Object.keys(judge).length > 0 ? JSON.stringify(judge) : "";
}
var plainTypes = ["exit_code", "exception", "recording_left_out", "error"];
function errorWords2({ type, message }) {
  const { text: text3 } = errorLine(message);
  if (text3 === "") return type;
  return plainTypes.includes(type) ? text3 : `${type}: ${text3}`;
}
var explanations = [
  "explanation",
  "reason",
  "reasoning",
  "rationale",
  "feedback",
  "note",
  "comment",
  "message",
  "error"
];
function isText(value) {
  return typeof value === "string" && value !== "";
}
function spokenReason({ after, metric }) {
  if (isSampleMetric(metric) && !after.error) return void 0;
  const words2 = graderWords(after, metric).trim();
  return words2 === "" ? void 0 : { key: kindOf2(after, words2), words: words2 };
}
function kindOf2({ error: error2 }, words2) {
  return error2 ? `${error2.type}: ${errorLine(error2.message).kind}` : messagePattern(words2);
}
function sharedWords(reasons) {
  const [first] = reasons;
  if (first === void 0) return "";
  if (reasons.every(({ words: words2 }) => words2 === first.words)) return first.words;
  const all = reasons.map(({ words: words2 }) => words2.split(changeable));
  const parts = (all[0] ?? []).map(
    (part, i) => all.every((some) => some[i] === part) ? part : changeable.test(part) ? "\u2026" : void 0
  );
  const shared = parts.includes(void 0) ? "" : parts.join("");
  const wordsLeft = shared.match(new RegExp("\\p{L}{2,}", "gu"))?.length ?? 0;
  return wordsLeft < fewestWords ? `${first.words} (and alike)` : shared;
}
var changeable = /("[^"]*"|(?<!\w)'[^']*'|`[^`]*`|\d+(?:[.,]\d+)*)/;
var fewestWords = 3;

// src/report/words/broken-groups.ts
function groupBroken(run, cases, texts2) {
  const find2 = findTexts(texts2);
  const told = cases.map((one) => keyedCase(one, find2));
  const places = [...Map.groupBy(told, placeKey).values()];
  const groups = places.flatMap((some) => groupsOfPlace(run, some));
  return groups.toSorted(
    (a, b) => Number(b.mustPass > 0) - Number(a.mustPass > 0) || b.loss - a.loss
  );
}
function findTexts(texts2) {
  const byMetric = new Map(texts2.map((each) => [textKey(each, each.metric), each]));
  const byCase = new Map(texts2.map((each) => [worseKey(each), each]));
  return (one, metric) => byMetric.get(textKey(one, metric)) ?? byCase.get(worseKey(one));
}
function textKey(one, metric) {
  return JSON.stringify([worseKey(one), metric]);
}
function keyedCase(one, find2) {
  const metric = one.changes[0]?.metric ?? "";
  const known3 = find2(one, metric);
  return { one, metric, known: known3, reason: known3 && spokenReason(known3), slices: known3?.slices ?? {} };
}
function placeKey({ one: { task, candidate, against }, metric }) {
  return JSON.stringify([task, candidate, metric, against]);
}
function groupsOfPlace(run, told) {
  const parts = Map.groupBy(withMadeReasons(told), ({ reason }) => reason?.key);
  const silent = parts.get(void 0) ?? [];
  parts.delete(void 0);
  const shares = sharesOf(run, told);
  return [...parts.values(), ...bySlice(silent, shares)].map((some) => groupOf(run, some, shares));
}
function withMadeReasons(told) {
  const less = addReasons(told, 2);
  return less.filter(({ reason }) => reason === void 0).length === 1 ? addReasons(less, 1) : less;
}
function addReasons(told, least) {
  const silent = told.flatMap(
    ({ known: known3, reason, metric }) => known3 === void 0 || reason !== void 0 || isSampleMetric(metric) ? [] : [known3]
  );
  const byCalls = callReasons(silent, least);
  const byAnswers = answerReasons(
    silent.filter((known3) => !byCalls.has(known3)),
    least
  );
  return told.map(
    (one) => one.reason === void 0 && one.known ? Object.assign({}, one, { reason: byCalls.get(one.known) ?? byAnswers.get(one.known) }) : one
  );
}
function bySlice(silent, shares) {
  const field = tellingFields(silent, shares)[0];
  if (field === void 0) return silent.length === 0 ? [] : [silent];
  return [...Map.groupBy(silent, ({ slices }) => slices[field]).values()];
}
function groupOf(run, told, shares) {
  const [first] = told;
  const reasons = told.flatMap(({ reason }) => reason ?? []);
  const lost = lossIn(run, told);
  const cases = told.map(({ one }) => one).toSorted((a, b) => Number(b.mustPass) - Number(a.mustPass) || lost(b) - lost(a));
  return {
    kind: first?.one.beyondBy === void 0 ? "broke" : "beyond",
    task: first?.one.task ?? "",
    candidate: first?.one.candidate ?? "",
    against: first?.one.against,
    metric: first?.metric ?? "",
    reason: reasons.length === 0 ? void 0 : sharedWords(reasons),
    where: whereIn(told, shares),
    cases,
    mustPass: cases.filter(({ mustPass }) => mustPass).length,
    loss: cases.reduce((sum, one) => sum + lost(one), 0)
  };
}
function lossIn(run, told) {
  const [first] = told;
  const range = run.metrics.find(
    ({ task, metric }) => task === first?.one.task && metric === first.metric
  )?.range;
  const largest = Math.max(...told.map(({ one }) => size2(one)).filter(Number.isFinite), 0);
  const span = (range ? range[1] - range[0] : largest) || 1;
  return (one) => Number.isFinite(size2(one)) ? size2(one) / span : 1;
}
function size2({ changes: [change2], beyondBy }) {
  return beyondBy ?? Math.abs((change2?.before ?? Number.NaN) - (change2?.after ?? Number.NaN));
}
function sharesOf({ metrics }, told) {
  const [first] = told;
  const all = metrics.filter(
    ({ task, candidate, metric }) => task === first?.one.task && candidate === first.one.candidate && metric === first.metric
  );
  const whole = all.find(({ slice }) => slice === null)?.n ?? 0;
  const bySliceName = new Map(all.map(({ slice, n }) => [slice, n]));
  return (field, value) => {
    const n = bySliceName.get(`${field}=${value}`);
    return n === void 0 || whole === 0 ? void 0 : n / whole;
  };
}
var leastLift = 0.15;
function tellingFields(told, shares) {
  const fields = [...new Set(told.flatMap(({ slices }) => Object.keys(slices)))];
  const lift = (field) => Math.max(
    ...countsOf(told, field).map(
      ({ value, cases }) => cases / told.length - (shares(field, value) ?? 0)
    )
  );
  return fields.map((field) => ({ field, lift: lift(field) })).filter((each) => each.lift >= leastLift).toSorted((a, b) => b.lift - a.lift).map(({ field }) => field);
}
function countsOf(told, field) {
  const values = Map.groupBy(told, ({ slices }) => slices[field]);
  return [...values].flatMap(
    ([value, some]) => value === void 0 ? [] : [{ field, value, cases: some.length }]
  ).toSorted((a, b) => b.cases - a.cases);
}
function whereIn(told, shares) {
  const [first, ...others] = tellingFields(told, shares);
  if (first === void 0) return [];
  const whole = others.flatMap(
    (field) => countsOf(told, field).filter(({ cases }) => cases === told.length)
  );
  return [...countsOf(told, first), ...whole];
}

// src/report/markdown/case-texts.ts
init_define_builtScripts();

// src/report/words/scores.ts
init_define_builtScripts();
function scoreWords(run, of) {
  const found2 = run.metrics.find(({ task: task2, metric }) => task2 === of.task && metric === of.metric);
  const task = ownValue(run.suite.tasks, of.task);
  const unit = unitOf(run, of);
  const plain2 = (score) => figure(score, unit === "share" ? "number" : unit);
  if (found2?.scale !== "binary" || !found2.higher_is_better) return plain2;
  const repeats = task?.repeats ?? 1;
  const isMean = task?.metrics.find(({ id }) => id === of.metric)?.reducer === void 0;
  return (score) => `${markOf3(score)} ${isMean ? share(score, repeats, plain2) : plain2(score)}`;
}
function markOf3(score) {
  if (score === 1) return "\u2705";
  return score === 0 ? "\u274C" : "\u{1F7E1}";
}
function share(score, repeats, plain2) {
  const right = Math.round(score * repeats);
  const isWhole2 = Math.abs(score * repeats - right) < 1e-6;
  return repeats > 1 && isWhole2 ? `${right}/${repeats}` : plain2(score);
}

// src/report/markdown/case-texts.ts
var longestText = { failures: 600, full: 8e3 };
function exampleTexts(run, item, { content, known: known3 }) {
  const words2 = graderWords(item.after, item.metric).trim();
  const { asked, target, before } = item;
  const isTwice = target === before.output && (target?.length ?? 0) > longestTwice;
  return [
    quotation("Asked", asked),
    quotation("Expected", isTwice ? "the earlier answer" : target),
    isAlone(item) ? `**Score** ${inlineText(scoreOrNone(run, item, item.after.score))}` : `**${sidesWords(item)}** ${inlineText(scoresOf(run, item))}`,
    ...outputTexts(item, longestText[content === "full" ? "full" : "failures"]),
    quotation(item.after.error ? "Error" : "The grader says", words2 === known3 ? void 0 : words2)
  ].filter((part) => part !== "");
}
var longestTwice = 80;
function sidesWords({ candidate, against }) {
  if (against === void 0) return "Before \u2192 now";
  return [against, candidate].map((name2) => inlineText(clip(name2, longestName5))).join(" \u2192 ");
}
var longestName5 = 60;
function sideLabel(word, name2, { against }) {
  return against === void 0 ? word : inlineText(clip(name2, longestName5));
}
var longestQuotation = 400;
function quotation(label, text3) {
  if (typeof text3 !== "string" || text3.trim() === "") return "";
  return `**${label}** ${inlineText(clip(text3.trim(), longestQuotation))}`;
}
function isAlone({ before }) {
  return before.score === null && before.output === void 0;
}
function scoresOf(run, item) {
  const [before, after] = [item.before.score, item.after.score];
  return `${scoreOrNone(run, item, before)} \u2192 ${scoreOrNone(run, item, after)}`;
}
function scoreOrNone(run, item, score) {
  return score === null ? "\u2013" : scoreWords(run, item)(score);
}
function textsBlock(run, { content, broken, beforeGone }) {
  const find2 = indexBroken(content === "ids" ? [] : broken);
  const told = changedGroups(run, "broke").flatMap(
    (group2) => group2.cases.flatMap(({ case_id: caseId }) => find2(group2, caseId) ?? [])
  );
  const longest = longestText[content === "full" ? "full" : "failures"];
  const texts2 = renderedOnce(told, (item) => caseTexts(run, item, longest));
  const why = beforeGone === void 0 ? [] : [`Only what was answered now: ${inlineText(beforeGone)}.`];
  return {
    name: "texts of broken cases",
    rank: 11,
    rows: told.length,
    render: (shown3) => shown3 === 0 ? "" : details(
      `Outputs of ${counted(shown3, "broken case")}`,
      [...why, ...texts2(shown3)].join("\n\n")
    )
  };
}
function caseTexts(run, item, longest) {
  const change2 = scoresOf(run, item);
  const grader = graderWords(item.after, item.metric);
  const body = [
    ...outputTexts(item, longest),
    ...grader === "" ? [] : [`Grader:

${fence(clip(grader, longest))}`]
  ];
  const summary2 = `${htmlCode(clip(item.caseId, 120))} \xB7 ${htmlCode(clip(item.metric, 120))} ${change2}`;
  return details(summary2, body.join("\n\n"));
}
function outputTexts(item, longest) {
  const { before, after } = item;
  if (typeof before.output === "string" && typeof after.output === "string") {
    const [old, now2] = [clip(before.output, longest), clip(after.output, longest)];
    if (before.output === after.output) return [labelled("Both answers are the same", now2)];
    return [fence(difference2(old, now2), "diff")];
  }
  if (before.output === null && after.output === null) return [];
  const now = labelled(
    isAlone(item) ? "Answer" : sideLabel("Now", item.candidate, item),
    after.output === void 0 ? void 0 : clipped(after.output, longest)
  );
  if (isAlone(item)) return [now];
  return [
    labelled(
      sideLabel("Before", item.against ?? "", item),
      before.output === void 0 ? void 0 : clipped(before.output, longest)
    ),
    now
  ];
}
function clipped(text3, longest) {
  return text3 === null ? null : clip(text3, longest);
}
function difference2(before, now) {
  const [old, fresh] = [before.split("\n"), now.split("\n")];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail2 = 0;
  while (tail2 < shorter - head && old.at(-1 - tail2) === fresh.at(-1 - tail2)) tail2 += 1;
  return [
    ...old.slice(0, head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail2).map((line) => `- ${line}`),
    ...fresh.slice(head, fresh.length - tail2).map((line) => `+ ${line}`),
    ...old.slice(old.length - tail2).map((line) => `  ${line}`)
  ].join("\n");
}
function labelled(label, text3) {
  if (text3 === void 0) return `${label}: not recorded.`;
  if (text3 === null) return `${label}: no output.`;
  return text3 === "" ? `${label}: empty.` : `${label}:

${fence(text3)}`;
}

// src/report/markdown/case-blocks.ts
var longestWords = 140;
function brokenBlock(run, { content, broken }) {
  const groups = changedGroups(run, "broke");
  const rows = rowsOf(run, groups, broken);
  const { total, others } = worseCases(run);
  const distinct = new Set(rows.map(({ caseId }) => caseId)).size;
  const all = groups.length > 1 ? Math.max(distinct, total + others.length) : countOf(groups);
  const kept = `${placeOf2(run, groups)}${keptNote(all, distinct)}`;
  const isEffort = groups.every(({ rule }) => isSampleMetric(rule.metric));
  const what = isEffort ? `${counted(all, "case")} with a higher figure` : counted(all, "broken case");
  const summary2 = `${what}${kept}`;
  return {
    name: "broken cases",
    rank: 4,
    ...foldedTable(rows, { content, summary: summary2, sides: sidesOf(groups) })
  };
}
function beyondBlock(run, { content, broken }) {
  const limits = limitRules(run);
  const cases = casesBeyond(limits);
  const metrics = new Set(limits.map((rule) => metricOf2(run, rule)));
  const find2 = findTexts(broken);
  const rows = cases.map((one) => {
    const {
      task,
      candidate,
      caseId,
      changes: [change2]
    } = one;
    const place2 = { task, candidate, metric: change2?.metric ?? "" };
    return {
      caseId,
      metric: metrics.size > 1 ? inlineCode(metricOf2(run, place2)) : "",
      change: changeWords2(scoreWords(run, place2), change2),
      broken: find2(one, place2.metric)
    };
  });
  const { words: words2, metric } = beyondTitle(run, limits);
  const where = metric === "" ? "" : ` in ${htmlCode(clip(metric, 120))}`;
  const summary2 = `${words2}${where}${keptNote(countBeyond(limits), rows.length)}`;
  return { name: "cases beyond a limit", rank: 5, ...foldedTable(rows, { content, summary: summary2 }) };
}
function changeWords2(score, change2) {
  return [change2?.before ?? null, change2?.after ?? null].flatMap((value) => value === null ? [] : score(value)).join(" \u2192 ");
}
function fixedBlock(run) {
  const groups = changedGroups(run, "fixed");
  const rows = rowsOf(run, groups, []);
  const where = placeOf2(run, groups);
  const distinct = new Set(rows.map(({ caseId }) => caseId)).size;
  const total = groups.length > 1 ? distinct : countOf(groups);
  const summary2 = `${counted(total, "fixed case")}${where}${keptNote(total, distinct)}`;
  return {
    name: "fixed cases",
    rank: 6,
    ...foldedTable(rows, { content: "ids", summary: summary2, sides: sidesOf(groups) })
  };
}
function foldedTable(rows, {
  content,
  summary: summary2,
  sides = sidesOf([])
}) {
  const cells = renderedOnce(rows, (row) => caseCells(row, content));
  return {
    rows: rows.length,
    render: (shown3) => shown3 === 0 ? "" : details(summary2, caseTable(sides, cells(shown3)))
  };
}
function countOf([first]) {
  return first?.total ?? 0;
}
function placeOf2(run, groups) {
  const [group2, ...others] = groups;
  if (group2 === void 0 || others.length > 0) return "";
  return ` in ${htmlCode(clip(metricOf2(run, group2.rule), 120))}`;
}
function metricOf2(run, rule) {
  return ruleName(run, { ...rule, slice: null });
}
function rowsOf(run, groups, broken) {
  const find2 = indexBroken(broken);
  return groups.flatMap((group2) => {
    const score = scoreWords(run, group2.rule);
    const metric = groups.length > 1 ? inlineCode(metricOf2(run, group2.rule)) : "";
    return group2.cases.map(({ case_id: caseId, before, after }) => ({
      caseId,
      metric,
      change: `${score(before)} \u2192 ${score(after)}`,
      broken: find2(group2, caseId)
    }));
  });
}
function sidesOf(groups) {
  const [words2 = "", ...others] = new Set(groups.map(({ rule }) => sidesWords(rule)));
  return words2 === "" || others.length > 0 ? "Before \u2192 now" : words2;
}
function caseTable(sides, rows) {
  return table3(["Case", sides, "Metric", "Grader says", "Slice"], "lllll", rows);
}
function caseCells({ caseId, metric, change: change2, broken }, content) {
  const texts2 = content === "ids" ? void 0 : broken;
  const words2 = texts2 === void 0 ? "" : graderWords(texts2.after, texts2.metric);
  return [
    `${inlineCode(caseId)}${rowNote(texts2)}`,
    unbroken(inlineText(change2)),
    metric,
    inlineText(clip(words2, longestWords)),
    broken ? sliceWords(broken) : ""
  ];
}
function rowNote(broken) {
  return broken?.row === void 0 ? "" : ` ${inlineText(`(${broken.row})`)}`;
}
function sliceWords({ slices }) {
  const words2 = Object.entries(slices).map(([field, value]) => `${field}=${value}`);
  return inlineText(clip(words2.join(", "), longestWords));
}
function keptNote(total, kept) {
  return total > kept ? ` (the ${kept} that changed most are listed)` : "";
}

// src/report/markdown/detail-blocks.ts
init_define_builtScripts();

// src/model/outcomes/chosen.ts
init_define_builtScripts();

// src/model/outcomes/shard.ts
init_define_builtScripts();
var mostShards = 256;
function readShard(text3) {
  const found2 = /^\s*(\d{1,3})\s*\/\s*(\d{1,3})\s*$/.exec(text3);
  if (found2 === null) return void 0;
  const [index, of] = [Number(found2[1]), Number(found2[2])];
  return index >= 1 && index <= of && of <= mostShards ? { index, of } : void 0;
}
function shardText({ index, of }) {
  return `${index}/${of}`;
}

// src/report/words/fence.ts
init_define_builtScripts();
function fenceWords({ candidates }) {
  return candidates.flatMap(({ id, fence: fence2 }) => {
    if (fence2 === void 0) return [];
    const { level, missing } = fence2;
    const gaps = missing.slice(0, 10).map((each) => clip(each, 400));
    return [[`${clip(id, 200)}: ${level}`, ...gaps].join("; ")];
  }).slice(0, 20).join(" \xB7 ");
}

// src/report/words/sandbox.ts
init_define_builtScripts();
function sandboxWords({ level, details: details2 }) {
  const missing = sentences(details2["missing"]);
  const held = meanings[level];
  const head = held === void 0 ? clip(level, 200) : `${level} (${held})`;
  return [head, ...missing].join("; ");
}
var meanings = {
  "landlock+seccomp": "other files, the network and other processes are closed to graders",
  off: "as asked: graders can do what this user can",
  unused: "no grader was started"
};
function sentences(value) {
  if (!Array.isArray(value)) return [];
  const list = value;
  return list.flatMap((each) => typeof each === "string" ? [clip(each, 400)] : []).slice(0, 10);
}

// src/report/results-words.ts
init_define_builtScripts();

// src/report/shell-word.ts
init_define_builtScripts();
function quoteWord(text3) {
  const word = clip(text3, 500);
  return /^[\w%+=:,./@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

// src/report/results-words.ts
function resultsWords({ results = [] }) {
  return results.map(({ tool, files: [first = "", ...others] }) => {
    const more = others.length === 0 ? "" : ` and ${counted(others.length, "more file")}`;
    return `of ${tool}, from ${first}${more}`;
  }).join("; ");
}

// src/report/markdown/task-words.ts
init_define_builtScripts();
var mostTasks = 20;
var longestValue = 100;
function taskWords({ suite }) {
  const words2 = Object.entries(suite.tasks).flatMap(([id, { name: name2, type, metadata = {} }]) => {
    const own = Object.entries(metadata).map(([key, value]) => `${key}: ${shown2(value)}`);
    const labels = [name2, type, ...own].filter((each) => each !== void 0);
    return labels.length === 0 ? [] : [`${inlineCode(id)} (${inlineText(labels.join(", "))})`];
  });
  const more = words2.length > mostTasks ? [`and ${words2.length - mostTasks} more`] : [];
  return [...words2.slice(0, mostTasks), ...more].join(", ");
}
function shown2(value) {
  return clip(typeof value === "string" ? value : JSON.stringify(value), longestValue);
}

// src/report/markdown/detail-blocks.ts
function metricsBlock(run) {
  return metricTable(run, {
    name: "metrics",
    rank: 5,
    title: "All metrics",
    values: run.metrics.filter((value) => value.slice === null)
  });
}
function metricsInSight(run) {
  const isRead = run.gate.rules.length === 0;
  const values = isRead ? run.metrics.filter(({ slice }) => slice === null) : [];
  const rows = renderedOnce(values, (value) => {
    const [metric = "", candidate = "", , figures = "", interval = "", n = ""] = metricRow(
      run,
      value
    );
    const small = [candidate, counted(value.n, "case")].filter((word) => word !== "" && n !== "");
    return [
      `${metric}<br><sub>${small.join(" \xB7 ")}</sub>`,
      `${figures}<br><sub>${unbroken(interval)}</sub>`
    ];
  });
  return {
    name: "metrics in sight",
    rank: 2,
    rows: values.length,
    render: (shown3) => shown3 === 0 ? "" : table3(["Metric", "Value<br><sub>95% interval</sub>"], "lr", rows(shown3))
  };
}
function slicesBlock(run) {
  return metricTable(run, {
    name: "slices",
    rank: 8,
    title: "Slices",
    values: run.metrics.filter((value) => value.slice !== null)
  });
}
function metricTable(run, part) {
  const { name: name2, rank: rank2, title: title2, values } = part;
  const heads = ["Metric", "Candidate", "Slice", "Value", "95% interval", "Cases"];
  const rows = renderedOnce(values, (value) => metricRow(run, value));
  return {
    name: name2,
    rank: rank2,
    rows: values.length,
    render: (shown3) => {
      if (shown3 === 0) return "";
      const body = table3(heads, "lllrrr", rows(shown3));
      return details(`${title2} (${count(values.length)})`, body);
    }
  };
}
function metricRow(run, value) {
  const unit = unitOf(run, value);
  return [
    inlineCode(`${value.task}/${value.metric}`),
    run.candidates.length > 1 ? inlineCode(value.candidate) : "",
    value.slice === null ? "" : inlineText(clip(value.slice, 120)),
    value.value === null ? "\u2013" : inlineText(figure(value.value, unit)),
    value.ci === null ? "\u2013" : inlineText(figureRange(value.ci, unit)),
    count(value.n)
  ];
}
function ledgerBlock(run) {
  const { cases, request_counts: samples } = run;
  const fields = [
    ["declared", cases.declared, "cases of the plan, for each candidate"],
    ["scored", cases.scored, "graded"],
    ["invalid", cases.invalid, "the grader gave no valid score: counts as 0 or as the worst"],
    ["failed", cases.failed, "the candidate failed: counts as the worst"],
    ["ungraded", cases.ungraded, "nobody's fault: no score"],
    ["paired", cases.paired, "compared with the baseline"],
    ["new", cases.new, "not in the baseline"],
    ["missing", cases.missing, "in the baseline, not here"],
    ["renamed", cases.renamed, "same content under another id"]
  ];
  const rows = fields.map(([name2, value, meaning]) => [name2, count(value), meaning]);
  const body = [
    table3(["Cases", "Number", "Meaning"], "lrl", rows),
    `Samples: ${count(samples.total)} planned, ${count(samples.completed)} completed, ${count(samples.failed)} failed.`,
    ...leftOut(run.suite.not_selected)
  ];
  return single("case ledger", 4, details("What became of every case", body.join("\n\n")));
}
var drawn = "`max_samples`), the same in every run";
var byName = "`--case`, `--failed`)";
function leftOut(found2) {
  const cases = (found2.cases ?? []).map(
    ({ task, selected, of, only }) => `Of ${inlineCode(task)}, ${count(selected)} of ${count(of)} cases were selected (${only === void 0 ? drawn : byName}; the others are neither run nor missing.`
  );
  return [...cases, ...leftOutNames(found2)];
}
function leftOutNames({ tasks, candidates }) {
  const all = [...tasks, ...candidates];
  if (all.length === 0) return [];
  const more = all.length > 20 ? ` and ${all.length - 20} more` : "";
  const names2 = all.slice(0, 20).map((id) => inlineCode(id));
  return [`Not selected for this run: ${names2.join(", ")}${more}.`];
}
function baselineBlock(run) {
  const { baseline } = run;
  const notes = baseline?.notes ?? [];
  return {
    name: "baseline notes",
    rank: 7,
    rows: notes.length,
    render: (shown3) => shown3 === 0 ? "" : details(
      `About the baseline (${counted(notes.length, "note")})`,
      notes.slice(0, shown3).map((note3) => `- ${beginLine(inlineText(note3).trimStart())}`).join("\n")
    )
  };
}
function judgeTokens({
  judge_input_tokens: input = 0,
  judge_output_tokens: output = 0
}) {
  return input + output === 0 ? "" : `${count(input)} in, ${count(output)} out`;
}
function costByPart({ usd: candidates, judge_usd: judges, unpriced }) {
  const known3 = `${usd(candidates)} candidates, ${usd(judges)} judge`;
  return unpriced ? `${known3}${andUnpriced}` : known3;
}
function environmentBlock(run) {
  const { usage, timing, environment } = run;
  const rows = [
    ["Run", inlineCode(run.id)],
    ["Suite", `${inlineCode(run.suite.path)}, version ${inlineCode(run.suite.version)}`],
    ["Results", inlineText(resultsWords(run))],
    ["Commit", run.git.sha === null ? "" : inlineCode(run.git.sha)],
    ["Tasks", taskWords(run)],
    ["Candidates", candidateWords(run)],
    ["Judge model", run.judge_model === null ? "" : inlineCode(run.judge_model)],
    ["Embedding model", run.embedding_model === null ? "" : inlineCode(run.embedding_model)],
    ["Tokens", `${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out`],
    ["Tokens of judges", judgeTokens(usage)],
    ["Cost", inlineText(costByPart(usage))],
    ["Answers from the cache", count(usage.cached)],
    ["Time", timeWords(timing)],
    ["Sandbox", inlineText(sandboxWords(run.sandbox))],
    ["Fence", inlineText(fenceWords(run))],
    ["Regrade", inlineText(environment.regrade)],
    [
      "Node, Python, system",
      inlineText([environment.node, environment.python ?? "no Python", environment.os].join(", "))
    ]
  ].filter(([, value]) => value !== "");
  return single(
    "environment",
    10,
    details("Cost, time and environment", table3(["What", "Value"], "ll", rows))
  );
}
function candidateWords(run) {
  const words2 = run.candidates.slice(0, 20).map(
    ({ id, kind, model }) => `${inlineCode(id)} (${kind}${model === null ? "" : `, ${codeSpan(clip(model, 80))}`})`
  );
  return words2.join(", ");
}
function timeWords({ seconds, generate_seconds: generate }) {
  return `${duration(seconds)} in all; ${duration(generate)} generating, summed over what ran side by side`;
}
function single(name2, rank2, text3) {
  return { name: name2, rank: rank2, rows: 1, render: (rows) => rows === 0 ? "" : text3 };
}

// src/report/markdown/detectable-block.ts
init_define_builtScripts();

// src/model/figures/alpha.ts
init_define_builtScripts();

// src/model/definition/gate.ts
init_define_builtScripts();
var defaultAlpha = 0.05;

// src/model/figures/alpha.ts
function sharedAlpha(rule, run) {
  const family = run.gate.rules.filter((other) => sharesWith(other, rule));
  const made = family.filter(({ n }) => n !== null);
  const isMember = sharesWith(rule, rule) && (made.length === 0 || rule.n !== null);
  const comparisons = isMember ? made.length || family.length : 1;
  return { alpha: ownAlpha(rule, run) / comparisons, comparisons };
}
function sharesWith(other, { prove, level }) {
  const isProof = prove === "drop" || prove === "no_drop";
  return isProof && level === "block" && other.level === level && other.prove === prove;
}
function ownAlpha({ prove, ci_level }, { suite }) {
  if (prove === "nothing") return 1;
  if (ci_level !== null) return Number(((1 - ci_level) / 2).toPrecision(12));
  return (suite.gate === "none" ? void 0 : suite.gate.alpha) ?? defaultAlpha;
}

// src/stats/sizing/reach.ts
init_define_builtScripts();

// src/stats/sizing/detectable.ts
init_define_builtScripts();

// src/stats/distributions/normal.ts
init_define_builtScripts();
function normalCdf(z) {
  if (z > 2.5) return 1 - lowerTail(z);
  if (z < -2.5) return lowerTail(-z);
  let term = z;
  let sum = z;
  for (let odd = 3; Math.abs(term) > 1e-18; odd += 2) {
    term *= z * z / odd;
    sum += term;
  }
  return 0.5 + density(z) * sum;
}
function lowerTail(z) {
  let fraction2 = z;
  for (let level = 120; level >= 1; level -= 1) fraction2 = z + level / fraction2;
  return density(z) / fraction2;
}
function density(z) {
  return Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
}
function normalQuantile(p) {
  if (!(p > 0 && p < 1)) throw new RangeError(`a quantile needs 0 < p < 1, not ${p}`);
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * ratio(middle, 0.180625 - q * q);
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const z = r <= 5 ? ratio(shoulder, r - 1.6) : ratio(tail, r - 5);
  return q < 0 ? -z : z;
}
var middle = {
  above: [
    2509.0809287301227,
    33430.57558358813,
    67265.7709270087,
    45921.95393154987,
    13731.69376550946,
    1971.5909503065513,
    133.14166789178438,
    3.3871328727963665
  ],
  below: [
    5226.495278852854,
    28729.085735721943,
    39307.89580009271,
    21213.794301586597,
    5394.196021424751,
    687.1870074920579,
    42.31333070160091,
    1
  ]
};
var shoulder = {
  above: [
    7745450142783414e-19,
    0.022723844989269184,
    0.2417807251774506,
    1.2704582524523684,
    3.6478483247632045,
    5.769497221460691,
    4.630337846156546,
    1.4234371107496835
  ],
  below: [
    10507500716444169e-25,
    5475938084995345e-19,
    0.015198666563616457,
    0.14810397642748008,
    0.6897673349851,
    1.6763848301838038,
    2.053191626637759,
    1
  ]
};
var tail = {
  above: [
    20103343992922881e-23,
    27115555687434876e-21,
    0.0012426609473880784,
    0.026532189526576124,
    0.29656057182850487,
    1.7848265399172913,
    5.463784911164114,
    6.657904643501103
  ],
  below: [
    20442631033899397e-31,
    1421511758316446e-22,
    18463183175100548e-21,
    7868691311456133e-19,
    0.014875361290850615,
    0.1369298809227358,
    0.599832206555888,
    1
  ]
};
function ratio({ above, below }, x) {
  const polynomial = (coefficients2) => coefficients2.reduce((value, coefficient) => value * x + coefficient);
  return polynomial(above) / polynomial(below);
}

// src/stats/sizing/power.ts
init_define_builtScripts();

// src/stats/distributions/binomial.ts
init_define_builtScripts();

// src/stats/distributions/beta.ts
init_define_builtScripts();

// src/stats/distributions/bisect.ts
init_define_builtScripts();
function bisect(range, isBelow) {
  let { lower, upper } = range;
  for (let step = 0; step < 200; step += 1) {
    const middle2 = lower + (upper - lower) / 2;
    if (middle2 <= lower || middle2 >= upper) break;
    if (isBelow(middle2)) lower = middle2;
    else upper = middle2;
  }
  return lower + (upper - lower) / 2;
}

// src/stats/distributions/gamma.ts
init_define_builtScripts();
function stirlingError(x) {
  let shifted = x;
  let error2 = 0;
  for (; shifted < 10; shifted += 1) error2 += (shifted + 0.5) * Math.log1p(1 / shifted) - 1;
  const square = shifted * shifted;
  const series = stirlingSeries.reduce((sum, coefficient) => sum / square + coefficient);
  return error2 + series / shifted;
}
var stirlingSeries = [
  1 / 156,
  -691 / 360360,
  1 / 1188,
  -1 / 1680,
  1 / 1260,
  -1 / 360,
  1 / 12
];

// src/stats/distributions/beta.ts
function incompleteBeta(shape, x, complement = 1 - x) {
  if (x <= 0) return 0;
  if (complement <= 0) return 1;
  const { a, b } = shape;
  const power2 = betaPower(shape, x, complement);
  if (x < (a + 1) / (a + b + 2)) return power2 / a * fraction(shape, x);
  return 1 - power2 / b * fraction({ a: b, b: a }, complement);
}
function betaPower({ a, b }, x, y) {
  const sum = a + b;
  const errors = stirlingError(sum) - stirlingError(a) - stirlingError(b);
  const deviances = deviance(a, sum * x) + deviance(b, sum * y);
  return Math.sqrt(a / sum * (b / (2 * Math.PI))) * Math.exp(errors - deviances);
}
function deviance(x, m) {
  const relative2 = (x - m) / (x + m);
  if (Math.abs(relative2) >= 0.1) return x * Math.log(x / m) + m - x;
  let sum = (x - m) * relative2;
  let term = 2 * x * relative2;
  for (let odd = 3; ; odd += 2) {
    term *= relative2 * relative2;
    const next = sum + term / odd;
    if (next === sum) return sum;
    sum = next;
  }
}
function fraction(shape, x) {
  const tiny = 1e-300;
  const notZero = (value2) => Math.abs(value2) < tiny ? tiny : value2;
  let above = 1;
  let below = 1 / notZero(1 - (shape.a + shape.b) * x / (shape.a + 1));
  let value = below;
  for (let step = 1; step <= 1e6; step += 1) {
    const before = value;
    for (const d of coefficients(shape, step)) {
      below = 1 / notZero(1 + d * x * below);
      above = notZero(1 + d * x / above);
      value *= below * above;
    }
    if (Math.abs(value - before) <= 4e-16 * Math.abs(value)) return value;
  }
  return value;
}
function coefficients({ a, b }, m) {
  const even = m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m));
  const odd = -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1));
  return [even, odd];
}

// src/stats/distributions/binomial.ts
function binomialProbability(successes, { trials, probability }) {
  const failures = trials - successes;
  if (successes < 0 || failures < 0) return 0;
  if (successes === 0) return Math.exp(trials * Math.log1p(-probability));
  if (failures === 0) return Math.exp(trials * Math.log(probability));
  const power2 = betaPower({ a: successes, b: failures }, probability, 1 - probability);
  return trials / successes / failures * power2;
}
function binomialAtLeast(successes, binomial) {
  if (successes <= 0) return 1;
  return successes > binomial.trials * binomial.probability ? sumOutwards(successes, binomial, 1) : 1 - sumOutwards(successes - 1, binomial, -1);
}
function sumOutwards(first, binomial, step) {
  const { trials, probability } = binomial;
  const odds = probability / (1 - probability);
  let term = binomialProbability(first, binomial);
  let sum = term;
  for (let k = first; term > sum * 1e-17; k += step) {
    term *= step === 1 ? (trials - k) / (k + 1) * odds : k / (trials - k + 1) / odds;
    sum += term;
  }
  return sum;
}

// src/stats/inference/mcnemar.ts
init_define_builtScripts();
function mcnemarExact(broke, fixed) {
  if (broke + fixed === 0) return 1;
  return binomialAtLeast(broke, { trials: broke + fixed, probability: 0.5 });
}
function mcnemarMidP(broke, fixed) {
  const trials = broke + fixed;
  if (trials === 0) return 1;
  const half = { trials, probability: 0.5 };
  return binomialAtLeast(broke, half) - binomialProbability(broke, half) / 2;
}

// src/stats/sizing/power.ts
function mcnemarPower({
  breaks,
  fixes,
  test = "mid_p",
  ...wanted
}) {
  const rule = { ...wanted, test };
  const discordant = breaks + fixes;
  if (!(breaks >= 0 && fixes >= 0 && discordant <= 1))
    throw new RangeError(
      `${breaks} and ${fixes} are no chances that exclude each other: each is 0 or more, their sum at most 1`
    );
  if (discordant === 0) return 0;
  const expected = rule.n * discordant;
  const tailOf = ascendingTails(breaks / discordant);
  let rate = 0;
  for (let d = fewestLikely(expected); d <= rule.n; d += 1) {
    const chance = certainOr(d, rule.n, discordant);
    if (chance < negligible && d > expected) break;
    const least = leastBlocking(d, rule);
    if (least <= d) rate += chance * tailOf(least, d);
  }
  return rate;
}
var negligible = 1e-18;
function fewestLikely(expected) {
  return Math.max(0, Math.floor(expected - Math.sqrt(-2 * expected * Math.log(negligible))));
}
function certainOr(successes, trials, probability) {
  if (probability === 0) return successes === 0 ? 1 : 0;
  if (probability === 1) return successes === trials ? 1 : 0;
  return binomialProbability(successes, { trials, probability });
}
function ascendingTails(probability) {
  const odds = probability / (1 - probability);
  const last = { least: 0, trials: 0, tail: 0, below: 0 };
  return (least, trials) => {
    const step = least - last.least;
    if (trials === last.trials + 1 && (step === 0 || step === 1) && last.below > leastToGoOn) {
      const failures = trials - last.least + 1;
      last.tail += probability * last.below;
      last.below *= trials / failures * (1 - probability);
      if (step === 1) {
        last.below *= failures / last.least * odds;
        last.tail = Math.max(0, last.tail - last.below);
      }
    } else {
      last.tail = tailOr(least, trials, probability);
      last.below = certainOr(least - 1, trials, probability);
    }
    Object.assign(last, { least, trials });
    return last.tail;
  };
}
var leastToGoOn = 1e-300;
function tailOr(successes, trials, probability) {
  if (successes <= 0 || probability === 1) return 1;
  if (probability === 0) return 0;
  return binomialAtLeast(successes, { trials, probability });
}
function leastBlocking(discordant, { n, alpha, limit = 0, test }) {
  const proven = leastProven(discordant, { alpha, test });
  const seen = Math.ceil((discordant + (limit - 1e-9) * n) / 2);
  return Math.max(proven, seen);
}
var known2 = /* @__PURE__ */ new Map();
var mostKnown = 64;
function leastProven(discordant, { alpha, test }) {
  const key = `${test} ${alpha}`;
  const found2 = known2.get(key) ?? [];
  if (found2.length === 0) {
    if (known2.size >= mostKnown) known2.clear();
    known2.set(key, found2);
  }
  const isProof = (broke, fixed) => broke > fixed && (test === "mid_p" ? mcnemarMidP(broke, fixed) < alpha : mcnemarExact(broke, fixed) <= alpha);
  for (let d = found2.length; d <= discordant; d += 1) {
    let least = found2[d - 1] ?? 0;
    while (least <= d && !isProof(least, d - least)) least += 1;
    found2.push(least);
  }
  return found2[discordant] ?? discordant + 1;
}

// src/stats/distributions/student.ts
init_define_builtScripts();
function studentUpperTail(t, df) {
  if (t < 0) return 1 - studentUpperTail(-t, df);
  const shape = { a: df / 2, b: 0.5 };
  return incompleteBeta(shape, 1 / (1 + t / df * t), 1 / (1 + df / t / t)) / 2;
}
function studentQuantile(p, df) {
  if (!(p > 0 && p < 1 && df > 0))
    throw new RangeError(`a t quantile needs 0 < p < 1 and df > 0, not p ${p}, df ${df}`);
  if (p === 0.5) return 0;
  if (p > 0.5) return -studentQuantile(1 - p, df);
  let upper = 1;
  while (upper < 1e150 && studentUpperTail(upper, df) > p) upper *= 2;
  const lower = upper === 1 ? 0 : upper / 2;
  return -bisect({ lower, upper }, (t) => studentUpperTail(t, df) > p);
}

// src/stats/sizing/detectable.ts
var usualPower = 0.8;
var finerNoise = 0.25;
var mostEnumerated = 400;
var canProve = ({ n, clusters }, alpha) => n > 0 && (clusters === null ? 2 ** -(n + 1) : 2 ** -clusters.count) < alpha;
var provingChance = (drop, noise, alpha) => {
  if (!(drop > 0) || !canProve(noise, alpha)) return 0;
  if (alpha >= 1) return 1;
  const { weights: weights2, ...plain2 } = noise;
  if (weights2 === void 0) return unweightedChance(drop, plain2, alpha);
  const lost = plain2.lost * weights2.lost;
  const finer = finerNoise * lost ** 2 / plain2.n;
  const variance = Math.max(0, plain2.variance * weights2.variance - finer);
  const weighted = { ...plain2, variance, lost };
  return Math.min(
    unweightedChance(drop, weighted, alpha),
    unweightedChance(drop, plain2, Math.min(0.5, 2 * alpha))
  );
};
function unweightedChance(drop, noise, alpha) {
  const { n, variance, clusters, lost } = noise;
  if (clusters === null && lost > 0)
    return byPairs(drop / lost, { n, variance: variance / lost ** 2 }, alpha);
  return byT(drop, noise, alpha);
}
function byPairs(drop, { n, variance }, alpha) {
  if (drop > 1) return 1;
  const fixes = Math.max(0, Math.min(variance / 2, (1 - drop) / 2));
  const breaks = Math.min(1 - fixes, fixes + drop);
  const discordant = breaks + fixes;
  if (n * discordant <= mostEnumerated) return mcnemarPower({ breaks, fixes, n, alpha });
  const spread = Math.sqrt(Math.max(Number.MIN_VALUE, discordant - drop * drop));
  const reach = drop * Math.sqrt(n) - normalQuantile(1 - alpha) * Math.sqrt(discordant);
  return normalCdf(reach / spread);
}
function byT(drop, noise, alpha) {
  const { n, variance, clusters, lost, design } = noise;
  const freedom = (clusters?.effective ?? n) - 1;
  if (freedom <= 0) return 0;
  const own = design * Math.max(0, drop * (lost - drop));
  const total = variance + own;
  if (total === 0) return 1;
  const [least, seen] = [-studentQuantile(alpha, freedom), drop / Math.sqrt(total / n)];
  const units2 = (clusters?.count ?? n) - 1;
  const spread = Math.sqrt(1 + least * least / (2 * freedom) + seen * seen / (2 * units2));
  return normalCdf((seen - least) * (1 - 1 / (4 * freedom)) / spread);
}
var smallestDrop = (noise, alpha, power2 = usualPower) => {
  if (noise.lost === 0 && noise.variance === 0) return void 0;
  if (noise.clusters !== null && 2 ** -noise.clusters.effective >= alpha) return void 0;
  const isEnough = (drop) => provingChance(drop, noise, alpha) >= power2;
  let yes = widestDrop(noise);
  if (!isEnough(yes)) return void 0;
  let no = 0;
  while (yes - no > yes * 1e-5) {
    const middle2 = (no + yes) / 2;
    if (isEnough(middle2)) yes = middle2;
    else no = middle2;
  }
  return yes;
};
function widestDrop({ lost, n, variance }) {
  return lost > 0 ? lost : 1e6 * Math.sqrt(variance / Math.max(1, n));
}

// src/stats/sizing/reach.ts
var fewestWeighing = 3;
var usualPower2 = 0.8;
var mostCases = 1e9;
function casesFor(drop, { noise, alpha }, power2 = usualPower2) {
  const isEnough = (n) => provingChance(drop, scaledToCases(noise, n), alpha) >= power2;
  let [no, yes] = [0, 1];
  while (!isEnough(yes) && yes < mostCases) [no, yes] = [yes, 2 * yes];
  while (yes - no > 1) {
    const middle2 = Math.floor((no + yes) / 2);
    if (isEnough(middle2)) yes = middle2;
    else no = middle2;
  }
  return yes;
}
function scaledToCases(noise, n) {
  const { clusters } = noise;
  const times = n / Math.max(1, noise.n);
  return {
    ...noise,
    n,
    clusters: clusters && {
      count: Math.floor(clusters.count * times),
      effective: clusters.effective * times
    }
  };
}
function repeated(reach, from, to) {
  const { noise } = reach;
  const variance = noise.variance * from / to;
  const bits = noise.lost > 0 && noise.clusters === null && to === 1;
  const { weights: weights2, ...plain2 } = noise;
  const kept = to < fewestWeighing ? void 0 : weights2;
  return { ...reach, noise: { ...plain2, bits, variance, ...kept && { weights: kept } } };
}
function smallestRepeated(reach, repeats) {
  const { noise, alpha } = reach;
  if (repeats >= manyRepeats || noise.variance === 0) return void 0;
  const now = smallestDrop(noise, alpha) ?? Infinity;
  const then = smallestDrop(repeated(reach, repeats, manyRepeats).noise, alpha);
  return then !== void 0 && then < now ? then : void 0;
}

// src/report/markdown/detectable-block.ts
function reachBlock(run) {
  const lines = run.gate.rules.flatMap((rule) => reachLine(run, rule) ?? []);
  return {
    name: "reach",
    rank: 2,
    rows: lines.length,
    render: (shown3) => lines.slice(0, shown3).join("\n")
  };
}
function reachLine(run, rule) {
  const { kind, limit, mde, n, outcome, level, prove, noise } = rule;
  if (kind !== "max_drop" && kind !== "max_rise") return void 0;
  if (mde === null || n === null || noise === void 0 || !isRelative(rule) || prove !== "drop")
    return void 0;
  if (outcome !== "met" || level !== "block") return void 0;
  const unit = unitOf(run, rule);
  const repeats = rule.steady === true ? manyRepeats : ownValue(run.suite.tasks, rule.task)?.repeats ?? 1;
  const name2 = `\`${ruleName(run, rule)}\``;
  const reach = { noise, alpha: sharedAlpha(rule, run).alpha };
  const ways = () => ({
    needed: casesFor(limit, reach),
    repeated: smallestRepeated(reach, repeats)
  });
  const asked = { rule: name2, kind, limit, detects: mde, cases: n, unit, ways };
  const found2 = reachProblem(asked);
  if (found2 === void 0) return void 0;
  return `- ${toMarkdown(quoted3(found2.message))} ${toMarkdown(quoted3(found2.hint ?? ""))}`;
}

// src/report/markdown/errors-block.ts
init_define_builtScripts();
function errorsBlock(errors, content) {
  const heads = ["Type", "Task", "Stage", "Fault", "Samples", "Cases", "First message"];
  const rows = errors.map((group2) => [
    inlineCode(group2.type),
    inlineCode(group2.task),
    group2.stage,
    group2.fault,
    count(group2.count),
    group2.caseIds.slice(0, 3).map((id) => inlineCode(id)).join(" "),
    content === "ids" ? "" : inlineText(clip(errorLine(group2.message).text, 200))
  ]);
  const total = errors.reduce((sum, group2) => sum + group2.count, 0);
  return {
    name: "errors",
    rank: 3,
    rows: rows.length,
    render: (shown3) => shown3 === 0 ? "" : details(
      `Errors (${counted(total, "sample")}): ${typesOf(errors)}`,
      table3(heads, "llllrll", rows.slice(0, shown3))
    )
  };
}
var typesShown = 3;
function typesOf(errors) {
  const byType = [...Map.groupBy(errors, ({ type }) => type)].map(([type, groups]) => ({
    type,
    samples: groups.reduce((sum, group2) => sum + group2.count, 0)
  }));
  const most = byType.toSorted((a, b) => b.samples - a.samples);
  const shown3 = most.slice(0, typesShown).map(({ type, samples }) => `${count(samples)} ${htmlCode(clip(type, 80))}`);
  const more = most.length > typesShown ? ` and ${count(most.length - typesShown)} more types` : "";
  return `${shown3.join(", ")}${more}`;
}

// src/report/markdown/diagnoses.ts
init_define_builtScripts();
function diagnosesBlock(run, content) {
  const diagnoses = ofSetUp(run);
  const rows = renderedOnce(diagnoses, (each) => {
    const place2 = `${inlineCode(each.task)}, ${inlineCode(each.candidate)}`;
    return `- ${place2}: ${toMarkdown(diagnosisSentence(each, content))}`;
  });
  return {
    name: "notes on the set-up",
    rank: 2,
    rows: diagnoses.length,
    render: (shown3) => shown3 === 0 ? "" : `**Look at the set-up**

${rows(shown3).join("\n")}`
  };
}

// src/report/markdown/gate-block.ts
init_define_builtScripts();

// src/report/sparkline.ts
init_define_builtScripts();
var bars = ["\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"];
function sparkline(values, unit) {
  const known3 = values.filter((value) => value !== void 0);
  const low = Math.min(...known3);
  const high = Math.max(...known3);
  const span = Math.max(high - low, narrowest(high, low, unit));
  const middle2 = (high + low) / 2;
  const top = bars.length - 1;
  const height = (value) => Math.round(((value - middle2) / span + 0.5) * top);
  return values.map((value) => value === void 0 ? "\xB7" : bars[height(value)]).join("");
}
function narrowest(high, low, unit) {
  if (unit === "share") return 0.1;
  return Math.max(Math.abs(high), Math.abs(low)) / 10 || 1;
}
var runsDrawn = 10;
var breakMark = "\u254E";
function trendOf(rule, { history: all, unit, meaning }) {
  const history = all?.slice(-runsDrawn);
  if (history === void 0 || rule.value === null || rule.kind === "must_pass") return "";
  const place2 = historyKey(rule);
  const before = history.map(
    ({ values }) => values.find((value) => historyKey(value) === place2)?.value
  );
  if (before.filter((value) => value !== void 0).length < 2) return "";
  const line = Array.from(sparkline([...before, rule.value], unit));
  const breaks = breaksIn([...history, { meaning }], rule.task);
  const drawn2 = line.map((bar, i) => breaks.includes(i) ? `${breakMark}${bar}` : bar);
  return `${drawn2.slice(0, -1).join("")} ${drawn2.at(-1) ?? ""}`;
}

// src/report/markdown/gate-block.ts
function gateBlock(run, circumstances) {
  const rules = run.gate.rules.toSorted((a, b) => weight(a) - weight(b));
  const runs = Math.min(runsDrawn, run.baseline?.history?.length ?? 0);
  const branch = circumstances?.baseBranch;
  const last = `Last ${counted(runs, "run")}${branch === void 0 ? "" : ` of ${inlineCode(branch)}`}`;
  const values = run.baseline === null ? "Now" : "Baseline \u2192 now";
  const level = commonLevel(rules);
  const difference3 = level === void 0 ? "Difference" : twoLines("Difference", `${level} interval`);
  const heading2 = ["Metric", unbroken(values), difference3, "Rule", last, "Outcome"];
  const rows = renderedOnce(
    rules,
    (rule) => gateRow(run, rule, { history: run.baseline?.history, level, branch })
  );
  return {
    name: "rules",
    rank: 1,
    rows: rules.length,
    render: (shown3) => {
      if (shown3 === 0) return "";
      const text3 = folded(rows(shown3), heading2);
      return text3.includes(breakMark) ? `${text3}

<sub>${breakWords}</sub>` : text3;
    }
  };
}
var breakWords = `${breakMark} from here on the grader, the data set or the judge was another: the scores do not compare with those before.`;
var inSight = 12;
function folded(rows, heading2) {
  const tableOf = (some) => table3(heading2, "lrrlll", some);
  const first = tableOf(rows.slice(0, inSight));
  const others = rows.slice(inSight);
  if (others.length === 0) return first;
  return `${first}

${details(counted(others.length, "more rule"), tableOf(others))}`;
}
function gateRow(run, rule, shared) {
  const words2 = ruleWords(run, rule);
  const trend = trendOf(rule, {
    history: shared.history,
    unit: unitOf(run, rule),
    meaning: meaningOf(run)
  });
  const interval = shared.level === void 0 ? words2.interval : words2.range;
  const cases = words2.cases === none ? "" : `${words2.cases} ${words2.cases === "1" ? "case" : "cases"}`;
  const isOld = missedBefore(run, rule) !== void 0;
  const already = isOld ? `already failing ${shared.branch ? `on ${shared.branch}` : "in the baseline"}` : "";
  const small = [words2.evidence, already].filter((part) => part !== "").join("; ");
  return [
    twoLines(`${words2.mark}${nbsp}${inlineCode(words2.name)}`, cases),
    change(words2, rule),
    words2.delta === none ? "" : twoLines(unbroken(inlineText(words2.delta)), inlineText(interval)),
    inlineText(words2.consequence).replace(/ (?=\S+$)/, nbsp),
    trend === "" ? "" : unbroken(htmlCode(trend)),
    twoLines(
      inlineText(`${outcomeWords[rule.outcome]}: ${words2.found}`),
      inlineText(small),
      "breaks"
    )
  ];
}
function commonLevel(rules) {
  const levels = new Set(rules.flatMap((rule) => rule.delta_ci === null ? [] : [rule.ci_level]));
  const [level] = levels;
  return levels.size === 1 && typeof level === "number" ? percentName(level) : void 0;
}
function change(words2, { outcome }) {
  const value = unbroken(inlineText(words2.value));
  const now = outcome === "missed" ? `**${value}**` : value;
  return words2.baseline === none ? now : `${unbroken(inlineText(words2.baseline))}${nbsp}\u2192${nbsp}${now}`;
}
function twoLines(first, second, breaks) {
  if (second === "") return first;
  return `${first}<br><sub>${breaks === void 0 ? unbroken(second) : second}</sub>`;
}
var levelWeights = { block: 0, warn: 10, info: 20 };
var outcomeWeights = {
  missed: 0,
  inconclusive: 1,
  unmeasured: 3,
  met: 4
};
function weight(rule) {
  const isSeen = rule.code === "drop_not_proven" || rule.code === "cases_short_before";
  const grey = isSeen ? 2 : void 0;
  return levelWeights[rule.level] + (grey ?? outcomeWeights[rule.outcome]);
}

// src/report/markdown/group-blocks.ts
init_define_builtScripts();

// src/report/markdown/report-links.ts
init_define_builtScripts();
function brokenAddress(circumstances) {
  return addressOf(circumstances, { show: "broke" });
}
function beyondAddress(circumstances) {
  return addressOf(circumstances, { show: "beyond" });
}
function groupAddress(at, number2) {
  if (at.content === "ids") return void 0;
  return addressOf(at.circumstances, { group: String(number2) });
}
function caseAddress(circumstances, caseId) {
  return addressOf(circumstances, { case: caseId });
}
function addressOf(circumstances, route) {
  const url = circumstances?.reportUrl;
  return url === void 0 ? void 0 : `${url}#${new URLSearchParams(route).toString()}`;
}

// src/report/words/explaining-groups.ts
init_define_builtScripts();
function explainingGroups(run, texts2) {
  const limits = decidingLimits(run);
  const places = new Set(limits.map(metricPlace));
  const worse = worseCases(run).cases.filter(
    ({ changes: [change2], ...one }) => !places.has(metricPlace({ ...one, metric: change2?.metric ?? "" }))
  );
  const beyond = [...Map.groupBy(limits, metricPlace).values()].flatMap(
    (rules) => groupBroken(run, casesBeyond(rules), texts2)
  );
  return [...groupBroken(run, worse, texts2), ...beyond];
}

// src/report/markdown/group-blocks.ts
function explainedGroups(run, { content, broken }) {
  const texts2 = content === "ids" ? broken.map(withoutTexts) : broken;
  const groups = explainingGroups(asExplained(run), texts2);
  const names2 = groups.map((group2) => ruleName(run, { ...group2, slice: null }));
  const isOne = new Set(names2).size === 1;
  return groups.map((group2, i) => ({ group: group2, number: i + 1, place: isOne ? "" : names2[i] ?? "" }));
}
function withoutTexts(one) {
  const { task, candidate, against, metric, caseId, slices } = one;
  const [before, after] = [{ score: one.before.score }, { score: one.after.score }];
  return { task, candidate, metric, caseId, slices, before, after, ...against && { against } };
}
var rowsInSight = 8;
var longestReason = 140;
var idsShown = 3;
function groupsBlock(run, texts2) {
  const groups = explainedGroups(run, texts2).filter(({ group: group2 }) => group2.kind === "broke");
  const block = tableBlock(groups, texts2, { before: "", after: ungroupedWords(run) });
  return { ...block, name: "reasons of broken cases" };
}
function beyondGroupsBlock(run, texts2) {
  const groups = explainedGroups(run, texts2).filter(({ group: group2 }) => group2.kind === "beyond");
  const limits = decidingLimits(asExplained(run));
  const { words: words2, metric } = beyondTitle(run, limits);
  const place2 = metric === "" ? "" : ` in ${inlineCode(clip(metric, 120))}`;
  const [first, ...others] = limits;
  const since = first === void 0 || others.length > 0 ? "" : worseSince(first);
  const before = `${words2}${place2}${since}:

`;
  const block = tableBlock(groups, texts2, { before, after: "" });
  return { ...block, name: "reasons of cases beyond a limit" };
}
function tableBlock(groups, texts2, around) {
  const isTold2 = groups.some(({ group: group2 }) => group2.reason !== void 0);
  const field = onlyField(groups);
  const where = field === void 0 ? "Where" : inlineText(clip(field, longestPlace));
  const heads = ["Cases", isTold2 ? "Why" : "Which", where];
  const rows = renderedOnce(groups, (shown3) => groupRow(shown3, { texts: texts2, field }));
  const tableOf = (some) => table3(heads, "rll", some);
  return {
    rank: 2,
    rows: groups.length,
    render: (shown3) => {
      if (shown3 === 0) return "";
      const all = rows(shown3);
      const folded3 = all.slice(rowsInSight);
      const first = `${around.before}${tableOf(all.slice(0, rowsInSight))}${around.after}`;
      if (folded3.length === 0) return first;
      return `${first}

${details(counted(folded3.length, "more reason"), tableOf(folded3))}`;
    }
  };
}
function ungroupedWords(run) {
  const { cases, total } = worseCases(asExplained(run));
  if (cases.length >= total) return "";
  return `

<sub>The reasons of ${count(cases.length)} of the ${counted(total, "case")} that broke.</sub>`;
}
function onlyField(groups) {
  const fields = new Set(groups.flatMap(({ group: group2 }) => group2.where.map((one) => one.field)));
  return fields.size === 1 ? [...fields][0] : void 0;
}
function groupRow({ group: group2, number: number2, place: place2 }, { texts: texts2, field }) {
  const must = group2.cases.filter(({ mustPass }) => mustPass);
  const reason = group2.reason === void 0 ? idsOf(group2.cases) : inlineText(clip(group2.reason.replaceAll(/\s+/g, " "), longestReason));
  const urgent = must.length === 0 || group2.reason === void 0 ? "" : ` (${idsOf(must)})`;
  const url = groupAddress(texts2, number2);
  return [
    `**${link(count(group2.cases.length), url)}**`,
    `${place2 === "" ? "" : `${inlineCode(place2)}: `}${reason}${urgent}`,
    whereWords(group2, field)
  ];
}
function idsOf(cases) {
  const names2 = cases.slice(0, idsShown).map(({ caseId, mustPass }) => `${mustPass ? "\u26D4 " : ""}${inlineCode(caseId)}`);
  const more = cases.length - names2.length;
  return `${names2.join(", ")}${more > 0 ? ` and ${count(more)} more` : ""}`;
}
var placesShown = 3;
var longestPlace = 60;
function whereWords({ where, cases }, field) {
  const words2 = where.slice(0, placesShown).map((one) => placeWords2(one, cases.length, field));
  return inlineText(words2.join(", "));
}
function placeWords2({ field, value, cases }, of, known3) {
  const name2 = clip(field === known3 ? value : `${field}=${value}`, longestPlace);
  return cases === of ? name2 : `${name2} (${count(cases)})`;
}
var examplesInSight = 5;
function examplesBlock(run, texts2) {
  const find2 = findTexts(texts2.broken);
  const known3 = texts2.content === "ids" ? [] : explainedGroups(run, texts2).flatMap((shown3) => {
    const [first] = shown3.group.cases;
    const found2 = first && find2(first, shown3.group.metric);
    return first && found2 ? [{ shown: shown3, first, found: found2 }] : [];
  });
  const rows = renderedOnce(known3, (one) => example(run, one, texts2));
  return {
    name: "examples of broken cases",
    rank: 3,
    rows: known3.length,
    render: (shown3) => {
      if (shown3 === 0) return "";
      const all = rows(shown3);
      const folded3 = all.slice(examplesInSight);
      const more = folded3.length === 0 ? [] : [details("More examples", folded3.join("\n\n"))];
      return [...goneLine(texts2), ...all.slice(0, examplesInSight), ...more].join("\n\n");
    }
  };
}
function goneLine({ beforeGone }) {
  return beforeGone === void 0 ? [] : [`Only what was answered now: ${inlineText(beforeGone)}.`];
}
function example(run, one, texts2) {
  const { shown: shown3, first, found: found2 } = one;
  const { group: group2 } = shown3;
  const others = group2.cases.slice(1);
  const size3 = others.length === 0 ? "" : ` and ${count(others.length)} more`;
  const must = first.mustPass ? "\u26D4 " : "";
  const why = group2.reason ?? ruleName(run, { ...group2, slice: null });
  const row = found2.row === void 0 ? "" : ` (${htmlText(found2.row)})`;
  const summary2 = `${must}${htmlCode(clip(first.caseId, 120))}${row}${size3} \xB7 ${htmlText(clip(why, longestReason))}`;
  const url = caseAddress(texts2.circumstances, first.caseId);
  return details(
    summary2,
    [
      ...exampleTexts(run, found2, { content: texts2.content, known: group2.reason }),
      ...others.length === 0 ? [] : [`Like it: ${idList(others)}`],
      ...url === void 0 ? [] : [link(`Open ${codeSpan(clip(first.caseId, 80))}`, url)]
    ].join("\n\n")
  );
}
var likeShown = 20;
function idList(cases) {
  const names2 = cases.slice(0, likeShown).map(({ caseId }) => inlineCode(caseId));
  const more = cases.length - names2.length;
  return `${names2.join(", ")}${more > 0 ? ` and ${count(more)} more` : ""}`;
}

// src/report/markdown/judges-block.ts
init_define_builtScripts();

// src/report/words/judges.ts
init_define_builtScripts();
var methods = {
  prediction_powered: "prediction-powered",
  rogan_gladen: "Rogan\u2013Gladen"
};
function judgesOf(run) {
  return (run.judges ?? []).flatMap(
    (one) => one.kind === "calibrated" ? [judgeWords(one, unitOf(run, one))] : []
  );
}
function judgeWords(one, unit) {
  const { task, metric, candidate, judge, corrected, kappa, alpha, agreement, labels } = one;
  return {
    name: `${task}/${metric}`,
    candidate,
    judge: ranged(judge, unit),
    people: corrected === null ? "\u2013" : ranged(corrected, unit),
    method: corrected === null ? "" : methods[corrected.method],
    chance: chanceWords(kappa, alpha),
    alike: `${count(agreement.count)} of ${count(agreement.of)}`,
    labels: counted(labels, "label")
  };
}
function ranged({ value, ci }, unit) {
  return ci === null ? figure(value, unit) : `${figure(value, unit)} (${figureRange(ci, unit)})`;
}
function chanceWords(kappa, alpha) {
  if (kappa !== null) return `kappa ${ranged(kappa, "number")}`;
  return alpha === null ? "" : `alpha ${ranged(alpha, "number")}`;
}
function voidLines({ judges = [] }) {
  return judges.flatMap((one) => one.kind === "void" ? [voidLine(one)] : []);
}
function voidLine({
  task,
  metric,
  labels,
  reason
}) {
  return `${task}/${metric}: the calibration by ${counted(labels, "label")} is void, as ${reason}`;
}
function peopleLines(run) {
  return run.gate.rules.flatMap((rule) => {
    const { people } = rule;
    return people === void 0 ? [] : [peopleLine(run, rule, people)];
  });
}
function peopleLine(run, rule, people) {
  const unit = unitOf(run, rule);
  const { delta, delta_ci: ci, slope, margin } = people;
  const level = rule.ci_level === null ? "" : `${percentName(rule.ci_level)} interval `;
  const range = ci === null ? "" : ` (${level}${differenceRange(ci, unit)})`;
  const seen = `it shows ${ranged(slope, "number")} of a difference`;
  const theirs = delta === null || rule.delta === null ? `the labels don't show that the judge sees a difference as people do (${seen})` : `${difference(rule.delta, unit)} by the judge is ${difference(delta, unit)}${range} in people's scores: ${seen}`;
  const asked = margin === null ? "" : `; no drop of ${distance(rule.limit, unit)} in theirs is none of ${distance(margin, unit)} in its own`;
  return `${ruleName(run, rule)}, ${rule.candidate}: ${theirs}${asked}`;
}

// src/report/markdown/judges-block.ts
var differencesShown = 20;
function judgesBlock(run) {
  const judges = judgesOf(run);
  const isOne = run.candidates.length < 2;
  const heads = ["Metric", "Candidate", "By the judge", "As people would", "Labels", "Agreement"];
  const rows = renderedOnce(judges, (words2) => [
    inlineCode(words2.name),
    isOne ? "" : inlineCode(words2.candidate),
    inlineText(words2.judge),
    words2.method === "" ? "\u2013" : `${inlineText(words2.people)}<br><sub>${words2.method}</sub>`,
    inlineText(words2.labels),
    inlineText([words2.alike, words2.chance].filter((part) => part !== "").join("; "))
  ]);
  const lines = peopleLines(run).map((line) => `- ${inlineText(line)}`);
  const differences = lines.length === 0 ? [] : [lines.slice(0, differencesShown).join("\n")];
  return {
    name: "judges beside people",
    rank: 4,
    rows: judges.length,
    render: (shown3) => shown3 === 0 ? "" : details(
      "The judge beside people",
      [table3(heads, "llrrrl", rows(shown3)), ...differences].join("\n\n")
    )
  };
}
function voidJudgesBlock(run) {
  const lines = renderedOnce(voidLines(run), (line) => `- ${inlineText(line)}`);
  const rows = voidLines(run).length;
  return {
    name: "void calibrations",
    rank: 3,
    rows,
    render: (shown3) => shown3 === 0 ? "" : `**The judge is not calibrated any more**

${lines(shown3).join("\n")}`
  };
}

// src/report/policy.ts
init_define_builtScripts();

// src/model/outcomes/policy.ts
init_define_builtScripts();
function isOfJudged({ part, effect }) {
  return part === "candidates" && effect === "told";
}
var defaultPolicyLabel = "regrade-approved";
function policyLabelOf(gate) {
  return gate === "none" ? defaultPolicyLabel : gate.policy_label ?? defaultPolicyLabel;
}
var ownPolicyFolder = "own-policy";

// src/report/words/compared-rules.ts
init_define_builtScripts();
var limited = {
  max_drop: "largest drop",
  max_rise: "largest rise",
  min: "at least",
  max: "at most",
  must_pass: "cases that must pass"
};
function comparedRules(run) {
  const { base, head } = run.policy ?? {};
  if (!base || !head) return [];
  const keys = [...new Set([...base.rules, ...head.rules].map(keyOf))];
  return keys.flatMap((key) => {
    const [old, own] = [find(base, key), find(head, key)];
    const shown3 = old ?? own;
    if (shown3 === void 0 || isSame2(old, own)) return [];
    const name2 = ruleName(run, shown3);
    return [{ name: name2, limited: limited[shown3.kind], base: sideOf(run, old), own: sideOf(run, own) }];
  });
}
function keyOf({ task, candidate, metric, slice, against, kind }) {
  return JSON.stringify([task, candidate, metric, slice, against, kind]);
}
function find({ rules }, key) {
  return rules.find((rule) => keyOf(rule) === key);
}
function isSame2(one, other) {
  if (one === void 0 || other === void 0) return false;
  return one.limit === other.limit && one.level === other.level && one.outcome === other.outcome;
}
function sideOf(run, rule) {
  if (rule === void 0) return void 0;
  const words2 = ruleWords(run, rule);
  const limit = rule.kind === "must_pass" ? words2.value : limitWords3(run, rule);
  return { mark: words2.mark, limit: `${limit}${levelWords2[rule.level]}` };
}
var levelWords2 = { block: "", warn: " (warns)", info: " (noted)" };
function limitWords3(run, rule) {
  const unit = unitOf(run, rule);
  if (!isRelative(rule)) return figure(rule.limit, unit);
  const size3 = rule.limit === 0 ? "none" : distance(rule.limit, unit);
  return rule.prove === "nothing" ? `${size3}, without proof` : size3;
}

// src/report/policy.ts
var partWords2 = {
  task: "the task",
  dataset: "dataset",
  preprocess: "preprocessor",
  target_template: "target",
  choices: "choices",
  extraction: "extraction",
  grader: "grader",
  judge: "judging models",
  metrics: "metrics",
  repeats: "repeats",
  slices: "slices",
  clusters: "clusters",
  min_cases: "min_cases",
  gate: "gate",
  candidates: "candidates",
  suite: "the suite",
  workflow: "the workflow"
};
var forInformation = "information, not judged";
var effectWords = {
  changed: "changed",
  added: "added to",
  equivalent: "changed, to the same effect",
  told: `changed (for ${forInformation})`
};
function judgingLines(run) {
  const { policy } = run;
  if (policy === void 0) return [];
  const judging = judgingChanges(policy);
  const lines = [
    opening2(policy),
    ...judging.map(changeLine),
    ...judging.length === 0 ? [] : [decisionLine(policy)],
    ...policy.recorded.map((id) => [
      name(id),
      text(" is recorded here, not run: its answers come with the change.")
    ])
  ];
  return lines.filter((words2) => words2.length > 0);
}
var judgedWords = "What is judged: ";
function judgedNotes({ policy }) {
  return policy?.changed.filter(isOfJudged).map(({ note: note3 }) => note3 ?? "") ?? [];
}
function judgingChanges({ changed: changed2 }) {
  return changed2.filter((each) => !isOfJudged(each));
}
function judgedBlock(run) {
  const lines = judgedNotes(run).map((note3) => toMarkdown(quoted3(note3)));
  const begin = `**${judgedWords.trim()}**`;
  return {
    name: "notes on what is judged",
    rank: 2,
    rows: lines.length,
    render: (shown3) => {
      if (shown3 === 0) return "";
      if (lines.length === 1) return `${begin} ${lines[0] ?? ""}`;
      return `${begin}

${lines.slice(0, shown3).map((line) => `- ${line}`).join("\n")}`;
    }
  };
}
function opening2({ source, sha, suite, changed: changed2 }) {
  const commit2 = sha === null ? [] : [text(", commit "), name(sha.slice(0, 12))];
  const from = [text("Policy of "), name(source), ...commit2];
  if (suite === "new")
    return [
      ...from,
      text(": it does not have this suite. A new suite is judged by its own rules.")
    ];
  if (suite === "none")
    return [
      text("The rules are the workflow's inputs. The change's files were compared with "),
      name(source),
      ...commit2,
      text(".")
    ];
  if (changed2.some(({ effect }) => effect === "changed"))
    return [...from, text(": this change alters how it is judged.")];
  return [...from, text(": this change does not alter how it is judged.")];
}
function changeLine({ part, task, effect, note: note3 }) {
  const where = task === null ? [] : [name(task), text(": ")];
  if (effect === "told" && part !== "workflow" && note3 !== null)
    return [
      ...where,
      text(`${task === null ? "For" : "for"} ${forInformation}: `),
      ...quoted3(note3)
    ];
  const what = `${partWords2[part]} ${effectWords[effect]}`;
  if (note3 === null) return [...where, text(`${what}.`)];
  return [...where, text(`${what}: `), ...quoted3(note3)];
}
function decisionLine(policy) {
  if (policy === void 0) return [];
  const { base, head, decided_by, changed: changed2 } = policy;
  if (base === null) return [];
  if (head === null) return [text(`Judged by the base's policy alone: ${base.verdict}.`)];
  const both = `By the base's policy: ${base.verdict}; by its own: ${head.verdict}.`;
  return [text(`${both} ${decidedWords(decided_by, changed2)}`)];
}
function decidedWords(by, changed2) {
  const isHarmless = changed2.every(({ effect }) => effect !== "changed");
  if (by === "both") return "They agree.";
  if (by === "approval") return "The change of the rules was approved: its own decides.";
  if (isHarmless) return "The base's decides: nothing of it was changed that would loosen it.";
  return by === "base" ? "The stricter one decides: the base's." : "The stricter one decides: its own.";
}
var heading = ["Judged by", "Verdict", "Why"];
function policyBlock(run) {
  const told = isAltered(run.policy) ? judgingLines(run).slice(1) : judgingLines(run);
  const lines = [...told, ...approvalLines(run)].filter((words2) => words2.length > 0);
  const rows = renderedOnce(lines, (words2) => `- ${toMarkdown(words2)}`);
  const verdicts = run.policy === void 0 ? "" : verdictTable(run.policy);
  const rules = rulesSideBySide(run);
  return {
    name: "notes on the policy",
    rank: 2,
    rows: lines.length,
    render: (shown3) => {
      if (shown3 === 0) return "";
      const list = `${title(run.policy)}

${rows(shown3).join("\n")}`;
      if (shown3 < lines.length) return list;
      return [list, rules === "" ? verdicts : rules].filter((part) => part !== "").join("\n\n");
    }
  };
}
function policyMatters({ policy }) {
  if (policy === void 0) return false;
  return judgingChanges(policy).length > 0 || policy.suite === "new" || policy.recorded.length > 0;
}
function title(policy) {
  return isAltered(policy) ? "**\u26A0\uFE0F This change alters how it is judged**" : "**Policy**";
}
function isAltered(policy) {
  return policy?.changed.some(({ effect }) => effect === "changed") === true;
}
var green = ["pass", "neutral"];
function approvalLines({ policy, suite }) {
  if (policy?.decided_by !== "base" || !isAltered(policy)) return [];
  if (policy.head !== null && !green.includes(policy.head.verdict)) return [];
  const gate = suite.gate === "none" ? {} : suite.gate;
  const label = [text("Not approved: the label "), name(policyLabelOf(suite.gate))];
  return [[...label, text(` lets the change's own rules decide, ${whoseLabel(gate.approvers)}.`)]];
}
function whoseLabel(approvers = "others") {
  return approvers === "writers" ? "put on by someone with write access" : "put on by someone with write access who has neither opened this pull request nor pushed to it";
}
function verdictTable({ source, base, head, decided_by: by }) {
  if (base === null || head === null) return "";
  const row = (side, result) => {
    const decides = by === side || by === "both" || by === "approval" && side === "head";
    const whose = side === "base" ? `the base's rules (${inlineText(source)})` : "the change's own rules";
    return [
      decides ? `${whose}<br><sub>decides</sub>` : whose,
      `${verdictMarks[result.verdict]} **${result.verdict}**`,
      result.reasons.slice(0, 3).map((reason) => toMarkdown(quoted3(reason))).join("<br>")
    ];
  };
  return table3(heading, "lll", [row("base", base), row("head", head)]);
}
var rulesShown = 12;
function rulesSideBySide(run) {
  const { base, head, source = "" } = run.policy ?? {};
  const rules = comparedRules(run);
  if (!base || !head || rules.length === 0) return "";
  const rows = rules.map(({ name: rule, limited: limited2, base: old, own }) => [
    `${inlineCode(withoutTask(run, rule))}, ${limited2}`,
    old === void 0 ? "none" : `${old.mark} ${inlineText(old.limit)}`,
    own === void 0 ? "**gone**" : `${own.mark} ${inlineText(own.limit)}`
  ]);
  const heads = [
    "Rule",
    `${inlineText(source)}: ${verdictMarks[base.verdict]} ${base.verdict}`,
    `this change: ${verdictMarks[head.verdict]} ${head.verdict}`
  ];
  const more = rows.length > rulesShown ? `

And ${rows.length - rulesShown} more rules.` : "";
  return `${table3(heads, "lll", rows.slice(0, rulesShown))}${more}`;
}
function withoutTask({ suite }, named) {
  const [task, ...others] = Object.keys(suite.tasks);
  const start = `${task ?? ""}/`;
  return others.length === 0 && named.startsWith(start) ? named.slice(start.length) : named;
}

// src/report/markdown/story.ts
function storyOf(input) {
  const { run, content, broken = [], errors = [], beforeGone, circumstances } = input;
  const texts2 = { content, broken, beforeGone, circumstances };
  const { isQuiet } = headlineOf(run, circumstances);
  const isUnsure = run.gate.verdict === "error" || run.gate.verdict === "inconclusive";
  const isReachTold = !isQuiet && run.gate.verdict !== "fail";
  const wentWrong = errorsBlock(errors, content);
  return {
    inSight: [
      ...isQuiet ? [] : loudBlocks(run, texts2),
      ...isUnsure ? [wentWrong] : [],
      ...policyMatters(run) ? [policyBlock(run)] : [],
      judgedBlock(run),
      diagnosesBlock(run, content),
      voidJudgesBlock(run),
      ...isReachTold ? [reachBlock(run)] : []
    ],
    further: [
      ...isReachTold ? [] : [reachBlock(run)],
      gateBlock(run, circumstances),
      countsBlock(run),
      brokenBlock(run, texts2),
      textsBlock(run, texts2),
      beyondBlock(run, texts2),
      fixedBlock(run),
      failingBlock(run, circumstances),
      ...isUnsure ? [] : [wentWrong],
      judgesBlock(run),
      metricsBlock(run),
      slicesBlock(run),
      ledgerBlock(run),
      baselineBlock(run),
      environmentBlock(run)
    ],
    after: [acceptBlock(run, circumstances), originBlock(run, circumstances)]
  };
}
function loudBlocks(run, texts2) {
  return [
    linksBlock(run, texts2.circumstances),
    groupsBlock(run, texts2),
    beyondGroupsBlock(run, texts2),
    examplesBlock(run, texts2),
    showBlock(run, texts2),
    metricsInSight(run)
  ];
}
function single2(of, lines) {
  const text3 = lines.join("\n\n");
  return { ...of, rows: text3 === "" ? 0 : 1, render: (rows) => rows === 0 ? "" : text3 };
}
function countsBlock(run) {
  return single2({ name: "counts", rank: 1 }, [factsLine(run)]);
}
function showBlock(run, { circumstances }) {
  const isKnown2 = circumstances !== void 0 && circumstances.reportUrl === void 0;
  return single2({ name: "the command", rank: 1 }, isKnown2 ? showLine(run, circumstances) : []);
}
function acceptBlock(run, circumstances) {
  const line = acceptLine(run, circumstances);
  return single2({ name: "the label", rank: 1 }, line === void 0 ? [] : [toMarkdown(line)]);
}
function originBlock(run, circumstances) {
  const policy = policyMatters(run) ? [] : judgingLines(run).map(toMarkdown);
  const again = run.confirmation ? confirmLines(run.confirmation).map((line) => toMarkdown(quoted3(line))) : [];
  const lines = [baselineLine(run, circumstances), ...again, ...policy];
  return single2({ name: "the baseline", rank: 0 }, [`<sub>${lines.join("<br>")}</sub>`]);
}
function linksBlock(run, circumstances) {
  const { reportUrl, runUrl } = circumstances ?? {};
  const explained = asExplained(run);
  const { total } = worseCases(explained);
  const beyond = countBeyond(decidingLimits(explained));
  const that = beyond === 0 ? "" : " that broke";
  const links = [
    ...reportUrl === void 0 ? [] : [`**${link("Open the report", reportUrl)}**`],
    ...total === 0 ? [] : [link(`${those(total)}${that}`, brokenAddress(circumstances))],
    ...beyond === 0 ? [] : [link(`${those(beyond)} beyond the limit`, beyondAddress(circumstances))],
    ...runUrl === void 0 ? [] : [link("job log", runUrl)]
  ];
  const isShown = reportUrl !== void 0;
  return {
    name: "links",
    rank: 1,
    rows: isShown ? 1 : 0,
    render: (rows) => rows === 0 ? "" : links.join(" \xB7 ")
  };
}
function showLine(run, { runId, severalSuites }) {
  const [broken] = changedGroups(run, "broke").flatMap(({ cases }) => cases);
  const [beyond] = decidingLimits(run).flatMap((rule) => rule.beyond.cases);
  const id = (broken ?? beyond)?.case_id;
  if (id === void 0) return [];
  const word = `${id.startsWith("-") ? "-- " : ""}${quoteWord(id)}`;
  const suite = severalSuites === true ? `--suite ${quoteWord(run.suite.name)} ` : "";
  return [`Look into a case: ${codeSpan(`regrade show ${suite}${runId} ${word}`)}`];
}
function those(cases) {
  return cases === 1 ? "the case" : `the ${counted(cases, "case")}`;
}

// src/report/comment.ts
function headlineOfView(view) {
  return view.kind === "run" ? headlineOf(view.run, view.circumstances) : headlineOfNoRun(view.suite, view.reason, view.circumstances);
}
function noRunBlocks(reason) {
  return reason.kind === "refused" ? [problemsBlock(reason.problems)] : [];
}

// src/report/check.ts
var checkLimitBytes = 65e3;
var longestTitle2 = 140;
var longestBranch = 40;
function renderCheck(view, limitBytes = checkLimitBytes) {
  const headline = headlineOfView(view);
  const heads = [
    opening(headline, { lines: true }),
    opening(headline, { lines: false }),
    shortest(headline)
  ];
  const [shown3, further] = view.kind === "run" ? runBlocks(view) : [noRunBlocks(view.reason), []];
  const summary2 = { heads, blocks: shown3, tail: footer(view.circumstances), elsewhere };
  return {
    title: titleOf(headline, view.circumstances),
    summary: fit(summary2, limitBytes).trimEnd(),
    text: fit({ heads: [""], blocks: further, elsewhere }, limitBytes).trim(),
    annotations: annotationsOf(view)
  };
}
var elsewhere = "the job summary and the artifact";
function runBlocks(view) {
  const { inSight: inSight2, further, after } = storyOf(view);
  return [[...inSight2, ...after], further];
}
function titleOf({ title: title2, sentence: sentence2 }, { judgedAgainst: base }) {
  const words2 = sentence2.map((piece) => piece.text).join("");
  const against = base === void 0 ? "" : `, against ${clip(base, longestBranch)}`;
  const whole = clip(`${title2}${against}: ${words2}`, longestTitle2);
  return escapeLogLine(whole).slice(0, 2 * longestTitle2);
}

// src/github/steps/circumstances.ts
init_define_builtScripts();
var import_node_fs = require("node:fs");
var import_node_path2 = require("node:path");

// src/github/runner/context.ts
init_define_builtScripts();
function readContext(env, payload) {
  const body = isJsonObject(payload) ? payload : {};
  const own = object(body["repository"]);
  const pull2 = readPull(object(body["pull_request"]), own, isRetargeted(body));
  const mergeGroup = readMergeGroup(object(body["merge_group"]));
  const upstream = readUpstream(object(body["workflow_run"]));
  const sha = text2(env["GITHUB_SHA"]);
  const actor = text2(env["GITHUB_ACTOR"]) ?? "";
  const repository = readRepository(env);
  return {
    event: text2(env["GITHUB_EVENT_NAME"]) ?? "",
    repository: repository && { ...repository, id: number(own["id"]) },
    pull: pull2,
    mergeGroup,
    upstream,
    before: commit(body["before"]),
    sha,
    ref: text2(env["GITHUB_REF"]),
    checkSha: pull2?.headSha ?? mergeGroup?.headSha ?? upstream?.headSha ?? sha,
    defaultBranch: text2(own["default_branch"]),
    workflow: { name: text2(env["GITHUB_WORKFLOW"]) ?? "evals", path: workflowPath(env) },
    ...readRun(env),
    isDependabot: actor === dependabot || pull2?.author === dependabot
  };
}
function readRepository(env) {
  const [owner, repo, ...rest] = (env["GITHUB_REPOSITORY"] ?? "").split("/");
  return owner && repo && rest.length === 0 ? { owner, repo } : void 0;
}
function changeOf({
  pull: pull2,
  mergeGroup
}) {
  return pull2 ?? mergeGroup;
}
var dependabot = "dependabot[bot]";
function readRun(env) {
  const runId = env["GITHUB_RUN_ID"] ?? "";
  const serverUrl = env["GITHUB_SERVER_URL"] || "https://github.com";
  const repository = env["GITHUB_REPOSITORY"];
  return {
    runId,
    attempt: Number(env["GITHUB_RUN_ATTEMPT"]) || 1,
    job: env["GITHUB_JOB"] ?? "",
    serverUrl,
    runUrl: repository && runId ? `${serverUrl}/${repository}/actions/runs/${runId}` : void 0
  };
}
function workflowPath(env) {
  const [, path] = /^[^/]+\/[^/]+\/(\.github\/workflows\/[^@]+)@/.exec(env["GITHUB_WORKFLOW_REF"] ?? "") ?? [];
  return path;
}
function isRetargeted({ action, changes }) {
  return action === "edited" && object(changes)["base"] !== void 0;
}
function readPull(pull2, repository, retargeted) {
  const head = object(pull2["head"]);
  const base = object(pull2["base"]);
  const found2 = number(pull2["number"]);
  const [headSha, baseSha] = [text2(head["sha"]), text2(base["sha"])];
  if (found2 === void 0 || headSha === void 0 || baseSha === void 0) return void 0;
  const headRepo = object(head["repo"]);
  const ours = object(base["repo"])["id"] ?? repository["id"];
  return {
    number: found2,
    headSha,
    headRef: text2(head["ref"]) ?? "",
    headRepo: text2(headRepo["full_name"]),
    baseSha,
    baseRef: text2(base["ref"]) ?? "",
    // Two unknown repositories are not the same.
    isFork: headRepo["id"] === void 0 || headRepo["id"] !== ours,
    labels: labelsOf(pull2["labels"]),
    author: text2(object(pull2["user"])["login"]) ?? "",
    isRetargeted: retargeted
  };
}
function labelsOf(labels) {
  if (!Array.isArray(labels)) return [];
  return labels.flatMap((label) => text2(object(label)["name"]) ?? []);
}
function readMergeGroup(group2) {
  const [headSha, baseSha] = [text2(group2["head_sha"]), text2(group2["base_sha"])];
  if (headSha === void 0 || baseSha === void 0) return void 0;
  const baseRef = (text2(group2["base_ref"]) ?? "").replace(/^refs\/heads\//, "");
  return { headSha, baseSha, baseRef };
}
function readUpstream(run) {
  const [runId, headSha] = [number(run["id"]), text2(run["head_sha"])];
  if (runId === void 0 || headSha === void 0) return void 0;
  return { runId: String(runId), headSha };
}
function commit(value) {
  const sha = text2(value);
  return sha === void 0 || /^0+$/.test(sha) ? void 0 : sha;
}
function object(value) {
  return isJsonObject(value) ? value : {};
}
function text2(value) {
  return typeof value === "string" && value !== "" ? value : void 0;
}
function number(value) {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : void 0;
}

// src/github/runner/log.ts
init_define_builtScripts();
var import_node_crypto = require("node:crypto");
var import_node_path = require("node:path");
function createLog({ escape, workspace }) {
  const annotate = (write, { title: title2, message, place: place2 }) => {
    write(escape(message), { title: escape(title2), ...annotationPlace(place2, workspace) });
  };
  return {
    info: (text3) => info(escape(text3)),
    quote: (text3) => info(quoted4(escape(text3))),
    error: (note3) => annotate(error, note3),
    warning: (note3) => annotate(warning, note3),
    notice: (note3) => annotate(notice, note3),
    group: async (title2, work) => group(escape(title2).replaceAll("\n", " "), work)
  };
}
function quoted4(text3) {
  const token = (0, import_node_crypto.randomUUID)();
  return `::stop-commands::${token}
${text3}
::${token}::`;
}
function noteOf({ message, hint, place: place2 }, title2 = "Regrade") {
  const where = place2?.path === void 0 || place2.path === "" ? "" : `${place2.path}: `;
  const advice2 = hint === void 0 ? "" : `
${hint}`;
  return { title: title2, message: `${where}${message}${advice2}`, place: place2 };
}
function annotationPlace(place2, workspace) {
  if (place2 === void 0) return {};
  const path = (0, import_node_path.relative)(workspace, (0, import_node_path.resolve)(place2.file));
  if (path === "" || path === ".." || path.startsWith(`..${import_node_path.sep}`) || (0, import_node_path.resolve)(path) === path)
    return {};
  return {
    file: path.replaceAll(import_node_path.sep, "/"),
    ...place2.line === void 0 ? {} : { startLine: place2.line },
    ...place2.column === void 0 ? {} : { startColumn: place2.column }
  };
}

// src/github/steps/circumstances.ts
function circumstancesOf(end, context, known3) {
  const { runId, attempt: attempt2, checkSha = "", runUrl, repository, serverUrl } = context;
  const { artifactId, pageId, severalSuites, isUploading } = known3;
  const baseBranch = baseBranchOf(context);
  return {
    runId,
    attempt: attempt2,
    sha: checkSha,
    ...severalSuites && { severalSuites },
    ...baseBranch !== void 0 && { baseBranch },
    ...changeOf(context) && { judgedAgainst: baseBranch },
    ...runUrl !== void 0 && { runUrl },
    ...runUrl !== void 0 && artifactId !== void 0 && { artifactUrl: `${runUrl}/artifacts/${artifactId}` },
    ...runUrl !== void 0 && pageId !== void 0 && { reportUrl: `${runUrl}/artifacts/${pageId}` },
    ...isUploading === true && { isUploading },
    ...repository && { repositoryUrl: `${serverUrl}/${repository.owner}/${repository.repo}` },
    ...end.kind === "finished" && ofRun(end, known3)
  };
}
function baseBranchOf(context) {
  const { ref } = context;
  const own = ref?.startsWith("refs/heads/") === true ? ref.slice("refs/heads/".length) : void 0;
  return changeOf(context)?.baseRef || own;
}
function ofRun({ baseline, place: place2, run }, { failOn, workspace }) {
  return {
    ...failOn?.includes(run.gate.verdict) === false && { isReportedOnly: true },
    ...baseline.kind === "none" && { noBaseline: baseline.reason, isFirst: baseline.isFirst },
    ...workspace !== "" && { hasFile: (path) => (0, import_node_fs.existsSync)((0, import_node_path2.join)(workspace, path)) },
    locate: (path) => {
      const found2 = place2(path);
      return { ...found2, file: annotationPlace(found2, workspace).file ?? found2.file };
    }
  };
}

// src/github/steps/resume.ts
init_define_builtScripts();

// src/github/artifacts/attempts.ts
init_define_builtScripts();
var import_promises = require("node:fs/promises");
var import_node_path3 = require("node:path");

// src/github/artifacts/artifact.ts
init_define_builtScripts();

// src/github/artifacts/run-artifacts.ts
init_define_builtScripts();
var import_node_crypto3 = require("node:crypto");

// src/github/artifacts/artifact-names.ts
init_define_builtScripts();

// src/github/runner/suite-names.ts
init_define_builtScripts();
function slug(name2) {
  const plain2 = name2.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  return plain2 === "" ? "suite" : plain2.slice(0, 100);
}

// src/github/artifacts/artifact-names.ts
var keyPattern = "[0-9a-f]{10}-[0-9a-f]{10}-[0-9a-f]{10}";
var withKey = new RegExp(`^regrade-([A-Za-z0-9._-]+)~scores-(${keyPattern})(?:-\\d+)?$`);

// src/github/runner/run-key.ts
init_define_builtScripts();
var import_node_crypto2 = require("node:crypto");

// src/base/slashes.ts
init_define_builtScripts();

// src/github/runner/run-key.ts
function readJobKey(env) {
  return { job: shortened2(env["GITHUB_JOB"] ?? ""), leg: readLeg(env["INPUT_LEG"] ?? "") };
}
function readLeg(text3) {
  const trimmed = text3.trim();
  const value = jsonIn(trimmed);
  if (value === null) return "";
  if (!isJsonObject(value)) return shortened2(trimmed.replaceAll(/\s+/g, " "));
  return Object.keys(value).length === 0 ? "" : shortened2(canonicalJson(value));
}
var mostCharacters = 1e3;
function shortened2(text3) {
  if (text3.length <= mostCharacters) return text3;
  return `${cutText(text3, 200)}\u2026 sha256:${(0, import_node_crypto2.createHash)("sha256").update(text3).digest("hex")}`;
}

// src/github/artifacts/run-artifacts.ts
var attemptPrefix = "regrade-attempt~";
function attemptArtifact({ manifest, shard }, env) {
  const { job, leg } = readJobKey(env);
  const identity = JSON.stringify([job, env["GITHUB_ACTION"] ?? "", leg, manifest]);
  const hash = (0, import_node_crypto3.createHash)("sha256").update(identity).digest("hex").slice(0, 12);
  return `${attemptPrefix}${slug(manifest).slice(-60)}-${hash}${partName(shard)}`;
}
var nameOfRun = new RegExp(
  `^regrade-([A-Za-z0-9._-]+?)(?:(~shard-\\d+-of-\\d+(?:-\\d+)?)|(~${keyPattern}(?:-\\d+)?))?$`
);
function partName(shard) {
  return shard === void 0 ? "" : `~shard-${shardText(shard).replace("/", "-of-")}`;
}

// src/github/artifacts/artifact.ts
var mostNames = 256;
var longestMilliseconds = 20 * 6e4;
function openDeadline(milliseconds = longestMilliseconds) {
  return { passed: AbortSignal.timeout(milliseconds), minutes: milliseconds / 6e4 };
}
function hasArtifactService(env) {
  return Boolean(env["ACTIONS_RUNTIME_TOKEN"]) && Boolean(env["ACTIONS_RESULTS_URL"]);
}
function uploadFiles(request) {
  return withinTime(request, () => upload(request));
}
async function withinTime({ name: name2, signal, deadline }, work) {
  const watch = new AbortController();
  const late = { kind: "late", name: name2, minutes: deadline.minutes };
  const ended = new Promise((tell) => {
    const until = { signal: watch.signal };
    signal.addEventListener("abort", () => tell({ kind: "cancelled" }), until);
    deadline.passed.addEventListener("abort", () => tell(late), until);
  });
  try {
    if (signal.aborted) return { kind: "cancelled" };
    if (deadline.passed.aborted) return late;
    return await Promise.race([ended, work()]);
  } catch (cause) {
    return { kind: "failed", name: name2, reason: cause instanceof Error ? cause.message : String(cause) };
  } finally {
    watch.abort();
  }
}
async function upload(request) {
  const { DefaultArtifactClient } = await Promise.resolve().then(() => __toESM(require("./artifact-client.mjs"), 1));
  const client = new DefaultArtifactClient();
  for (let count3 = 1; ; count3 += 1) {
    const tried = await tryName(client, { ...request, name: nameOf2(request, count3) });
    if (tried.kind === "uploaded" || count3 === mostNames) return tried;
  }
}
function nameOf2({ name: name2, otherwise }, count3) {
  if (count3 === 1) return name2;
  if (otherwise === void 0) return `${name2}-${count3}`;
  return count3 === 2 ? otherwise : `${otherwise}-${count3 - 1}`;
}
async function tryName(client, { name: name2, files, directory, retentionDays, isRaw = false }) {
  try {
    const options = { retentionDays, ...isRaw && { skipArchive: true } };
    const { id } = await client.uploadArtifact(name2, [...files], directory, options);
    if (id === void 0) throw new Error("the service gave no id");
    return { kind: "uploaded", id, name: name2 };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (!/\(409\)/.test(reason)) throw cause;
    return { kind: "failed", name: name2, reason };
  }
}

// src/github/artifacts/attempts.ts
var state = "regrade-runs";
var keptState = "regrade-runs-kept";
var keptDays = 14;
async function keepAttempt(run, {
  env,
  signal,
  deadline
}) {
  const files = await journalsIn(run.out);
  if (files.length === 0) return void 0;
  const name2 = attemptName(run, env);
  return uploadFiles({
    name: name2,
    files,
    directory: run.out,
    retentionDays: keptDays,
    signal,
    deadline
  });
}
function attemptName(run, env) {
  return `${attemptArtifact(run, env)}~${attemptOf(env)}`;
}
async function keepAttempts(env, signal) {
  const kept = [];
  const problems = [];
  const late = [];
  const deadline = openDeadline();
  const before = readNames(env[`STATE_${keptState}`]);
  const runs = readNoted(env[`STATE_${state}`]).filter(
    (run) => !before.includes(attemptName(run, env))
  );
  for (const run of hasArtifactService(env) ? runs : []) {
    const end = await keepAttempt(run, { env, signal, deadline });
    const artifact = attemptName(run, env);
    if (end?.kind === "uploaded")
      kept.push({ manifest: run.manifest, artifact, isWhole: await isWhole(run.out) });
    if (end?.kind === "failed") problems.push(problem("artifact_failed", end));
    if (end?.kind === "late") late.push(artifact);
  }
  if (late.length > 0)
    problems.push(problem("artifacts_late", { names: late, minutes: deadline.minutes }));
  return { kept, problems };
}
function attemptOf(env) {
  const text3 = env["GITHUB_RUN_ATTEMPT"] ?? "";
  return /^\d{1,6}$/.test(text3) ? Math.max(1, Number(text3)) : 1;
}
function readNames(text3) {
  const names2 = JSON.parse(text3 || "[]");
  return Array.isArray(names2) ? names2 : [];
}
function readNoted(text3) {
  const noted = JSON.parse(text3 || "[]");
  if (!Array.isArray(noted)) return [];
  return noted.flatMap((one) => {
    if (!Array.isArray(one)) return [];
    const [manifest, out, shard] = one;
    if (typeof manifest !== "string" || typeof out !== "string") return [];
    return [{ manifest, out, shard: typeof shard === "string" ? readShard(shard) : void 0 }];
  });
}
async function isWhole(out) {
  const text3 = await (0, import_promises.readFile)((0, import_node_path3.join)(out, "run.json"), "utf8").catch(() => "{}");
  return jsonObjectIn(text3)?.["status"] === "completed";
}
var journals = /* @__PURE__ */ new Set(["run.json", "samples.jsonl", "generated.jsonl"]);
async function journalsIn(out) {
  const entries = await (0, import_promises.readdir)(out, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && journals.has(entry.name)).map((entry) => (0, import_node_path3.join)(entry.parentPath, entry.name)).filter((file) => (0, import_node_path3.dirname)(file) === out || (0, import_node_path3.basename)((0, import_node_path3.dirname)(file)) === ownPolicyFolder);
  const sizes = await Promise.all(files.map((file) => (0, import_promises.stat)(file)));
  const hasSamples = files.some(
    (file, i) => !file.endsWith("run.json") && (sizes[i]?.size ?? 0) > 0
  );
  return hasSamples ? files.toSorted() : [];
}

// src/github/artifacts/earlier-attempts.ts
init_define_builtScripts();

// src/github/runner/events.ts
init_define_builtScripts();
var pull = { bringsChange: true, basePath: ["pull_request", "base", "sha"] };
var events = {
  pull_request: { ...pull, isMerged: true, readsOnly: true },
  pull_request_target: pull,
  pull_request_review: { ...pull, isMerged: true, readsOnly: true },
  pull_request_review_comment: { ...pull, isMerged: true, readsOnly: true },
  merge_group: {
    bringsChange: true,
    basePath: ["merge_group", "base_sha"],
    // A queue's branches are called `gh-readonly-queue/main/pr-7-<sha>`; a merged group is on the branch itself.
    baselines: {
      listedOf: () => [void 0],
      prefixOf: queuePrefix
    }
  },
  schedule: { baselines: { listedOf: (base, [further]) => [further ?? base] } },
  workflow_dispatch: { baselines: { listedOf: (base) => [base] } },
  push: {
    basePath: ["before"],
    followsBefore: true,
    mayReuse: true,
    baselines: { listedOf: (base, further) => [base, ...further] }
  }
};
function traitsOf(event) {
  return ownValue(events, event) ?? {};
}
function queuePrefix(branch) {
  return `gh-readonly-queue/${branch}/`;
}

// src/github/artifacts/own-artifacts.ts
init_define_builtScripts();

// src/github/api/wait-budget.ts
init_define_builtScripts();
var import_node_async_hooks = require("node:async_hooks");
var longestWaitSeconds = { decide: 600, tell: 60 };
function createWaitBudget({ retryMilliseconds }) {
  const counts = { decide: createCount(), tell: createCount() };
  const now = () => performance.now() / retryMilliseconds;
  const left = (purpose) => Math.max(0, longestWaitSeconds[purpose] - counts[purpose].seconds);
  return {
    left,
    mayWait: (purpose, seconds) => {
      const from = now();
      const added = uncounted(counts[purpose], from, from + seconds);
      if (added > left(purpose) + roundingSeconds) return false;
      count2(counts[purpose], from, from + seconds);
      return true;
    },
    waited: (purpose, seconds) => {
      const to = now();
      count2(counts[purpose], to - seconds, to);
    }
  };
}
var roundingSeconds = 1e-3;
function createCount() {
  return { seconds: 0, until: -Infinity };
}
function uncounted({ until }, from, to) {
  return Math.max(0, to - Math.max(from, until));
}
function count2(known3, from, to) {
  known3.seconds += uncounted(known3, from, to);
  known3.until = Math.max(known3.until, to);
}
var purposes = new import_node_async_hooks.AsyncLocalStorage();
function withPurpose(purpose, work) {
  return purposes.run(purpose, work);
}
function currentPurpose() {
  return purposes.getStore() ?? "tell";
}

// src/github/artifacts/unzip.ts
init_define_builtScripts();

// src/github/steps/resume.ts
async function leaveAttempt({ env, log, signal }) {
  const { kept, problems } = await keepAttempts(env, signal);
  for (const found2 of problems) log.warning(noteOf(found2));
  for (const { manifest, artifact, isWhole: isWhole2 } of kept)
    log.info(
      isWhole2 ? `${manifest}: a re-run of this job adds its samples to those in ${artifact}.` : `${manifest} was stopped before its end. "Re-run failed jobs" goes on from ${artifact}.`
    );
}

// src/github/steps/step.ts
init_define_builtScripts();

// src/github/api/github.ts
init_define_builtScripts();

// src/github/api/traffic.ts
init_define_builtScripts();
var retries = 2;
var doNotRetry = [400, 401, 403, 404, 409, 410, 422, 429, 451];
var usualTimeoutSeconds = 15;
var briefTimeoutSeconds = 5;
var promptSeconds = 2;
var mostWaits = 10;
function createGitHubTraffic(options) {
  const waitBudget = createWaitBudget(options.pace);
  const state2 = { ...options, waitBudget, down: /* @__PURE__ */ new Set(), count: 0 };
  return {
    count: () => state2.count,
    waited: (seconds) => waitBudget.waited("tell", seconds),
    wentDown: (purpose) => void state2.down.add(purpose),
    mayWait: (seconds, ...[call, , waits]) => waits < mostWaits && mayWait(seconds, purposeOf(call), state2),
    calls: ({ hook }) => {
      hook.before("request", ({ request }) => {
        request["purpose"] = currentPurpose();
      });
      return {};
    },
    tries: ({ hook }) => {
      hook.wrap("request", (request, call) => tryOnce(async () => request(call), call, state2));
      return {};
    }
  };
}
function mayWait(seconds, purpose, { signal, waitBudget, warn }) {
  if (signal.aborted) return false;
  const isGranted = waitBudget.mayWait(purpose, seconds);
  const found2 = { seconds, most: longestWaitSeconds[purpose] };
  warn(isGranted ? problem("github_waits", found2) : problem("github_waits_no_more", found2));
  return isGranted;
}
async function tryOnce(request, call, state2) {
  const { waitBudget, pace } = state2;
  const purpose = purposeOf(call);
  const isDown = state2.down.has(purpose);
  if (isDown && waitBudget.left(purpose) === 0) throw givenUp(purpose);
  state2.count += 1;
  if (isDown) call.request["retries"] = 0;
  const seconds = secondsFor(call, state2);
  const timeout = AbortSignal.timeout(Math.ceil(pace.timeoutSeconds(seconds) * 1e3));
  call.request["signal"] = timeout;
  const from = performance.now();
  try {
    const response = await request();
    refuseText(response, call);
    return response;
  } catch (cause) {
    if (timeout.aborted) waitBudget.waited(purpose, seconds);
    if (!mayTryAgain(cause, call, waitBudget)) call.request["retries"] = 0;
    throw cause;
  } finally {
    const late = (performance.now() - from) / 1e3 - promptSeconds;
    if (purpose === "tell" && late > 0 && !timeout.aborted) waitBudget.waited(purpose, late);
  }
}
function purposeOf(call) {
  const request = "request" in call ? call.request : void 0;
  const isObject = typeof request === "object" && request !== null;
  return isObject && "purpose" in request && request.purpose === "decide" ? "decide" : "tell";
}
function secondsFor(call, { down, waitBudget, timeoutSeconds = usualTimeoutSeconds }) {
  const purpose = purposeOf(call);
  const usual = numberOr(call.request["timeoutSeconds"], timeoutSeconds);
  const most = down.has(purpose) ? Math.min(briefTimeoutSeconds, usual) : usual;
  return Math.min(most, Math.max(waitBudget.left(purpose), promptSeconds));
}
function mayTryAgain(cause, { request }, waitBudget) {
  const status = cause instanceof Error && "status" in cause && typeof cause.status === "number" ? cause.status : 0;
  if (status < 400 || doNotRetry.includes(status)) return true;
  const tried = numberOr(request["retryCount"], 0);
  if (tried >= numberOr(request["retries"], retries)) return true;
  return waitBudget.mayWait(purposeOf({ request }), (tried + 1) ** 2);
}
function numberOr(value, otherwise) {
  return typeof value === "number" ? value : otherwise;
}
function givenUp(purpose) {
  const most = longestWaitSeconds[purpose];
  const message = `it has not answered, and all calls together have waited ${most} s for it`;
  return Object.assign(new Error(message), { status: 503 });
}
function refuseText({ data }, request) {
  if (typeof data !== "string" || data === "") return;
  const error2 = new Error("what answered is not GitHub's API");
  throw Object.assign(error2, {
    name: "HttpError",
    status: 502,
    request,
    response: { headers: {} }
  });
}

// src/github/api/github.ts
async function openGitHub(options) {
  const { getOctokit, retry, throttling, createWriteQueue } = await Promise.resolve().then(() => __toESM(require("./octokit.mjs"), 1));
  const pace = githubPace(options.env);
  const traffic = createGitHubTraffic({ ...options, pace, timeoutSeconds: options.timeoutSeconds });
  const octokit = getOctokit(
    options.token,
    {
      userAgent: "regrade",
      baseUrl: options.env["GITHUB_API_URL"] || "https://api.github.com",
      log: { debug: noop, info: noop, warn: noop, error: noop },
      retry: { retries, retryAfterBaseValue: pace.retryMilliseconds, doNotRetry },
      throttle: {
        // GitHub counts limits for each token, and so does the pause between writes.
        id: options.token,
        retryAfterBaseValue: pace.retryMilliseconds,
        onRateLimit: traffic.mayWait,
        onSecondaryRateLimit: traffic.mayWait,
        ...pace.writes && {
          write: createWriteQueue("write", pace.writes.each),
          notifications: createWriteQueue("notifications", pace.writes.notifying)
        }
      }
    },
    traffic.tries,
    retry,
    throttling,
    traffic.calls
  );
  return {
    request: octokit.request,
    paginate: octokit.paginate,
    graphql: octokit.graphql,
    repository: options.repository,
    calls: traffic.count,
    waited: traffic.waited,
    attempt: (doing2, work) => attempt({ doing: doing2, signal: options.signal, traffic }, work)
  };
}
function noop() {
}
async function attempt({ doing: doing2, signal, traffic }, work) {
  const purpose = doing2.decides === true ? "decide" : "tell";
  const cancelled2 = doing2.forTheEnd === true ? never() : whenAborted(signal);
  try {
    if (doing2.forTheEnd !== true) signal.throwIfAborted();
    return {
      kind: "done",
      value: await Promise.race([withPurpose(purpose, work), cancelled2.promise])
    };
  } catch (cause) {
    if (signal.aborted && doing2.forTheEnd !== true) return failed(doing2, "cancelled", cause);
    const reason = reasonOf(cause);
    if (reason === void 0) throw cause;
    if (reason === "down") traffic.wentDown(purpose);
    return failed(doing2, reason, cause);
  } finally {
    cancelled2.stop();
  }
}
function never() {
  return { promise: new Promise(noop), stop: noop };
}
function whenAborted(signal) {
  const { promise, reject } = Promise.withResolvers();
  const onAbort = () => reject(new Error("cancelled"));
  signal.addEventListener("abort", onAbort);
  promise.catch(noop);
  return { promise, stop: () => signal.removeEventListener("abort", onAbort) };
}
function reasonOf(cause) {
  const status = statusOf(cause);
  if (status === void 0) return void 0;
  if (isLimit2(cause, status)) return "limited";
  if (status === 401 || status === 403) return "forbidden";
  if (status === 404) return "missing";
  if (status === 410) return "gone";
  return status >= 500 ? "down" : "refused";
}
function statusOf(cause) {
  if (!(cause instanceof Error)) return void 0;
  if ("status" in cause && typeof cause.status === "number") return cause.status;
  return cause.name === "GraphqlResponseError" ? 403 : void 0;
}
function isLimit2(cause, status) {
  if (status === 429) return true;
  return status === 403 && cause instanceof Error && /\brate limit\b/i.test(cause.message);
}
function failed({ what, permission }, reason, cause) {
  const message = cause instanceof Error ? cause.message : String(cause);
  const status = statusOf(cause);
  const found2 = { what, permission, message: message.split("\n", 1)[0] ?? "", status };
  return { kind: "failed", status, reason, problem: wordFailure(reason, found2) };
}
function wordFailure(reason, found2) {
  switch (reason) {
    case "forbidden":
      return problem("github_forbidden", found2);
    case "missing":
    case "gone":
      return problem("github_missing", found2);
    case "refused":
      return problem("github_refused", found2);
    case "limited":
      return problem("github_limited", found2);
    case "down":
      return problem("github_down", found2);
    case "cancelled":
      return problem("github_cancelled", found2);
  }
}

// src/github/steps/step.ts
function openGitHubAccess(step, token) {
  const { context, env, signal, log } = step;
  const { repository } = context;
  const tellFailure = createTeller(step);
  if (token === "" || repository === void 0)
    return { github: void 0, tellFailure, calls: () => 0 };
  let opened;
  let known3;
  const open2 = async () => {
    const { owner, repo } = repository;
    const where = { owner, repo };
    known3 = await openGitHub({
      env,
      token,
      repository: where,
      signal,
      warn: (found2) => log.info(found2.message)
    });
    return known3;
  };
  return {
    github: () => opened ??= open2(),
    tellFailure,
    calls: () => known3?.calls() ?? 0
  };
}
function createTeller({ log, context }) {
  const told = /* @__PURE__ */ new Set();
  return ({ problem: problem2, reason }) => {
    if (told.has(problem2.message)) return;
    told.add(problem2.message);
    const isNormal = reason === "forbidden" && hasReadOnlyToken(context);
    if (isNormal) log.info(`${problem2.message}
  ${problem2.hint ?? ""}`);
    else if (reason !== "cancelled") log.warning(noteOf(problem2));
  };
}
function hasReadOnlyToken({ event, pull: pull2, isDependabot }) {
  return traitsOf(event).readsOnly === true && (pull2?.isFork === true || isDependabot);
}

// src/github/steps/post.ts
async function runPost(step) {
  try {
    await closeChecks(step);
  } finally {
    await leaveAttempt(step);
  }
  return 0;
}
async function closeChecks(step) {
  const checks = recallChecks(step.env);
  const access2 = openGitHubAccess(step, step.env["INPUT_TOKEN"] ?? "");
  if (checks.length === 0 || access2.github === void 0) return;
  const github = await access2.github();
  for (const check of checks) {
    const said = await closeCheck(check, github, step);
    step.log.info(`${check.subject.name}: ${said}`);
  }
}
async function closeCheck(check, github, step) {
  const id = await idOf2(check, github, step);
  if (id.kind === "failed") return id.problem.message;
  if (id.value === void 0) return "not begun";
  const ended = check.cameTo === void 0 ? cancelled(check, step) : { conclusion: check.cameTo, output: lateOutput(step) };
  const done = await completeCheck(github, { ...check, id: id.value }, ended);
  return done.kind === "failed" ? done.problem.message : "completed; the run left it open";
}
function cancelled({ subject }, { context }) {
  const suite = subject.name.replace(/^Regrade: /, "");
  const end = { kind: "refused", manifest: suite, problems: [], exit: 130 };
  const known3 = { artifactId: void 0, workspace: "", severalSuites: false };
  const circumstances = circumstancesOf(end, context, known3);
  const reason = { kind: "cancelled" };
  const output = renderCheck({ kind: "no_run", suite, reason, circumstances });
  return { conclusion: "cancelled", output };
}
function lateOutput({ context }) {
  const page3 = context.runUrl === void 0 ? "The run" : `[The run](${context.runUrl})`;
  return {
    title: "The verdict's reasons are in the run's summary",
    summary: `GitHub did not take this check when the suite was judged; the end of the step has completed it. ${page3} has the figures.`,
    text: "",
    annotations: []
  };
}
var pauseMilliseconds = 3e3;
async function idOf2({ id, subject }, github, { env }) {
  if (id !== void 0) return { kind: "done", value: id };
  const looked = await findCheck(github, subject);
  if (looked.kind === "done" && looked.value !== void 0) return looked;
  await (0, import_promises2.setTimeout)(githubPace(env).pauseMilliseconds(pauseMilliseconds));
  return findCheck(github, subject);
}

// src/github/steps/end-process.ts
init_define_builtScripts();
function endProcess(code) {
  process.exitCode = code;
  process.stdout.write("", () => process.exit(code));
}
function listenForCancel(log) {
  const cancel = new AbortController();
  const onSignal = () => {
    if (cancel.signal.aborted) process.exit(exitCodes.interrupted);
    log.info(formatProblem(problem("interrupted", void 0)));
    cancel.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return cancel.signal;
}

// src/github/runner/event.ts
init_define_builtScripts();
var import_promises3 = require("node:fs/promises");
async function loadPayload(env) {
  const path = env["GITHUB_EVENT_PATH"];
  if (path === void 0 || path === "") return {};
  try {
    const payload = JSON.parse(await (0, import_promises3.readFile)(path, "utf8"));
    return payload;
  } catch {
    return {};
  }
}

// src/github/runner/tell.ts
init_define_builtScripts();
function reportAddress(env) {
  const { GITHUB_SERVER_URL: server, GITHUB_ACTION_REPOSITORY: repository } = env;
  return server && repository ? `${server}/${repository}/issues` : "the issues of the repository that this action comes from";
}
function tellBug(cause, reportTo, log) {
  const stack = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  log.error({
    title: "A bug in Regrade",
    message: `Regrade stopped on an error of its own; nothing was judged. Please report it, with the lines below, at ${reportTo}`
  });
  log.quote(stack);
}

// src/github/runner/workspace.ts
init_define_builtScripts();
var import_node_fs2 = require("node:fs");
var import_node_path4 = require("node:path");
function workspaceRoot(env) {
  const root = (0, import_node_path4.resolve)(env["GITHUB_WORKSPACE"] || ".");
  try {
    return (0, import_node_fs2.realpathSync)(root);
  } catch {
    return root;
  }
}

// src/wiring.ts
init_define_builtScripts();

// src/io/files/altered-files.ts
init_define_builtScripts();

// src/io/git/differing.ts
init_define_builtScripts();

// src/io/git/own-index.ts
init_define_builtScripts();

// src/io/files/temporary.ts
init_define_builtScripts();

// src/io/files/reason.ts
init_define_builtScripts();

// src/io/git/environment.ts
init_define_builtScripts();

// src/io/git/git.ts
init_define_builtScripts();

// src/io/files/files.ts
init_define_builtScripts();
var chunkBytes = 256 * 1024;
var readAtOnce = 64 * 1024;

// src/io/files/locate.ts
init_define_builtScripts();

// src/io/git/git.ts
var guards = ["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"];

// src/io/git/own-index.ts
var settings = [
  "safe.directory=*",
  "core.fileMode=false",
  "core.untrackedCache=false",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.sparseCheckout=false",
  "index.sparse=false",
  "core.hooksPath=/dev/null"
].flatMap((setting) => ["-c", setting]);

// src/io/files/packed-by-python.ts
init_define_builtScripts();

// src/io/files/altered-files.ts
var largestFile = 1 << 20;
var mostBytes = 2 << 20;

// src/wiring.ts
var import_node_path6 = require("node:path");
var import_node_url = require("node:url");

// package.json
var package_default = {
  name: "regrade",
  version: "0.1.0",
  description: "A gate for evals: runs a suite on every pull request and says, with the statistics to back it, whether the change made things worse.",
  keywords: [
    "evals",
    "github-action",
    "llm",
    "regression",
    "statistics"
  ],
  license: "MIT",
  bin: {
    regrade: "dist/cli.mjs"
  },
  files: [
    "dist",
    "python/regrade",
    "!**/__pycache__",
    "schemas",
    "docs/*.md",
    "skills",
    "llms.txt"
  ],
  type: "module",
  scripts: {
    build: "node scripts/build.ts",
    schemas: "node scripts/compile-schemas.ts",
    check: "npm run -s check:types && npm run -s check:lint && npm run -s check:format && npm run -s check:unused",
    "check:types": "tsc -p . && tsc -p viewer",
    "check:lint": "oxlint",
    "check:format": "oxfmt --check .",
    "check:unused": "knip",
    structure: "node scripts/structure.ts",
    test: "node scripts/test.ts",
    "test:quick": "node scripts/test.ts --quick",
    bench: "node bench/bench.ts",
    quickstart: "node dist/cli.mjs run examples/quickstart/suite.yaml"
  },
  devDependencies: {
    "@actions/artifact": "6.2.1",
    "@actions/core": "3.0.1",
    "@actions/github": "9.1.1",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/server": "2.4.0",
    "@octokit/plugin-retry": "8.1.1",
    "@octokit/plugin-throttling": "11.0.5",
    "@preact/signals": "2.11.4",
    "@streamparser/json": "0.0.26",
    "@tanstack/virtual-core": "3.19.11",
    "@types/node": "24.19.2",
    "@types/yauzl": "3.4.0",
    ajv: "8.20.0",
    "axe-core": "4.14.1",
    bottleneck: "2.19.5",
    commander: "15.1.0",
    "csv-parse": "7.0.3",
    diff: "9.0.0",
    esbuild: "0.28.2",
    execa: "10.2.1",
    "fast-check": "4.10.2",
    "fs-fixture": "2.16.0",
    "github-markdown-css": "5.9.0",
    "ipaddr.js": "2.5.0",
    knip: "6.42.1",
    "markdown-table": "3.0.4",
    micromark: "4.0.3",
    "micromark-extension-gfm": "3.0.0",
    node: "24.21.0",
    oxfmt: "0.75.0",
    oxlint: "1.89.0",
    "oxlint-tsgolint": "7.0.2004",
    "playwright-core": "1.65.1",
    preact: "11.2.0",
    re2js: "2.10.0",
    saxes: "6.0.0",
    typescript: "7.0.2",
    undici: "8.12.4",
    vitest: "5.1.1",
    yaml: "2.9.1",
    "yaml-language-server": "2.0.0",
    yauzl: "3.4.0"
  },
  engines: {
    node: ">=24"
  },
  allowScripts: {
    node: true,
    esbuild: true
  }
};

// src/io/git/base-tree.ts
init_define_builtScripts();

// src/io/git/base-ref.ts
init_define_builtScripts();

// src/io/git/submodules.ts
init_define_builtScripts();

// src/io/git/base-tree.ts
var settings2 = [
  ...guards,
  ...["core.sparseCheckout=false", "core.hooksPath=/dev/null", "submodule.recurse=false"].flatMap(
    (setting) => ["-c", setting]
  )
];

// src/store/cache.ts
init_define_builtScripts();

// src/ledger/digest-table.ts
init_define_builtScripts();

// src/base/lines.ts
init_define_builtScripts();
var longestLineBytes = 64 * 1024 * 1024;

// src/store/cache-retention.ts
init_define_builtScripts();
var bytesKept = 1024 ** 3;

// src/store/cache-entry.ts
init_define_builtScripts();

// src/base/answer-json.ts
init_define_builtScripts();

// src/base/json-text.ts
init_define_builtScripts();

// src/base/answer-json.ts
var tooDeepWords = `it is nested more than ${deepestNesting} levels deep`;

// src/base/written-size.ts
init_define_builtScripts();
var mostRowBytes = 16 * 1024 * 1024;
var mostPromptBytes = 12 * 1024 * 1024;

// src/model/ports/workspace.ts
init_define_builtScripts();
var mostKeptBytes = 256 * 1024;
var mostWorkspaceBytes = 4 * 1024 * 1024;

// src/store/cache-entry.ts
var keyLength = 64;
var sumLength = 8;
var jsonStart = keyLength + 1 + sumLength + 1;

// src/io/files/folders.ts
init_define_builtScripts();

// src/store/encrypted-lines.ts
init_define_builtScripts();
var longestUnpackedBytes = 32 * 1024 * 1024;

// src/store/journal.ts
init_define_builtScripts();

// src/io/files/byte-gatherer.ts
init_define_builtScripts();
var longText = 64 * 1024;
var firstBytes = 64 * 1024;
var keptBytes = 1024 * 1024;

// src/store/written-before.ts
init_define_builtScripts();

// src/store/cache.ts
var bytesHeld = 64 * 1024 ** 2;
var offsetRange = 2 ** 40;
var firstReadBytes = 16 * 1024;

// src/io/processes/command.ts
init_define_builtScripts();

// src/io/processes/start.ts
init_define_builtScripts();

// src/io/processes/command.ts
var stderrKeptBytes = 64 * 1024;

// src/python-host/doctor.ts
init_define_builtScripts();

// src/model/models/providers.ts
init_define_builtScripts();

// src/model/models/retirements.ts
init_define_builtScripts();
var table4 = {
  openai: {
    ...retiredOn("2025-06-06", void 0, ["gpt-4-32k", "gpt-4-32k-0613"]),
    ...retiredOn("2025-07-14", void 0, ["gpt-4.5-preview"]),
    ...retiredOn("2025-07-28", void 0, ["o1-preview"]),
    ...retiredOn("2025-10-27", void 0, ["o1-mini"]),
    ...retiredOn("2026-01-16", void 0, ["codex-mini-latest"]),
    ...retiredOn("2026-02-17", void 0, ["chatgpt-4o-latest"]),
    ...retiredOn("2026-07-23", void 0, [
      "gpt-5-chat-latest",
      "gpt-5.1-chat-latest",
      "gpt-5-codex"
    ]),
    ...retiredOn("2026-07-23", void 0, [
      "gpt-5.1-codex",
      "gpt-5.1-codex-max",
      "gpt-5.1-codex-mini"
    ]),
    ...retiredOn("2026-07-23", void 0, [
      "gpt-5.2-codex",
      "o3-deep-research",
      "o4-mini-deep-research"
    ]),
    ...retiredOn("2026-08-10", void 0, ["gpt-5.2-chat-latest", "gpt-5.3-chat-latest"]),
    ...retiredOn("2026-10-23", "gpt-5.6-terra", ["gpt-3.5-turbo", "o4-mini"]),
    ...retiredOn("2026-10-23", "gpt-5.6-sol", ["gpt-4", "gpt-4-turbo", "gpt-4o-2024-05-13"]),
    ...retiredOn("2026-10-23", "gpt-5.6-sol", ["o1", "o1-pro", "o3-mini"]),
    ...retiredOn("2026-10-23", void 0, ["gpt-4.1-nano"]),
    ...retiredOn("2026-12-11", "gpt-6.1-sol", ["gpt-5"]),
    ...retiredOn("2026-12-11", "gpt-6.1-terra", ["gpt-5-mini"]),
    ...retiredOn("2026-12-11", void 0, ["gpt-5-nano", "gpt-5-pro", "o3", "o3-pro"]),
    ...retiredOn("2027-01-14", "gpt-6-luna", ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"]),
    ...retiredOn("2027-04-01", void 0, ["gpt-5.1", "gpt-5.4-nano"])
  },
  anthropic: {
    ...retiredOn("2025-07-21", void 0, [
      "claude-2",
      "claude-2.0",
      "claude-2.1",
      "claude-3-sonnet"
    ]),
    ...retiredOn("2025-10-28", void 0, ["claude-3-5-sonnet"]),
    ...retiredOn("2026-01-05", void 0, ["claude-3-opus"]),
    ...retiredOn("2026-02-19", void 0, ["claude-3-7-sonnet", "claude-3-5-haiku"]),
    ...retiredOn("2026-06-15", "claude-sonnet-4-6", ["claude-sonnet-4"]),
    ...retiredOn("2026-06-15", "claude-opus-4-8", ["claude-opus-4"]),
    ...retiredOn("2026-08-05", void 0, ["claude-opus-4-1"]),
    ...retiredOn("2026-11-30", "claude-sonnet-5-5", ["claude-sonnet-4-5"])
  },
  google: {
    ...retiredOn("2025-09-29", void 0, [
      "gemini-1.5-pro",
      "gemini-1.5-flash",
      "gemini-1.5-flash-8b"
    ]),
    ...retiredOn("2026-06-01", void 0, ["gemini-2.0-flash", "gemini-2.0-flash-001"]),
    ...retiredOn("2026-12-01", "gemini-3.8-flash", ["gemini-2.5-pro"]),
    ...retiredOn("2026-12-01", "gemini-3.5-flash-lite", ["gemini-2.5-flash"])
  }
};
function retiredOn(date, instead, models) {
  return Object.fromEntries(models.map((model) => [model, { date, instead }]));
}

// src/python-host/interpreter.ts
init_define_builtScripts();

// src/python-host/pool.ts
init_define_builtScripts();

// src/python-host/grader.ts
init_define_builtScripts();

// src/python-host/answers.ts
init_define_builtScripts();

// src/python-host/config.ts
init_define_builtScripts();

// src/python-host/process.ts
init_define_builtScripts();

// src/python-host/frames.ts
init_define_builtScripts();
var frameLimit = 4 * 1024 * 1024;

// src/python-host/config.ts
var forks = process.platform !== "win32";

// src/python-host/program.ts
init_define_builtScripts();

// src/python-host/host.ts
init_define_builtScripts();

// src/python-host/loaded.ts
init_define_builtScripts();

// src/model/ports/programs.ts
init_define_builtScripts();

// src/python-host/question.ts
init_define_builtScripts();

// src/python-host/host.ts
var answerLimit = 256 * 1024 * 1024;

// src/python-host/first.ts
init_define_builtScripts();

// src/python-host/held.ts
init_define_builtScripts();

// src/io/secrets/secret-values.ts
init_define_builtScripts();
var secretName = /KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|PRIVATE|SIGN|COOKIE|SESSION|DSN|WEBHOOK|SALT|CERT|(?:^|_)(?:PW|PIN|PAT|JWT|OTP|PSK|B(?:ASE)?64)(?:_|$)/i;
function plainlyPublic(name2, value) {
  if (secretName.test(name2)) return false;
  return isPath(value) || isAddress(value) || isWords(value);
}
function isPath(value) {
  const isRooted2 = /^(?:~|\.{1,2})?\/[^\s:@?]*$/.test(value) || /^[A-Za-z]:\\[^\s:@?]*$/.test(value);
  return isRooted2 && !value.endsWith("=") && !value.split(/[/\\]/).some(isMixture);
}
function isMixture(part) {
  return /^[A-Za-z\d+]{16,}$/.test(part) && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(part));
}
function isAddress(value) {
  if (!/^https?:/.test(value) || !URL.canParse(value)) return false;
  const { username, password, search, hash, pathname } = new URL(value);
  return username + password + search + hash === "" && isWords(pathname);
}
function isWords(value) {
  return value.split(/[-_.,:/ ]+/).every(
    (part) => /^(?:[a-z]{0,20}|[A-Z]{0,20}|[A-Z][a-z]{0,20}|(?:[A-Z][a-z]{2,20}){2,3}|\d{1,8}|[a-z\d]{1,6})$/.test(
      part
    )
  );
}

// src/python-host/locate-program.ts
init_define_builtScripts();

// src/python-host/program-files.ts
init_define_builtScripts();
var mostFiles = 1e3;
var mostBytes2 = 64 * 1024 * 1024;
var tooMuch = {
  fault: `a program may be made of ${mostFiles} files and 64 MiB at most: name fewer in \`files\``
};

// src/python-host/preprocessor.ts
init_define_builtScripts();

// src/python-host/regex.ts
init_define_builtScripts();

// src/python-host/shared-builtins.ts
init_define_builtScripts();

// src/python-host/doctor-programs.ts
init_define_builtScripts();

// src/python-host/doctor-fence.ts
init_define_builtScripts();

// src/model/ports/fence.ts
init_define_builtScripts();

// src/python-host/escape-targets.ts
init_define_builtScripts();

// src/io/git/edited.ts
init_define_builtScripts();

// src/io/files/glob.ts
init_define_builtScripts();

// src/io/files/glob-walk.ts
init_define_builtScripts();

// src/base/glob.ts
init_define_builtScripts();

// src/base/glob-automaton.ts
init_define_builtScripts();

// src/base/glob-tokens.ts
init_define_builtScripts();
var namedClasses = once(() => ({
  alnum: /[\p{L}\p{Nl}\p{Nd}]/u,
  alpha: /[\p{L}\p{Nl}]/u,
  blank: /[\p{Zs}\t]/u,
  cntrl: new RegExp("\\p{Cc}", "u"),
  digit: new RegExp("\\p{Nd}", "u"),
  lower: new RegExp("\\p{Ll}", "u"),
  punct: new RegExp("\\p{P}", "u"),
  space: /\s/u,
  upper: new RegExp("\\p{Lu}", "u"),
  word: /[\p{L}\p{Nl}\p{Nd}\p{Pc}]/u,
  xdigit: /[A-Fa-f0-9]/
}));

// src/io/http/http.ts
init_define_builtScripts();
var import_node_zlib = require("node:zlib");

// src/io/http/http-fault.ts
init_define_builtScripts();

// src/io/http/dispatcher.ts
init_define_builtScripts();

// src/io/http/http.ts
var responseLimitBytes = 16e6;
var tooLarge = {
  kind: "failed",
  type: "response_too_large",
  message: `the answer is larger than ${responseLimitBytes / 1e6} MB`,
  sent: true
};
var utf8 = new TextDecoder();
var unpackers = once(() => ({
  gzip: import_node_zlib.unzipSync,
  "x-gzip": import_node_zlib.unzipSync,
  deflate: import_node_zlib.unzipSync,
  br: import_node_zlib.brotliDecompressSync
}));

// src/io/http/remote-http.ts
init_define_builtScripts();

// on-demand:./addresses.ts
init_define_builtScripts();

// src/io/http/remote-settings.ts
init_define_builtScripts();

// src/store/row-cache.ts
init_define_builtScripts();

// src/io/files/lock.ts
init_define_builtScripts();

// src/store/row-cache.ts
var bytesKept2 = 8 * 1024 ** 3;
var bytesHeld2 = 1024 * 1024;

// src/store/cache-folder.ts
init_define_builtScripts();

// src/io/files/new-files.ts
init_define_builtScripts();

// src/io/processes/open-watch.ts
init_define_builtScripts();

// src/io/processes/program.ts
init_define_builtScripts();

// src/io/agents/workspace.ts
init_define_builtScripts();

// src/io/agents/capture.ts
init_define_builtScripts();

// src/io/agents/content.ts
init_define_builtScripts();
var import_node_fs3 = require("node:fs");
var mostHashedBytes = 256 * 1024 * 1024;
var pieceBytes = 256 * 1024;
var readFlags = import_node_fs3.constants.O_RDONLY | (import_node_fs3.constants.O_NOFOLLOW ?? 0) | (import_node_fs3.constants.O_NONBLOCK ?? 0);

// src/io/agents/walk.ts
init_define_builtScripts();

// src/io/agents/folder.ts
init_define_builtScripts();
var mostHeldBytes = 16 * 1024 * 1024;

// src/io/agents/stream.ts
init_define_builtScripts();

// src/io/agents/marked.ts
init_define_builtScripts();

// src/io/agents/stream.ts
var stderrKeptBytes2 = 64 * 1024;

// src/io/agents/cassette.ts
init_define_builtScripts();

// src/mcp/connect.ts
init_define_builtScripts();

// src/io/http/bounded-fetch.ts
init_define_builtScripts();

// src/mcp/started-server.ts
init_define_builtScripts();

// src/io/secrets/redacting-mcp.ts
init_define_builtScripts();

// src/io/secrets/redacting-agents.ts
init_define_builtScripts();

// src/io/secrets/redacting-io.ts
init_define_builtScripts();

// src/io/secrets/redact.ts
init_define_builtScripts();

// src/io/secrets/secret-forms.ts
init_define_builtScripts();
var shortestSecret = 6;
var shortestPiece = 8;
function secretForms(secret) {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const parts = [secret.trim(), ...lines.filter((line) => !line.startsWith("-----"))];
  const long = parts.filter((part) => part.length >= shortestSecret);
  return [...new Set(long.flatMap(formsOf))];
}
function formsOf(text3) {
  const hex = Buffer.from(text3).toString("hex");
  return [
    text3,
    ...jsonForms(text3),
    ...percentForms(text3),
    hex,
    hex.toUpperCase(),
    ...base64Forms(text3)
  ];
}
function jsonForms(text3) {
  const escaped = jsonEscaped(text3);
  return [
    escaped,
    // The arguments of a tool call are JSON within JSON; PHP escapes slashes.
    jsonEscaped(escaped),
    escaped.replaceAll("/", "\\/"),
    // Python's json.dumps escapes non-ASCII characters; Go, Gson and .NET also those with a meaning in HTML.
    unitEscaped(escaped, /[\u0080-\uFFFF]/g),
    unitEscaped(escaped, /[&<>]/g),
    unitEscaped(escaped, /[&<>=']/g),
    unitEscaped(escaped, /[&<>+'`\u0080-\uFFFF]/g).replaceAll(/\\u[\da-f]{4}/g, upperDigits)
  ];
}
function upperDigits(escape) {
  return `\\u${escape.slice(2).toUpperCase()}`;
}
function percentForms(text3) {
  const percent2 = percentEncoded(text3);
  const all = percent2.replaceAll(/[!'()*]/g, (mark) => `%${hexOf(mark).toUpperCase()}`);
  return [percent2, all, all.replaceAll("%2F", "/")].flatMap((form) => [
    form,
    form.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    form.replaceAll("%20", "+")
  ]);
}
function hexOf(mark) {
  return mark.charCodeAt(0).toString(16);
}
function jsonEscaped(text3) {
  return JSON.stringify(text3).slice(1, -1);
}
function unitEscaped(json2, units2) {
  return json2.replaceAll(units2, (unit) => `\\u${hexOf(unit).padStart(4, "0")}`);
}
function percentEncoded(text3) {
  return encodeURIComponent(text3.toWellFormed());
}
function base64Forms(text3) {
  const bytes2 = Buffer.from(text3);
  const inner = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes2]).toString("base64url");
    const shared = (before + bytes2.length) % 3 === 0 ? 0 : 1;
    return encoded.slice(before === 0 ? 0 : before + 1, encoded.length - shared);
  });
  const forms = [bytes2.toString("base64"), bytes2.toString("base64url"), ...inner];
  return forms.flatMap(
    (form) => form.length < shortestPiece ? [] : [form, form.replaceAll("-", "+").replaceAll("_", "/")]
  );
}

// src/io/secrets/redact.ts
var alwaysKeys = [
  "INPUT_TOKEN",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "ACTIONS_RUNTIME_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  // Data sets are read with this token, even if the suite asks no model.
  "HF_TOKEN"
];
var alwaysVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name2) => [
  name2,
  name2.toLowerCase()
]);
var blackened = "***";
function createSecrets(environment) {
  const known3 = /* @__PURE__ */ new Map();
  let current = createRedactor(known3);
  const learn = ({ keys, variables, texts: texts2 = [] }) => {
    const values = [
      ...keys.flatMap((name2) => environment[name2] ?? []),
      ...variables.flatMap((name2) => hiddenParts(name2, environment[name2] ?? ""))
    ];
    for (const { text: text3, shown: shown3 } of texts2) known3.set(text3, shown3);
    for (const value of values) known3.set(value, blackened);
    current = createRedactor(known3);
  };
  learn({ keys: alwaysKeys, variables: alwaysVariables });
  return {
    learn,
    redact: (text3) => current.redact(text3),
    stringify: (value, indent) => current.stringify(value, indent)
  };
}
function hiddenParts(name2, value) {
  return plainlyPublic(name2, value) ? [] : [value, ...passwordOf(value)];
}
function passwordOf(value) {
  const password = URL.canParse(value) ? new URL(value).password : "";
  return password === "" ? [] : [password, decoded(password)];
}
function decoded(text3) {
  try {
    return decodeURIComponent(text3);
  } catch {
    return text3;
  }
}
function createRedactor(secrets) {
  const shown3 = new Map(
    [...secrets].flatMap(
      ([secret, label]) => secretForms(secret).map((form) => [form, label])
    )
  );
  const forms = [...shown3.keys()];
  if (forms.length === 0) {
    return { redact: (text3) => text3, stringify: (value, indent) => json(value, indent) };
  }
  const holdsOne = anyOf(forms);
  const redact = (text3) => {
    const plain2 = dropUnseen(text3);
    if (plain2 !== text3 && holdsOne.test(plain2)) return redactForms(plain2, shown3);
    return holdsOne.test(text3) ? redactForms(text3, shown3) : text3;
  };
  const written2 = anyOf(forms.map((form) => JSON.stringify(form).slice(1, -1)));
  return {
    redact,
    stringify: (value, indent) => {
      const text3 = json(value, indent);
      if (!written2.test(text3) && !mayHoldUnseen(text3)) return text3;
      return json(withTexts(value, redact), indent);
    }
  };
}
function anyOf(forms) {
  return new RegExp(forms.map((form) => RegExp.escape(form)).join("|"));
}
function json(value, indent) {
  return JSON.stringify(value ?? null, void 0, indent);
}
function withTexts(value, change2) {
  if (typeof value === "string") return change2(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change2));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [change2(key), withTexts(item, change2)]
  );
  return Object.fromEntries(entries);
}
function redactForms(text3, forms) {
  const found2 = [...forms].flatMap(([form, label]) => placesOf(text3, form, label)).toSorted((a, b) => a.start - b.start || b.end - a.end);
  const parts = [];
  let shown3 = 0;
  for (const { start, end, label } of found2) {
    if (start >= shown3) parts.push(text3.slice(shown3, start), label);
    shown3 = Math.max(shown3, end);
  }
  return [...parts, text3.slice(shown3)].join("");
}
function placesOf(text3, form, label) {
  const places = [];
  for (let start = text3.indexOf(form); start !== -1; start = text3.indexOf(form, start + 1)) {
    places.push({ start, end: start + form.length, label });
  }
  return places;
}

// src/io/files/result-files.ts
init_define_builtScripts();

// src/io/files/same-files.ts
init_define_builtScripts();
var mostBytes3 = 4 << 20;

// src/store/run-reader.ts
init_define_builtScripts();

// src/base/nearest.ts
init_define_builtScripts();

// src/ledger/ledger.ts
init_define_builtScripts();

// src/ledger/columns.ts
init_define_builtScripts();
var blockBits = 13;
var blockLength = 2 ** blockBits;

// src/ledger/position-table.ts
init_define_builtScripts();

// src/io/files/json-lines.ts
init_define_builtScripts();

// src/base/json-lines.ts
init_define_builtScripts();

// src/io/files/lines.ts
init_define_builtScripts();
var longestHeldBytes = 1024 * 1024;

// src/store/own-runs.ts
init_define_builtScripts();

// src/store/run-files.ts
init_define_builtScripts();
var runFiles = {
  run: "run.json",
  samples: "samples.jsonl",
  scores: "scores.jsonl",
  /** The baseline's scores by this run's grader, if that differs from the baseline's. */
  regraded: "regraded.jsonl",
  generated: "generated.jsonl",
  summary: "summary.md",
  /** Present only while a process works in the directory. */
  lock: "run.lock"
};

// src/store/own-runs.ts
var secondsEnd = "run_20261121T223350".length;

// src/store/sample-reader.ts
init_define_builtScripts();

// src/base/block-cache.ts
init_define_builtScripts();

// src/store/shapes.ts
init_define_builtScripts();

// src/store/sample-reader.ts
var blockBytes = 32 * 1024;

// src/store/other-runs.ts
init_define_builtScripts();
var ofRuns = /* @__PURE__ */ new Set([runFiles.run, runFiles.generated]);
var withoutTexts2 = /* @__PURE__ */ new Set([
  runFiles.run,
  runFiles.scores,
  runFiles.regraded
]);

// src/store/encrypted-runs.ts
init_define_builtScripts();

// src/store/run-store.ts
init_define_builtScripts();

// src/store/batch-lines.ts
init_define_builtScripts();

// src/model/ports/store.ts
init_define_builtScripts();

// src/store/batch-lines.ts
var charactersPerLine = 4 * 1024 * 1024;

// src/store/interrupted-run.ts
init_define_builtScripts();

// src/store/earlier-attempt.ts
init_define_builtScripts();

// src/model/outcomes/attempts.ts
init_define_builtScripts();

// src/store/finished-run.ts
init_define_builtScripts();

// src/store/generated.ts
init_define_builtScripts();

// src/store/run-directory.ts
init_define_builtScripts();

// src/store/encrypted-journals.ts
init_define_builtScripts();

// src/io/files/scratch.ts
init_define_builtScripts();
var bytesHeld3 = 256 * 1024;

// src/io/files/tree-stamps.ts
init_define_builtScripts();
var import_node_fs4 = require("node:fs");
var import_promises4 = require("node:fs/promises");
var import_node_path5 = require("node:path");
var stampTree = async (root) => {
  const before = await stampsOf(root);
  return {
    altered: async () => {
      const after = await stampsOf(root);
      const paths = /* @__PURE__ */ new Set([...before.keys(), ...after.keys()]);
      const altered = [...paths].filter((path) => before.get(path) !== after.get(path));
      return altered.toSorted().map((path) => ({ path, isNew: !before.has(path) }));
    }
  };
};
async function stampsOf(root) {
  const stamps = /* @__PURE__ */ new Map();
  const folders = [""];
  for (let folder = folders.pop(); folder !== void 0; folder = folders.pop()) {
    const names2 = await (0, import_promises4.readdir)((0, import_node_path5.join)(root, folder)).catch(() => []);
    for (const path of names2.map((name2) => `${folder}${name2}`)) {
      const found2 = stampOf((0, import_node_path5.join)(root, path));
      stamps.set(path, found2?.stamp ?? "");
      if (found2?.isFolder) folders.push(`${path}/`);
    }
  }
  return stamps;
}
function stampOf(path) {
  try {
    const found2 = (0, import_node_fs4.lstatSync)(path, { bigint: true, throwIfNoEntry: false });
    if (found2 === void 0) return void 0;
    const isFolder = found2.isDirectory();
    return { stamp: isFolder ? `${found2.ino}` : `${found2.ino} ${found2.ctimeNs}`, isFolder };
  } catch {
    return void 0;
  }
}

// src/io/processes/worker.ts
init_define_builtScripts();
var stderrKeptBytes3 = 64 * 1024;

// src/io/files/task-file.ts
init_define_builtScripts();

// src/io/files/watch.ts
init_define_builtScripts();

// src/io/files/suites.ts
init_define_builtScripts();

// src/io/processes/browser.ts
init_define_builtScripts();

// src/io/processes/pager.ts
init_define_builtScripts();

// src/io/processes/inspector.ts
init_define_builtScripts();
function keepInspectorShut() {
  if (process.platform !== "win32") process.on("SIGUSR1", () => void 0);
}

// src/wiring.ts
var version = package_default.version;
var packageName = package_default.name;
var pythonPackage = (0, import_node_url.fileURLToPath)(new URL("../python/regrade", importMetaUrl));
var judgingFiles = { stampTree, ownFolders: [pythonPackage, (0, import_node_path6.join)(pythonPackage, "../../dist")] };
function openSecrets(env) {
  return createSecrets(env);
}
var pageTemplate = (0, import_node_url.fileURLToPath)(new URL("../dist/report.html", importMetaUrl));
var processStartedAt = performance.timeOrigin;

// src/post.ts
async function startPostStep() {
  keepInspectorShut();
  const { env } = process;
  const secrets = openSecrets(env);
  const escape = (text3) => escapeLog(secrets.redact(text3));
  const log = createLog({ escape, workspace: workspaceRoot(env) });
  const onBug = (cause) => {
    tellBug(cause, reportAddress(env), log);
    endProcess(0);
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
  try {
    const context = readContext(env, await loadPayload(env));
    endProcess(await runPost({ log, secrets, signal: listenForCancel(log), env, context }));
  } catch (cause) {
    onBug(cause);
  }
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  startPostStep
});
})
