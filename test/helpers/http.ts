import http from 'node:http';

/** A problem document, as far as tests look at it. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  errors?: {
    in: string;
    path: string;
    code: string;
    message: string;
    line?: number;
    column?: number;
  }[];
}

export interface Answer<T = unknown> {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The body as it came. */
  text: string;
  /** The body parsed, when its type is JSON. */
  body: T;
}

/** The status of an answer, and the fields that the refusal names. */
export const faultOf = ({ status, body }: Answer<Pick<ProblemBody, 'errors'>>) => [
  status,
  body.errors?.map(({ path }) => path),
];

/** The fields that a refusal names. */
export const faults = ({ errors = [] }: Pick<ProblemBody, 'errors'>): string[] =>
  errors.map(({ path }) => path);

export interface RequestOptions {
  token?: string;
  /** A JSON body. */
  body?: unknown;
  /** A body sent as it is, with no media type but the one given in `headers`. */
  raw?: string | Buffer;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  /** Ends the request and its connection. */
  signal?: AbortSignal;
}

/** One request over real HTTP, its path sent byte for byte: nothing is normalised on the way. */
export function request<T = unknown>(
  base: string,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer<T>> {
  const { hostname, port } = new URL(base);
  const payload =
    options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      {
        hostname,
        port,
        method,
        path: path + searchOf(options.query),
        ...(options.signal ? { signal: options.signal } : {}),
        headers: {
          ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
          ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }),
          ...options.headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => resolve(answerOf<T>(incoming, Buffer.concat(chunks).toString())));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

function searchOf(query: RequestOptions['query']): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (!pairs.length) return '';
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

function answerOf<T>(incoming: http.IncomingMessage, text: string): Answer<T> {
  const isJson = /json/.test(incoming.headers['content-type'] ?? '');
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text,
    body: (isJson && text ? JSON.parse(text) : undefined) as T,
  };
}
