import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Draws docs/images/quickstart.svg from the quickstart's output: `node scripts/draw-terminal.ts`. An SVG of text is
 * small, sharp at every size, and its changes can be read in a diff.
 */
async function drawQuickstart(root: string): Promise<void> {
  const command = "node dist/cli.mjs run examples/quickstart/suite.yaml";
  const { text, code } = runInTerminal(command, root);
  const screen = [
    promptLine(command),
    ...text.trimEnd().split("\n").map(readStyles).flatMap(wrapLine),
    [],
    promptLine("echo $?"),
    readStyles(String(code)),
  ];
  const file = join(root, "docs", "images", "quickstart.svg");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, draw(screen, "regrade"));
  console.log(`${file}: ${screen.length} lines`);
}

/** Part of util-linux: runs a command in its own terminal. */
const terminal = "script";

/** Final screen of a terminal with this number of columns. */
function runInTerminal(command: string, root: string): { text: string; code: number | null } {
  const started = `stty cols ${columns} rows 40; exec ${command}`;
  const { stdout, status } = spawnSync(terminal, ["-qec", started, "/dev/null"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TERM: "xterm-256color", NO_COLOR: "" },
  });
  const lines = stdout.replaceAll("\r\n", "\n").split("\n");
  // The progress line is drawn again and again, and erased at the end.
  const text = lines.map((line) => line.split("\r\u001B[K").at(-1) ?? "").join("\n");
  return { text, code: status };
}

const columns = 112;
/** In pixels. */
const font = { size: 14, width: 8.43, line: 21 };
const margin = { side: 20, top: 54, bottom: 20 };
/** A dark terminal with its own border looks the same on light and dark pages. */
const palette = {
  ground: "#0d1117",
  bar: "#161b22",
  border: "#3d444d",
  text: "#e6edf3",
  dim: "#8b949e",
  prompt: "#79c0ff",
};
/** By SGR code: the foreground colours that the program uses. */
const colours: Readonly<Record<number, string>> = {
  31: "#ff7b72",
  32: "#56d364",
  33: "#e3b341",
  34: "#79c0ff",
  90: palette.dim,
};

interface Style {
  readonly colour: string;
  readonly bold: boolean;
}

/** A piece of a line in one style. */
interface Piece extends Style {
  readonly text: string;
}

type Line = readonly Piece[];

const plain: Style = { colour: palette.text, bold: false };

function promptLine(command: string): Line {
  return [
    { text: "$ ", colour: palette.prompt, bold: false },
    { text: command, colour: palette.text, bold: true },
  ];
}

/** Converts a line's SGR sequences to styles. */
function readStyles(text: string): Line {
  const pieces: Piece[] = [];
  let style = plain;
  // oxlint-disable-next-line no-control-regex -- ESC is what starts a sequence
  for (const part of text.split(/(\u001B\[[\d;]*m)/)) {
    const codes = /^\u001B\[([\d;]*)m$/.exec(part)?.[1]; // oxlint-disable-line no-control-regex
    if (codes !== undefined) style = codes.split(";").map(Number).reduce(restyle, style);
    else if (part !== "") pieces.push({ text: part, ...style });
  }
  return pieces;
}

function restyle(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, colour: palette.dim };
  if (code === 22)
    return { colour: style.colour === palette.dim ? palette.text : style.colour, bold: false };
  if (code === 39) return { ...style, colour: palette.text };
  return { ...style, colour: colours[code] ?? style.colour };
}

/** Breaks a line at words; further rows keep the indent of the first. */
function wrapLine(line: Line): readonly Line[] {
  const words = line.flatMap(({ text, ...style }) =>
    text.split(/(?<= )(?! )/).map((word): Piece => Object.assign({ text: word }, style)),
  );
  const rows: Piece[][] = [[]];
  let used = 0;
  for (const word of words) {
    if (used > 0 && used + word.text.trimEnd().length > columns) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(word);
    used += word.text.length;
  }
  return rows;
}

function draw(screen: readonly Line[], title: string): string {
  const width = Math.ceil(columns * font.width + 2 * margin.side);
  const height = margin.top + screen.length * font.line + margin.bottom;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (colour, i) => `<circle cx="${20 + i * 20}" cy="17" r="6" fill="${colour}"/>`,
  );
  const rows = screen.flatMap((line, i) => drawLine(line, margin.top + i * font.line + font.size));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">What the quickstart prints: the gate fails, and names the regression and the cases that broke.</title>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${palette.ground}" stroke="${palette.border}"/>
<path d="M1 34V9.5a8.5 8.5 0 0 1 8.5-8.5H${width - 9.5}a8.5 8.5 0 0 1 8.5 8.5V34z" fill="${palette.bar}"/>
${dots.join("")}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="${font.size}">
<text x="${width / 2}" y="22" fill="${palette.dim}" text-anchor="middle">${title}</text>
${rows.join("\n")}
</g>
</svg>
`;
}

/**
 * Each chunk has its own position and length, so that columns stay aligned in any font of the reader. Chunks end at two
 * spaces or more, because some renderers draw a run of spaces as one.
 */
function drawLine(line: Line, y: number): readonly string[] {
  const drawn: string[] = [];
  let start = 0;
  for (const { text, colour, bold } of joinWords(line)) {
    for (const { 0: chunk, index } of text.matchAll(/\S+(?: \S+)*/g)) {
      const x = (margin.side + (start + index) * font.width).toFixed(2);
      const length = (chunk.length * font.width).toFixed(2);
      const weight = bold ? ` font-weight="bold"` : "";
      drawn.push(
        `<text x="${x}" y="${y}" textLength="${length}" fill="${colour}"${weight}>${escapeXml(chunk)}</text>`,
      );
    }
    start += text.length;
  }
  return drawn;
}

/** Joins neighbouring pieces of the same style. */
function joinWords(line: Line): readonly Piece[] {
  const joined: Piece[] = [];
  for (const piece of line) {
    const last = joined.at(-1);
    if (last?.colour === piece.colour && last.bold === piece.bold) {
      joined[joined.length - 1] = { ...last, text: last.text + piece.text };
    } else joined.push(piece);
  }
  return joined;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

await drawQuickstart(dirname(import.meta.dirname));
