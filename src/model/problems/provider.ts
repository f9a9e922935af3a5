import type { Said } from "./said.ts";

/** Problems with models, providers, settings, and apps over HTTP that the manifest alone shows. */
export const providerTexts = {
  model_without_provider: ({ model }: { model: string }): Said => ({
    message: `found the model ${JSON.stringify(model)}; a model is written provider:model`,
    hint: `Put its provider before it, such as openai:${model}.`,
  }),
  provider_unknown: ({ provider, known, nearest }: ProviderUnknown): Said => ({
    message: `there is no provider ${JSON.stringify(provider)}; there are ${known.join(", ")}`,
    hint:
      nearest === undefined
        ? `Declare it: providers: { ${provider}: { base_url: "https://…/v1", api_key_env: … } }.`
        : `Did you mean ${nearest}?`,
  }),
  provider_unused: ({ provider }: { provider: string }): Said => ({
    message: `no model of this suite is of the provider ${JSON.stringify(provider)}`,
  }),
  provider_address_fixed: (found: { provider: string; hosts: string; host: string }): Said => ({
    message: `the built-in provider ${found.provider} answers at ${found.hosts}, not at ${found.host}: its key goes nowhere else`,
    hint: "Give your own provider another name, and a key of its own in `api_key_env`.",
  }),
  azure_resource_missing: ({ variable }: { variable: string }): Said => ({
    message: "a model of azure needs the address of your resource",
    hint: `Add it: providers: { azure: { base_url: "https://NAME.openai.azure.com/openai/v1" } }, or set ${variable}.`,
  }),
  key_of_builtin: (found: { name: string; owner: string; host: string }): Said => ({
    message: `${found.name} is the key of the built-in provider ${found.owner}, and would go to ${found.host}`,
    hint: "A built-in provider's key goes to its own host only, and over https. Put this one's key into a variable of another name.",
  }),
  key_of_runner: ({ name, host }: { name: string; host: string }): Said => ({
    message: `${name} belongs to the runner, and would go to ${host}`,
    hint: "With it the other side could act as the workflow. Give it a key of its own, under another name.",
  }),
  url_malformed: ({ found }: { found: string }): Said => ({
    message: `found ${JSON.stringify(found)}, which is no address`,
    hint: "Write it in full, such as https://models.example.com/v1.",
  }),
  url_scheme: ({ scheme }: { scheme: string }): Said => ({
    message: `found an address with ${scheme}; allowed are https:// and http://`,
  }),
  url_credentials: (): Said => ({
    message: "the address holds a user or a password",
    hint: "A manifest is no place for secrets. Put the key into an environment variable and name that.",
  }),
  url_extra: ({ part, found }: { part: string; found: string }): Said => ({
    message: `the base URL has ${part} (${found})`,
    hint: "It ends before /chat/completions and /responses, which are put behind it, and has neither ? nor #.",
  }),
  url_template_host: (): Said => ({
    message: "the address has a template before its path",
    hint: "Where requests go is not for a row to say: write the host out, and templates after it.",
  }),
  url_not_encrypted: ({ host }: { host: string }): Said => ({
    message: `http:// to ${host} is not encrypted: prompts, answers and keys can be read on the way`,
    hint: "Use https://, if the other side offers it.",
  }),
  header_reserved: ({ name, instead }: { name: string; instead: string }): Said => ({
    message: `the header ${name} can't be set here`,
    hint: instead,
  }),
  proxy_malformed: ({ name }: { name: string }): Said => ({
    message: `the variable ${name} holds no address of a proxy`,
    hint: "Write it as http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT with percent-encoded words; or leave the variable unset.",
  }),
  setting_conflict: (found: { key: string; other: string }): Said => ({
    message: `\`${found.key}\` and \`${found.other}\` mean the same and have different values`,
    hint: "Keep one of them.",
  }),
  settings_not_sent: ({ settings, model, why }: SettingsNotSent): Said => ({
    message: `not sent to ${model}: ${settings.join(", ")}; ${why}`,
  }),
  settings_refused: ({ settings, model, why, instead }: SettingsRefused): Said => ({
    message: `${model} will refuse ${settings.join(", ")}: ${why}`,
    hint: instead,
  }),
  body_fields_unsafe: ({ fields }: { fields: readonly string[] }): Said => ({
    message: `taken out of \`extra_body\`: ${fields.join(", ")}`,
    hint: "It adds to the request; it does not change the model, the prompt, where they go, or how the answer comes.",
  }),
  http_env_undeclared: ({ name }: { name: string }): Said => ({
    message: `{{env.${name}}} is used here, and \`env\` does not name ${name}`,
    hint: `Add it beside \`http\`: env: [${name}].`,
  }),
  http_env_in_url: ({ name }: { name: string }): Said => ({
    message: `{{env.${name}}} is in the address`,
    hint: "Addresses end up in logs: pass a secret in a header.",
  }),
  http_same_request: (): Said => ({
    message: "every case would send the same request: it contains no template",
    hint: 'Add the prompt, such as body: { prompt: "{{prompt}}" }.',
  }),
  http_body_of_get: (): Said => ({
    message: "a GET request has no body",
    hint: "Use method: POST, or put what the body says into the address.",
  }),
  pointer_malformed: ({ found }: { found: string }): Said => ({
    message: `found ${JSON.stringify(found)}, which is no JSON pointer`,
    hint: "A JSON pointer is empty or begins with /, such as /choices/0/text; ~0 and ~1 stand for ~ and /.",
  }),
} satisfies Record<string, (found: never) => Said>;

interface ProviderUnknown {
  readonly provider: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

interface SettingsRefused {
  readonly model: string;
  readonly settings: readonly string[];
  readonly why: string;
  readonly instead: string;
}

interface SettingsNotSent {
  readonly settings: readonly string[];
  readonly model: string;
  readonly why: string;
}
