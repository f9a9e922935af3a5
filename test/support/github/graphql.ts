import type { Rest } from "./rest.ts";
import type { Asked, Reply } from "./server.ts";

/** The only GraphQL query, because REST can't tell the identity of GITHUB_TOKEN. */
const viewerQuery = /^\s*(?:query\s*)?\{\s*viewer\s*\{\s*login\s*\}\s*\}\s*$/;

export function answerGraphql({ body, headers }: Asked, rest: Rest): Reply {
  const { query } = JSON.parse(body.toString()) as { query: string };
  const type = { "content-type": "application/json" };
  if (!/^(token|bearer) \S+$/i.test(headers.authorization ?? ""))
    return { status: 401, headers: type, body: JSON.stringify({ message: "Bad credentials" }) };
  if (!viewerQuery.test(query)) {
    rest.violations.push(`the stand-in does not know the GraphQL query ${query}`);
    const errors = [{ type: "undefinedField", message: "unknown query" }];
    return { status: 200, headers: type, body: JSON.stringify({ errors }) };
  }
  const { login } = rest.state.token.user;
  return { status: 200, headers: type, body: JSON.stringify({ data: { viewer: { login } } }) };
}
