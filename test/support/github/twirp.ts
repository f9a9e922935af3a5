import { createHash } from "node:crypto";
import { Ajv, type ValidateFunction } from "ajv";
import type { Artifact } from "./artifacts.ts";
import type { Asked, Reply, Services } from "./server.ts";
import { readRuntimeToken } from "./token.ts";

export const twirpPath = "/twirp/github.actions.results.api.v1.ArtifactService/";

const ajv = new Ajv({ strict: true });
const text = { type: "string", minLength: 1 };
/** Names that the service accepts: no `" : < > | * ? \ /` and no line break. */
const artifactName = { type: "string", minLength: 1, pattern: '^[^":<>|*?\\r\\n\\\\/]+$' };
const ids = { workflow_run_backend_id: text, workflow_job_run_backend_id: text };

/** The bodies as protobuf's JSON has them; an unknown field is a mistake of the caller. */
const requests: Readonly<Record<string, ValidateFunction>> = {
  CreateArtifact: compile(
    {
      ...ids,
      name: artifactName,
      version: { const: 7 },
      mime_type: text,
      expires_at: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT.*Z$" },
    },
    [...Object.keys(ids), "name", "version"],
  ),
  FinalizeArtifact: compile(
    {
      ...ids,
      name: artifactName,
      size: { type: "string", pattern: "^\\d+$" },
      hash: { type: "string", pattern: "^sha256:[0-9a-f]{64}$" },
    },
    [...Object.keys(ids), "name", "size"],
  ),
  ListArtifacts: compile({ ...ids, name_filter: text, id_filter: text }, Object.keys(ids)),
  GetSignedArtifactURL: compile({ ...ids, name: artifactName }, [...Object.keys(ids), "name"]),
};

function compile(properties: object, required: readonly string[]): ValidateFunction {
  return ajv.compile({ type: "object", properties, required, additionalProperties: false });
}

/** The artifact service: checks the token, then the body, then answers. */
export function answerTwirp(asked: Asked, services: Services): Reply {
  switch (services.trouble.artifactService) {
    case "down":
      return twirpError(503, "unavailable", "Service Unavailable");
    case "refuses":
      return twirpError(403, "permission_denied", "no artifacts for you ##[set-output name=x]y");
    case "none":
    case "hangs":
  }
  const method = asked.url.pathname.slice(twirpPath.length);
  const token = readRuntimeToken(asked.headers.authorization);
  if (token === undefined) return twirpError(401, "unauthenticated", "bad token");
  const isValid = requests[method];
  if (asked.method !== "POST" || isValid === undefined)
    return twirpError(404, "bad_route", `no ${asked.method} ${method}`);
  const body: unknown = JSON.parse(asked.body.toString());
  if (!isValid(body)) return twirpError(400, "malformed", ajv.errorsText(isValid.errors));
  const request = body as Record<string, string>;
  if (request["workflow_run_backend_id"] !== token.run)
    return twirpError(403, "permission_denied", "another run's id");
  return act(method, { request, run: token.run, job: token.job }, services);
}

interface Call {
  readonly request: Readonly<Record<string, string>>;
  readonly run: string;
  readonly job: string;
}

function act(method: string, call: Call, services: Services): Reply {
  switch (method) {
    case "CreateArtifact":
      return create(call, services);
    case "FinalizeArtifact":
      return finalize(call, services);
    case "ListArtifacts":
      return list(call, services);
    default:
      return signedUrl(call, services);
  }
}

function list({ request, run }: Call, { artifacts }: Services): Reply {
  const { id_filter: id, name_filter: name } = request;
  const found = artifacts
    .list(run)
    .filter((each) => id === undefined || String(each.id) === id)
    .filter((each) => name === undefined || each.name === name);
  return ok({ artifacts: found.map(describe) });
}

function create({ request, run, job }: Call, { artifacts, blobs, url }: Services): Reply {
  const artifact = artifacts.create({
    name: request["name"] ?? "",
    run,
    job,
    expiresAt: request["expires_at"],
    mimeType: request["mime_type"],
  });
  if (artifact === undefined)
    return twirpError(
      409,
      "already_exists",
      "an artifact with this name already exists on the workflow run",
    );
  return ok({ ok: true, signed_upload_url: `${url}${blobs.sign(artifact.blob, "w")}` });
}

function finalize({ request, run }: Call, { artifacts, blobs }: Services): Reply {
  const artifact = artifacts.find(request["name"] ?? "", run);
  const content = artifact && blobs.read(artifact.blob);
  if (!artifact || !content) return twirpError(404, "not_found", "no such upload");
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  if (Number(request["size"]) !== content.length)
    return twirpError(400, "malformed", `size ${request["size"]}, received ${content.length}`);
  if (request["hash"] !== undefined && request["hash"] !== digest)
    return twirpError(400, "malformed", "the hash is of other bytes");
  artifact.content = content;
  artifact.digest = digest;
  return ok({ ok: true, artifact_id: String(artifact.id) });
}

function signedUrl({ request, run }: Call, { artifacts, blobs, url }: Services): Reply {
  const artifact = artifacts.find(request["name"] ?? "", run);
  if (artifact?.content === undefined) return twirpError(404, "not_found", "no such artifact");
  return ok({ signed_url: `${url}${blobs.sign(artifact.blob, "r")}` });
}

function describe(artifact: Artifact): object {
  return {
    workflow_run_backend_id: artifact.run,
    workflow_job_run_backend_id: artifact.job,
    database_id: String(artifact.id),
    name: artifact.name,
    size: String(artifact.content?.length ?? 0),
    created_at: artifact.createdAt,
    digest: artifact.digest,
  };
}

function ok(body: object): Reply {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

function twirpError(status: number, code: string, msg: string): Reply {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: JSON.stringify({ code, msg }) };
}
