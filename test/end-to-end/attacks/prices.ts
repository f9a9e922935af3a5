import { startProvider } from "../../support/provider/server.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";

interface Asked {
  /** US dollars per million tokens. */
  readonly price: number;
  readonly provider?: string;
  readonly prompt?: string;
}

const long = `${"Please think hard. ".repeat(20)}What is {{q}}?`;

/** A rule on what a case costs, and a change of the prompt and of the price. */
async function costs(head: Asked): Promise<Ended> {
  await using server = await startProvider({ answer: () => "1" });
  const files = ({ price, provider = "local", prompt = "What is {{q}}?" }: Asked) => {
    const prices = `{ m: { input: ${price}, output: ${price} } }`;
    const made = suiteFiles({
      cases: 4,
      candidates: `{ app: '${provider}:m' }`,
      gate: "{ rules: [{ metric: '*/usd', max: 0.01 }] }",
      more: [`providers: { ${provider}: { base_url: "${server.url}", prices: ${prices} } }`],
    });
    const manifest = (made["evals/qa.yaml"] ?? "").replace("What is {{q}}?", prompt);
    return { ...made, "evals/qa.yaml": manifest };
  };
  return await judged({ base: files({ price: 1000 }), head: files(head) });
}

let honest: Promise<Ended> | undefined;
const control = (): Promise<Ended> => (honest ??= costs({ price: 1000 }));
const says = "usd is $0.0640, above $0.0100";

/** The change makes its answers dearer, and says that they are not. */
export const prices: readonly Attack[] = [
  {
    attack: "lowers the price of the model that it asks for more",
    control,
    run: () => costs({ price: 0.001, prompt: long }),
    code: 1,
    says,
  },
  {
    attack: "gives the provider another name, and the model a lower price",
    control,
    run: () => costs({ price: 0.001, provider: "other", prompt: long }),
    code: 1,
    says,
  },
];
