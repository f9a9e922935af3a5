import { defineConfig, type OxlintOverride } from "oxlint";

/** The rooms of the house: each knows the foundation and itself. */
const rooms = [
  "manifest",
  "dataset",
  "results",
  "prompt",
  "candidate",
  "extraction",
  "grading",
  "metrics",
  "gate",
  "report",
  "platform",
  "process",
];

/** Rooms that compute: what they need from outside is handed to them as functions. */
const pureRooms = rooms.filter((room) => room !== "process" && room !== "platform");

const star =
  "A room knows the foundation (domain/) and itself; what it needs of another room the corridor hands it as a function type from domain/.";
const noEffects =
  "Files, processes and the network belong to process/: this room takes them as functions, so that it stays pure and testable.";
const corridor =
  "The corridor knows the rooms that compute; the utility room and the post office are handed to it by wiring.ts.";
const foundation = "The foundation imports nothing: everything else stands on it.";

/** All that is not the foundation, seen from a folder of it. */
const beyond = (outside: string): { group: string[]; message: string } => ({
  group: [outside, "node:*", "@actions/*"],
  message: foundation,
});

const effects = [
  "node:fs",
  "node:fs/promises",
  "node:child_process",
  "node:http",
  "node:https",
  "node:net",
  "node:os",
  "node:process",
  "node:worker_threads",
  "execa",
  "@actions/*",
];

const walls = rooms.map((room): OxlintOverride => ({
  files: [`src/${room}/**`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: [
              ...rooms.filter((other) => other !== room).map((other) => `**/${other}/**`),
              "../*.ts",
            ],
            message: star,
          },
          ...(pureRooms.includes(room) ? [{ group: effects, message: noEffects }] : []),
          ...(room === "process"
            ? [{ group: ["@actions/*"], message: "GitHub's packages belong to platform/." }]
            : []),
        ],
      },
    ],
    ...(pureRooms.includes(room)
      ? {
          "no-restricted-globals": [
            "error",
            { name: "process", message: noEffects },
            { name: "fetch", message: noEffects },
          ],
        }
      : {}),
  },
}));

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "node", "promise"],
  options: { typeAware: true },
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  ignorePatterns: ["dist/**"],
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-assertions": ["error", { assertionStyle: "never" }],
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/strict-boolean-expressions": "off",
    "typescript/consistent-type-imports": "error",
    "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
    "max-lines-per-function": ["error", { max: 50, skipBlankLines: true, skipComments: true }],
    "max-params": ["error", { max: 3 }],
    "unicorn/prefer-set-has": "off",
    complexity: ["error", { max: 15 }],
    // TypeScript's noImplicitReturns does it, and knows that a switch over a union is complete.
    "typescript/consistent-return": "off",
    "consistent-return": "off",
    eqeqeq: "error",
    "no-var": "error",
    "prefer-const": "error",
    "no-console": "error",
    "import/no-default-export": "error",
    "import/no-cycle": "error",
    // Samples are worked on in order where order matters; what may run side by side does so in lanes.
    "no-await-in-loop": "off",
    "unicorn/no-array-sort": "error",
    "typescript/no-unsafe-type-assertion": "off",
  },
  overrides: [
    ...walls,
    {
      files: ["src/domain/*.ts"],
      rules: { "no-restricted-imports": ["error", { patterns: [beyond("../**")] }] },
    },
    {
      files: ["src/domain/texts/*.ts"],
      rules: { "no-restricted-imports": ["error", { patterns: [beyond("../../**")] }] },
    },
    {
      files: ["test/**", "bench/**", "scripts/**"],
      rules: {
        "max-lines-per-function": "off",
        "max-lines": "off",
        "no-console": "off",
        "typescript/consistent-type-assertions": "off",
      },
    },
    { files: ["examples/**"], rules: { "no-console": "off" } },
    {
      // The corridor passes every room, and touches nothing: effects come in as tools.
      files: ["src/runs.ts", "src/pipeline/**"],
      rules: {
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              {
                group: ["**/process/**", "**/platform/**", "**/cli/**", "../wiring.ts"],
                message: corridor,
              },
              { group: effects, message: noEffects },
            ],
          },
        ],
        "no-restricted-globals": ["error", { name: "process", message: noEffects }],
      },
    },
    { files: ["*.config.ts"], rules: { "import/no-default-export": "off" } },
  ],
});
