import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { build, type Metafile, type Plugin, transform } from "esbuild";
import { thirdPartyNotice, packagesOf } from "./third-party-notice.ts";

/**
 * Builds dist/, which runs in a workflow and in a clone without `npm install`. Unminified and without splitting, so
 * that the diff of a dependency's update can be read, and a start loads one file. The bytes depend only on the sources
 * and the locked packages, so that CI and a test can compare them.
 */
async function buildDist(root: string, dist: string): Promise<void> {
  const main = await bundle(root, {
    entry: "src/main.ts",
    outfile: "dist/main.cjs",
    isScript: true,
  });
  const post = await bundle(root, {
    entry: "src/post.ts",
    outfile: "dist/post.cjs",
    isScript: true,
  });
  const cli = await bundle(root, {
    entry: "src/cli.ts",
    outfile: "dist/regrade.cjs",
    isScript: true,
  });
  const generated = await generatedScripts(root);
  const launcher = await bundle(root, {
    entry: "src/launch.ts",
    outfile: "dist/cli.mjs",
    // The first version with `await` outside of functions: earlier ones can't report that they are too old.
    target: "node14.8",
    banner: "#!/usr/bin/env node",
    scripts: { "regrade.cjs": cli.code, ...generated },
  });
  const actionLauncher = await bundle(root, {
    entry: "src/launch-action.ts",
    outfile: "dist/main.mjs",
    banner: "",
    scripts: { "main.cjs": main.code, "post.cjs": post.code, ...generated },
  });
  const undici = await bundle(root, { entry: "src/io/http/undici.ts", outfile: "dist/undici.mjs" });
  const execa = await bundle(root, {
    entry: "src/io/processes/execa.ts",
    outfile: "dist/execa.mjs",
  });
  const mcpSdk = await bundle(root, { entry: "src/mcp/mcp-sdk.ts", outfile: "dist/mcp-sdk.mjs" });
  const ciRun = await bundle(root, {
    entry: "src/github/artifacts/ci-run.ts",
    outfile: "dist/ci-run.mjs",
  });
  const actionsHttp = await bundle(root, {
    entry: { text: 'export { fetch, ProxyAgent } from "undici";', of: "@actions/github" },
    outfile: "dist/actions-http.mjs",
  });
  const octokit = await bundle(root, {
    entry: "src/github/api/octokit.ts",
    outfile: "dist/octokit.mjs",
  });
  const artifact = await bundle(root, {
    entry: "src/github/artifacts/artifact-client.ts",
    outfile: "dist/artifact-client.mjs",
  });
  const page = await bundlePage(root);
  for (const program of [main, post])
    refusePackages(program, [
      "@octokit/",
      "@azure/",
      "@actions/artifact",
      "undici",
      "@modelcontextprotocol/",
    ]);
  refusePackages(cli, ["@actions/", "@azure/", "undici/", "execa/", "@modelcontextprotocol/"]);
  for (const each of [launcher, actionLauncher]) refusePackages(each, [""]);
  for (const part of [undici, execa, mcpSdk, actionsHttp, octokit, artifact, ciRun])
    refuseUnused(part, [main, post, cli, octokit, artifact, ciRun]);
  const files: Readonly<Record<string, string>> = {
    ...generated,
    "main.cjs": main.code,
    "post.cjs": post.code,
    // This file must be written before the launcher that imports it.
    "undici.mjs": undici.code,
    "execa.mjs": execa.code,
    "mcp-sdk.mjs": mcpSdk.code,
    "actions-http.mjs": actionsHttp.code,
    "octokit.mjs": octokit.code,
    "artifact-client.mjs": artifact.code,
    "ci-run.mjs": ciRun.code,
    "regrade.cjs": cli.code,
    // Launchers come after what they load.
    "cli.mjs": launcher.code,
    "main.mjs": actionLauncher.code,
    "post.mjs": actionLauncher.code,
    "report.html": page.code,
    "THIRD-PARTY.txt": await thirdPartyNotice(root, [
      main,
      post,
      cli,
      undici,
      execa,
      mcpSdk,
      actionsHttp,
      octokit,
      artifact,
      ciRun,
      page,
    ]),
  };
  // This comes last, so that a failed build leaves the previous one unchanged.
  await mkdir(dist, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await replaceFile(join(dist, name), text, name === "cli.mjs" ? 0o755 : 0o644);
    console.log(`dist/${name}  ${Buffer.byteLength(text)} bytes`);
  }
  for (const name of await readdir(dist)) {
    if (!Object.hasOwn(files, name)) await rm(join(dist, name), { recursive: true });
  }
}

/** The compiled schemas as scripts: all programs load them. */
async function generatedScripts(root: string): Promise<Readonly<Record<string, string>>> {
  const paths = ["src/manifest/suite-schema.generated.mjs", "src/store/run-schemas.generated.mjs"];
  const scripts = paths.map(async (path) => {
    const text = await readFile(join(root, path), "utf8");
    const { code } = await transform(text, {
      format: "cjs",
      target: "node24",
      charset: "ascii",
      minify: true,
      legalComments: "inline",
      banner: scriptStart,
      footer: scriptEnd,
    });
    return [scriptOf(path), code] as const;
  });
  return Object.fromEntries(await Promise.all(scripts));
}

function scriptOf(generated: string): string {
  return `${basename(generated, ".mjs")}.cjs`;
}

/** Atomic: a program that starts meanwhile reads the old file or the new one, never half of it. */
async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const beside = `${path}.${process.pid}.tmp`;
  await writeFile(beside, text, { mode });
  await rename(beside, path);
}

/**
 * Modules that are evaluated when one of their functions or classes is first called, and the names of these: the 100 modules
 * of ajv, the tables of re2js and ipaddr.js, the parser of YAML. A start of any command evaluated them, and few need all.
 */
const onDemand: Readonly<Record<string, readonly string[]>> = {
  "ajv/dist/2020.js": ["Ajv2020"],
  "../re2.ts": ["compilePattern"],
  "./addresses.ts": ["isOwnName", "whyNotPublic"],
  yaml: [
    "isAlias",
    "isMap",
    "isScalar",
    "isSeq",
    "LineCounter",
    "parse",
    "parseDocument",
    "stringify",
  ],
};

/** A function, or a class, that loads its module. An import of another name fails the build. */
function deferred(path: string, name: string): string {
  const given = `require(${JSON.stringify(path)}).${name}`;
  return `export function ${name}(...given) { return new.target ? new (${given})(...given) : ${given}(...given); }`;
}

/** Modules that are imported on demand become files of their own, so that a start reads only the ones it uses. */
const beside: Plugin = {
  name: "beside",
  setup: (setup) => {
    setup.onResolve(
      {
        filter:
          /^\.\/(?:undici|execa|mcp-sdk|octokit|artifact-client|github\/artifacts\/ci-run)\.ts$/,
      },
      ({ path }) => ({
        path: `./${basename(path, ".ts")}.mjs`,
        external: true,
      }),
    );
    // Each of GitHub's packages brings the same HTTP client: 1.4 MB, which a start would read up to four times.
    setup.onResolve({ filter: /^undici$/ }, async ({ importer, resolveDir }) => {
      if (!importer.includes("/node_modules/@actions/")) return undefined;
      await refuseSecondVersion(resolveDir);
      return { path: "./actions-http.mjs", external: true };
    });
    // As a module it exports each of its properties, which opens stdin: 6 ms of every start.
    setup.onResolve({ filter: /^node:process$/ }, ({ path, importer }) =>
      importer.includes("/node_modules/commander/") ? { path, namespace: "global" } : undefined,
    );
    setup.onLoad({ filter: /./, namespace: "global" }, () => ({
      contents: "export default globalThis.process;",
    }));
    setup.onResolve({ filter: /./ }, ({ path, resolveDir, namespace }) =>
      namespace === "on-demand" || !Object.hasOwn(onDemand, path)
        ? undefined
        : { path, namespace: "on-demand", pluginData: { resolveDir } },
    );
    setup.onLoad({ filter: /./, namespace: "on-demand" }, ({ path, pluginData }) => ({
      contents: (onDemand[path] ?? []).map((name) => deferred(path, name)).join("\n"),
      resolveDir: pluginData.resolveDir,
    }));
    // Code for OpenID Connect tokens, which nothing here requests, would be loaded at every start.
    setup.onResolve({ filter: /^\.\/oidc-utils\.js$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, "oidc-utils.js"),
      sideEffects: false,
    }));
    // esbuild would print generated code three times as large.
    setup.onResolve({ filter: /\.generated\.mjs$/ }, ({ path }) => ({
      path: `./${scriptOf(path)}`,
      external: true,
    }));
  },
};

/** All of GitHub's packages share one file, which requires that they ask for the same version. */
async function refuseSecondVersion(importing: string): Promise<void> {
  const [theirs, shared] = await Promise.all(
    [importing, join(root, "node_modules/@actions/github")].map((from) => {
      const path = createRequire(join(from, "x.js")).resolve("undici/package.json");
      return readFile(path, "utf8").then((text) => String(Object(JSON.parse(text)).version));
    }),
  );
  if (theirs !== shared)
    throw new Error(`${importing} asks for undici ${theirs}, @actions/github for ${shared}`);
}

interface Bundle {
  /** A file, or a text that can import the packages which one of our packages brings. */
  readonly entry: string | { readonly text: string; readonly of: string };
  readonly outfile: string;
  readonly target?: string;
  /** Text before the code. */
  readonly banner?: string;
  /** A script for `openProgram`, instead of a module. */
  readonly isScript?: boolean;
  /** The scripts that it loads, by name. */
  readonly scripts?: Readonly<Record<string, string>>;
}

export interface Built {
  readonly outfile: string;
  readonly code: string;
  readonly metafile: Metafile;
}

/** CommonJS packages in a bundle call `require` for Node's own modules, which ESM lacks. */
const requireBanner = `import { createRequire as createRequireForBundle } from "node:module";
const require = createRequireForBundle(import.meta.url);`;

/** A script is a function, whose parameters stand for what a module has. */
const scriptStart = '(function (require, module, importMetaUrl) { "use strict";';
const scriptEnd = "})";

async function bundle(root: string, asked: Bundle): Promise<Built> {
  const { entry, outfile, target = "node24", isScript = false, scripts = {} } = asked;
  const { banner = isScript ? scriptStart : requireBanner } = asked;
  const hashes = Object.entries(scripts).map(([name, code]) => [name, hashOf(code)]);
  const result = await build({
    absWorkingDir: root,
    ...(typeof entry === "string"
      ? { entryPoints: [entry] }
      : { stdin: { contents: entry.text, resolveDir: join(root, "node_modules", entry.of) } }),
    outfile,
    write: false,
    bundle: true,
    // The SDK prints messages of MCP servers: on a runner such a line could be a command.
    ...(outfile === "dist/mcp-sdk.mjs" && { drop: ["console"] }),
    platform: "node",
    format: isScript ? "cjs" : "esm",
    target,
    define: {
      builtScripts: JSON.stringify(Object.fromEntries(hashes)),
      ...(isScript && { "import.meta.url": "importMetaUrl" }),
    },
    // Node prints a warning for the first import() of a script that it compiled.
    supported: { "dynamic-import": !isScript },
    splitting: false,
    minify: false,
    charset: "ascii",
    legalComments: "inline",
    metafile: true,
    logLevel: "warning",
    banner: { js: banner },
    footer: { js: isScript ? scriptEnd : "" },
    plugins: [beside],
  });
  const code = result.outputFiles.map(({ text }) => asciiOf(text)).join("");
  return { outfile, code, metafile: result.metafile };
}

/**
 * A file with a single non-ASCII character is read with two bytes per character, and copied and hashed in that form: a
 * tenth of the time that `regrade --help` takes. esbuild writes strings in ASCII; this converts comments and regular
 * expressions, in which `\u` has the same meaning.
 */
function asciiOf(code: string): string {
  const changed = code.match(/String\.raw`[^`]*[^`\p{ASCII}][^`]*`/v);
  if (changed !== null) throw new Error(`this text would change in ASCII: ${changed[0]}`);
  return code.replaceAll(beyondAscii, (found) => {
    const units = Array.from({ length: found.length }, (_, at) => found.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

const beyondAscii = /[^\p{ASCII}]+/gv;

/**
 * The page of report.html without its data, as one file, because each report contains it. Therefore it is the only
 * bundle that is minified. Its content security policy lets only this very script and style load and run.
 */
async function bundlePage(root: string): Promise<Built> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { page: "viewer/main.tsx", style: "viewer/style.css" },
    outdir: "dist",
    write: false,
    bundle: true,
    platform: "browser",
    format: "iife",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const textOf = (name: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(name))?.text.trim() ?? "";
  const [script, style] = [textOf("page.js"), textOf("style.css")];
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    // Sizes and positions of rows are set by the script, which style policies don't restrict.
    `style-src '${hashOf(style)}'`,
    // The script makes the worker that searches by an expression; the worker has the same policy.
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const template = await readFile(join(root, "viewer/template.html"), "utf8");
  const parts: readonly (readonly [mark: string, text: string])[] = [
    ["policy of the page", policy],
    ["<!-- style of the page -->", `<style>${style}</style>`],
    ["<!-- script of the page -->", `<script>${script}</script>`],
  ];
  const code = parts.reduce((page, [mark, text]) => page.replace(mark, () => text), template);
  return { outfile: "dist/report.html", code, metafile: result.metafile };
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** The command line must not contain GitHub's packages, which would double its start-up time. */
function refusePackages({ outfile, metafile }: Built, prefixes: readonly string[]): void {
  const found = packagesOf({ metafile }).filter((folder) =>
    prefixes.some((prefix) => folder.includes(`node_modules/${prefix}`)),
  );
  if (found.length > 0) throw new Error(`${outfile} must not hold ${found.join(", ")}`);
}

/** Refuses a file that no bundle loads on demand: its module has become a part of the bundles that import it. */
function refuseUnused({ outfile }: Built, bundles: readonly Built[]): void {
  const name = JSON.stringify(`./${basename(outfile)}`);
  if (!bundles.some(({ code }) => code.includes(name)))
    throw new Error(`no bundle loads ${outfile}: is its source's path in the plugin "beside"?`);
}

export const root = dirname(import.meta.dirname);

// For comparisons, another output folder than dist/ can be given.
await buildDist(root, resolve(process.argv[2] ?? join(root, "dist")));
