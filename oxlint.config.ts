import { defineConfig, type OxlintOverride } from "oxlint";
import { effectGlobals, effectModules, layers, mayTouch } from "./scripts/layers.ts";

const noEffects =
  "Files, processes, the network and the clock belong to the adapters and the doors: this layer is handed what it needs.";

/** Folders by a glob of what is below them, files by their paths from each depth of src/. */
const importsOf = (name: string): readonly string[] =>
  name.endsWith(".ts") ? [`../${name}`, `../../${name}`, `../../../${name}`] : [`**/${name}/**`];

const filesOf = (name: string): string => (name.endsWith(".ts") ? `src/${name}` : `src/${name}/**`);

/** A wall for each line of the table: what it may not import, and whether it may touch the outside. */
const walls = layers.flatMap((layer): OxlintOverride[] => {
  const { name, block, imports } = layer;
  if (imports === "anything") return [];
  const foreign = layers.filter((each) => each.name !== name && !imports.includes(each.name));
  const isPure = !mayTouch.includes(block);
  const patterns = [
    {
      group: foreign.flatMap((each) => importsOf(each.name)),
      message: `${name} imports itself and ${imports.join(", ") || "nothing"} (scripts/layers.ts).`,
    },
    ...(isPure ? [{ group: [...effectModules], message: noEffects }] : []),
    ...(block === "adapters"
      ? [{ group: ["@actions/*"], message: "GitHub's packages belong to github/." }]
      : []),
  ];
  const globals = effectGlobals.map((each) => ({ name: each, message: noEffects }));
  return [
    {
      files: [filesOf(name)],
      rules: {
        "no-restricted-imports": ["error", { patterns }],
        ...(isPure ? { "no-restricted-globals": ["error", ...globals] } : {}),
      },
    },
  ];
});

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
      files: ["test/**", "bench/**", "scripts/**"],
      rules: {
        "max-lines-per-function": "off",
        "max-lines": "off",
        "no-console": "off",
        "typescript/consistent-type-assertions": "off",
      },
    },
    {
      files: ["viewer/**"],
      rules: {
        "max-lines-per-function": ["error", { max: 65, skipBlankLines: true, skipComments: true }],
        // Each part of a page that may be absent counts as a branch.
        complexity: ["error", { max: 20 }],
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              {
                regex: "^\\.\\./src/(?!model/|report/words/|report/shell-word)",
                message: "viewer/ imports the model's types and the report's words.",
              },
            ],
          },
        ],
      },
    },
    { files: ["examples/**"], rules: { "no-console": "off" } },
    { files: ["*.config.ts"], rules: { "import/no-default-export": "off" } },
  ],
});
