import type { Headers } from './headers.ts';

/** Returns null, or why a redirection to `url` must not be followed. The reason is the message of a `TARGET_REFUSED`. */
export type RefuseRedirect = (url: URL) => string | null;

export interface OutboundRequest {
  method: string;
  url: string;
  /** The headers that the user chose. After a redirection to another origin, headers that may be credentials are dropped. */
  headers?: Readonly<Headers>;
  /**
   * The caller's own headers, such as an idempotency key or a trace, which `headers` cannot replace. They are sent to
   * every origin of a redirection, so they must not contain secrets.
   */
  ownHeaders?: Readonly<Headers>;
  /**
   * Headers that contain secrets, which `headers` cannot replace. They are sent to the origin of `url` only: after a
   * redirection to another origin they are dropped, whatever their names, also when a later redirection leads back.
   */
  secretHeaders?: Readonly<Headers>;
  /** The body. A string is sent as UTF-8. */
  body?: string | Uint8Array | null;
  /** Milliseconds for the whole request with name resolution, connections, redirections and body. Beyond it, `TIMEOUT`. */
  timeoutMs: number;
  /** Bytes of the decoded body, 1 MiB by default. Beyond it the body is cut or `TOO_LARGE`, see `truncate`. */
  maxBytes?: number;
  /**
   * Whether a body is cut and answered with `truncated` where it is too long, or where its encoding is broken or unknown,
   * instead of the errors `TOO_LARGE` and `CONNECTION_FAILED`.
   */
  truncate?: boolean;
  /** Aborts the request and closes its connection at once. */
  signal?: AbortSignal;
  /** Redirections that are followed, 3 by default. Beyond it, `CONNECTION_FAILED`; with 0 a redirection is a normal answer. */
  maxRedirects?: number;
  /** Decides about each redirection, within one origin as well, before the name of its host is resolved. */
  refuseRedirect?: RefuseRedirect;
}

export interface OutboundResponse {
  status: number;
  /** The headers by lower-case name. A decoded body has no `content-encoding` and `content-length`. */
  headers: Headers;
  body: Uint8Array;
  truncated: boolean;
  /** The URL that answered, after redirections. */
  url: string;
}
