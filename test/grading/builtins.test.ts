import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { builtinGraders } from "../../src/model/definition/builtins.ts";
import { isJsonObject, type JsonObject } from "../../src/model/json.ts";

const program = `
import importlib, json, pkgutil
import regrade.graders

declared = {}
for found in pkgutil.iter_modules(regrade.graders.__path__):
    module = importlib.import_module(f"regrade.graders.{found.name}")
    if hasattr(module, "create"):
        metrics = [vars(metric) | {"aggregation": metric.aggregation} for metric in module.METRICS]
        declared[found.name] = {"metrics": metrics, "options": module.OPTIONS}
print(json.dumps(declared))
`;

describe("the built-in graders", () => {
  it("have the metrics and options in Python that the manifest accepts", () => {
    const stdout = execFileSync("python3", ["-c", program], {
      env: { ...process.env, PYTHONPATH: "python" },
      encoding: "utf8",
    });
    const programs = Object.entries(builtinGraders).filter(([, { isHere }]) => isHere !== true);
    const inManifest = programs.map(
      ([name, { metrics, options }]) =>
        [name, { metrics, options: withoutExamples(options) }] as const,
    );
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(inManifest));
  });

  it.each(Object.entries(builtinGraders))(
    "%s: the default rule gates its first metric",
    (_, grader) => {
      expect(grader.metrics[0]).toMatchObject({ range: [0, 1], higher_is_better: true });
    },
  );
});

/** Examples are for editors. */
function withoutExamples(options: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(options).map(([key, about]) => {
      const { examples: _, ...rest } = isJsonObject(about) ? about : {};
      return [key, rest];
    }),
  );
}
