import { posix } from "node:path";

const folders =
  /^(?:tests?|__tests__|specs?|e2e|testdata|fixtures|__fixtures__|__snapshots__|cassettes|docs?)$/i;
const names =
  /^(?:test_.*\.py|.*_test\.\w+|.*\.(?:test|spec)\.\w+|conftest\.py|.*\.snap|.*\.ipynb|(?:README|CHANGELOG|CONTRIBUTING)\b.*)$/i;

/**
 * Whether a file is a test or a document by its path. Folders above the manifest, at `home`, say nothing: a suite and its
 * app may be in `tests`. Pure.
 */
export function isTestOrDocument(path: string, home: string): boolean {
  const around = home.split("/");
  const parts = posix.dirname(path).split("/");
  const shared = parts.findIndex((part, i) => part !== around[i]);
  const own = shared < 0 ? [] : parts.slice(shared);
  return own.some((part) => folders.test(part)) || names.test(posix.basename(path));
}
