/** Names that indicate a secret. */
const secretName =
  /KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|PRIVATE|SIGN|COOKIE|SESSION|DSN|WEBHOOK|SALT|CERT|(?:^|_)(?:PW|PIN|PAT|JWT|OTP|PSK|B(?:ASE)?64)(?:_|$)/i;

/**
 * True for a value that can't be a secret, though a candidate is given it: a mode, a region, a path, a number, an address
 * without a password. Hiding `production` would blacken that word in every answer. In doubt it is a secret.
 */
export function plainlyPublic(name: string, value: string): boolean {
  if (secretName.test(name)) return false;
  return isPath(value) || isAddress(value) || isWords(value);
}

/** Base64 may begin with a slash too: its parts are long mixtures, or it ends in `=`. */
function isPath(value: string): boolean {
  const isRooted =
    /^(?:~|\.{1,2})?\/[^\s:@?]*$/.test(value) || /^[A-Za-z]:\\[^\s:@?]*$/.test(value);
  return isRooted && !value.endsWith("=") && !value.split(/[/\\]/).some(isMixture);
}

function isMixture(part: string): boolean {
  return (
    /^[A-Za-z\d+]{16,}$/.test(part) && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(part))
  );
}

/** Without user, password and query, which may hold a key. */
function isAddress(value: string): boolean {
  if (!/^https?:/.test(value) || !URL.canParse(value)) return false;
  const { username, password, search, hash, pathname } = new URL(value);
  return username + password + search + hash === "" && isWords(pathname);
}

/** `eu-west-1`, `gpt-4.1-mini`, `127.0.0.1`, `GitHub`: words of letters, short numbers, short mixtures of both. */
function isWords(value: string): boolean {
  return value
    .split(/[-_.,:/ ]+/)
    .every((part) =>
      /^(?:[a-z]{0,20}|[A-Z]{0,20}|[A-Z][a-z]{0,20}|(?:[A-Z][a-z]{2,20}){2,3}|\d{1,8}|[a-z\d]{1,6})$/.test(
        part,
      ),
    );
}
