/** Makes one HTTP exchange: no retry, no redirect, and nothing is thrown. */
export type SendHttp = (request: HttpRequest) => Promise<HttpEnd>;

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Covers the time from the start to the last byte. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export type HttpEnd =
  | {
      readonly kind: "response";
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** Decoded as UTF-8; invalid bytes are replaced. */
      readonly body: string;
    }
  /** `sent`: the request may have reached the other side, which may have processed and charged it. */
  | {
      readonly kind: "failed";
      readonly type: HttpFault;
      readonly message: string;
      readonly sent: boolean;
    }
  | { readonly kind: "cancelled" };

export type HttpResponse = Extract<HttpEnd, { readonly kind: "response" }>;

export type HttpFault =
  | "timeout"
  | "connection_reset"
  | "connection_refused"
  | "name_not_resolved"
  | "tls"
  | "response_too_large"
  /** The response breaks the protocol: it is not HTTP or, if the candidate parses it, not the JSON of its API. */
  | "bad_response"
  | "network"
  /** This process may open no more files (EMFILE). */
  | "open_files_limit";
