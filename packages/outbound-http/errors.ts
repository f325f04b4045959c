import { errors } from 'undici';

export type OutboundErrorKind =
  /** The request cannot be sent because of its method, headers or body. */
  | 'INVALID_REQUEST'
  /** The address of the request or of a redirection must not be called. */
  | 'TARGET_REFUSED'
  | 'CONNECTION_FAILED'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'ABORTED';

/** The failure of a request. The message is for users and shows no internal detail. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

const connectionFailure = (message: string, cause: unknown) =>
  new OutboundError('CONNECTION_FAILED', message, cause);

/** Converts an error of undici, the network or zlib to an `OutboundError`. An error without a code is returned unchanged. */
export function outboundErrorOf(error: unknown, host: string): unknown {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  if (code === undefined) return error; // a defect of this package
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('TOO_LARGE', `The headers that ${host} sent are too large.`, error);
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new OutboundError('ABORTED', 'The request was given up: the service stops.', error);
  }
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return new OutboundError('INVALID_REQUEST', 'The request cannot be sent as it is.', error);
  }
  return connectionFailure(sentenceOf(code, host), error);
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof errors.HTTPParserError) return 'HPE_INVALID';
  const code: unknown = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

function sentenceOf(code: string, host: string): string {
  if (code === 'ECONNREFUSED') return `${host} refused the connection.`;
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return `${host} did not take the connection in time.`;
  }
  if (/CERT|ERR_TLS|UNABLE_TO_/.test(code)) {
    return `The certificate of ${host} is not valid for it or not trusted.`;
  }
  if (code.startsWith('HPE_')) return `${host} did not answer in HTTP.`;
  if (/^Z_|^ERR_.*_DECOMPRESS|^ERR__ERROR|^ERR_BROTLI|^ERR_PADDING/.test(code)) {
    return `The body that ${host} sent is damaged.`;
  }
  return `The connection to ${host} failed.`;
}
