import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";

/**
 * PATH that starts with a Python without packages and without a version manager's shim: the machine's start-up code
 * (shims, `.pth` files) takes longer than Python itself, and would distort the tests.
 */
export function pathWithPython(): string {
  const path = process.env["PATH"] ?? "";
  const bare = join(import.meta.dirname, "..", "node_modules", ".cache", "python");
  const asked = ["-I", "-c", makeBare, bare];
  const { stdout } = spawnSync("python3", asked, { encoding: "utf8" });
  const found = (stdout ?? "").trim();
  return found === "" ? path : `${dirname(found)}${delimiter}${path}`;
}

/** Makes a virtual environment of this interpreter unless it already is one, and returns the path of the Python to use. */
const makeBare = `
import os, sys, venv
folder = sys.argv[1]
python = os.path.join(folder, "bin", "python3")
try:
    with open(os.path.join(folder, "made-of"), encoding="utf-8") as file:
        made_of = file.read()
except OSError:
    made_of = ""
if os.path.realpath(sys.prefix) == os.path.realpath(folder):
    made_of = sys.version + sys.executable
try:
    if made_of != sys.version + sys.executable:
        venv.create(folder, clear=True, symlinks=True, with_pip=False)
        with open(os.path.join(folder, "made-of"), "w", encoding="utf-8") as file:
            file.write(sys.version + sys.executable)
    print(python)
except Exception:
    print(sys.executable)
`;
