import type { AlteredFiles, PolicyChange } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { Suite } from "../../../model/definition/suite.ts";
import type { FileTools } from "../../../tools.ts";
import { importsIn, sourceOf } from "./grader-fields.ts";
import { judgingSources } from "./grader-packages.ts";

/** Files from which a job installs Python packages. */
const installers =
  /(?:^|\/)(?:[\w.-]*requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile(?:\.lock)?|(?:poetry|uv|pdm)\.lock|pylock[\w.]*\.toml|(?:conda|environment)[\w.-]*\.ya?ml)$/i;

/** Files by which a version manager (pyenv, uv, asdf, mise) or `setup-python` chooses the Python that `python3` is. */
const pythonChoosers = /(?:^|\/)(?:\.python-version|\.tool-versions|\.?mise(?:\.\w+)?\.toml)$/i;

/** Modules of Python itself (`sys.stdlib_module_names`), which no installer brings. */
const ofPython: ReadonlySet<string> = new Set(
  `
  abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2
  cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser
  contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils
  doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc
  genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp
  importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math
  mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator
  optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint
  profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource
  rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
  socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess
  sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit
  tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest
  urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport
  zlib zoneinfo
`.match(/\w+/g),
);

/** Files named in one note. */
const mostNamed = 3;

type Altered = Pick<AlteredFiles, "here" | "there">;

/** Notes on what judges and on what it runs, as far as the change may install another. */
export async function requirementNotes(
  base: Suite,
  altered: Altered,
  files: FileTools,
): Promise<readonly PolicyChange[]> {
  return [...pythonNotes(altered), ...(await packageNotes(base, altered, files))];
}

/**
 * A note on a change of the file by which `python3` is chosen: graders, also those that come with Regrade, and preprocessors run
 * on it.
 */
function pythonNotes({ here, there }: Altered): readonly PolicyChange[] {
  // The files of managers of many tools need not be about Python.
  const found = [...here, ...there].filter(
    ({ path, bytes }) =>
      pythonChoosers.test(path) && (path.endsWith(".python-version") || names(bytes, "python")),
  );
  const paths = [...new Set(found.map(({ path }) => path))].slice(0, mostNamed);
  if (paths.length === 0) return [];
  const note = `what judges may run on another Python, which this change may choose by ${listed(paths)}: see that it judges as before`;
  return [{ part: "task", task: null, effect: "told", note }];
}

/**
 * Notes on packages that judge and that the change may install otherwise: a file that says what a job installs is added,
 * edited or deleted, and names a package that a Python grader or preprocessor of the base imports. *Not* found: packages
 * whose name for the installer is another than their module's (`scikit-learn`, `sklearn`).
 */
async function packageNotes(
  base: Suite,
  { here, there }: Altered,
  files: FileTools,
): Promise<readonly PolicyChange[]> {
  const altered = [...here, ...there].filter(({ path }) => installers.test(path));
  if (altered.length === 0) return [];
  const found = base.tasks.map(async (task): Promise<readonly PolicyChange[]> => {
    const texts = await Promise.all(judgingSources(task).map((source) => sourceOf(source, files)));
    const modules = new Set(
      texts
        .flat()
        .flatMap(importsIn)
        .map(([first = ""]) => first),
    );
    const named = [...modules].flatMap((module) => {
      if (module === "" || ofPython.has(module)) return [];
      const paths = altered.filter(({ bytes }) => names(bytes, module)).map(({ path }) => path);
      return paths.length === 0 ? [] : [{ module, paths }];
    });
    if (named.length === 0) return [];
    const paths = [...new Set(named.flatMap((each) => each.paths))].slice(0, mostNamed);
    const packages = listed(named.slice(0, mostNamed).map(({ module }) => module));
    const note = `what judges it imports ${packages}, which this change may install in another version, by ${listed(paths)}: see that it judges as before`;
    return [toldNote(note, { task: task.id })];
  });
  return (await Promise.all(found)).flat();
}

function listed(all: readonly string[]): string {
  return all.map((each) => `\`${each}\``).join(", ");
}

/** Whether a text has a name as a word of its own; for an installer `-`, `_` and `.` are the same. */
function names(bytes: Uint8Array, module: string): boolean {
  const parts = module.split(/[-_.]/).map((part) => part.replaceAll(/\W/g, "\\$&"));
  return new RegExp(`(?<![\\w-])${parts.join("[-_.]")}(?![\\w-])`, "i").test(
    new TextDecoder().decode(bytes),
  );
}
