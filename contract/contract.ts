import { z } from 'zod';
import { type Access, readsToken } from './access-rule.ts';
import { type EtagRule, takesIfMatch } from './etag-rule.ts';
import { TooManyDownloads } from './file-answer.ts';
import { type IdempotencyRule, takesIdempotencyKey } from './idempotency-rule.ts';
import {
  BodyTooLarge,
  Busy,
  DeadlinePassed,
  Forbidden,
  IdempotencyKeyInFlight,
  IdempotencyKeyReused,
  InternalError,
  InvalidRequest,
  MalformedBody,
  NotFound,
  PreconditionFailed,
  type ProblemType,
  RangeNotSatisfiable,
  RateLimited,
  RequestTimeout,
  StorageFull,
  Unauthenticated,
  Unavailable,
  UnsupportedMediaType,
} from './problem.ts';
import { TooManyWaiting } from './quota.ts';
import type { ResultHeaders } from './result-headers.ts';
import type { TextBodyRule } from './text-body.ts';
import type { ToolRule } from './tool-rule.ts';
import { TooManyUploads, type UploadRule } from './upload.ts';

export type Shape = z.core.$ZodLooseShape;
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The places of an HTTP request that a value may come from. A name stands in one place only. */
export const PLACES = ['path', 'query', 'body', 'header'] as const;
export type Place = (typeof PLACES)[number];

export type SuccessStatus = 200 | 201 | 202 | 204;

/** The type of the resource in the audit entry of a change, or the reason why the change has no entry. */
export type AuditRule = { resource: string } | { none: string };

/**
 * The contract of an action: all that its callers may know. Route, validation, types, access rule, OpenAPI
 * document and tests are derived from the contract.
 */
export interface ActionContract {
  summary: string;
  description?: string;
  /** Method and path, with parameters as `:name`. An action without a route is not on HTTP. */
  route?: `${Method} /${string}`;
  /** Whether models may call the action, as a tool of the assistant and of MCP. */
  tool?: ToolRule;
  access: Access;
  path?: Shape;
  query?: Shape;
  body?: Shape;
  header?: Shape;
  /** Fields of the resource that a body may repeat: they are not read, so that the answer of GET can be sent to PUT. */
  readOnly?: readonly string[];
  /** The parameter of `body` that takes the whole body, of any JSON type. The body then has no other fields. */
  wholeBody?: string;
  /** The form of the request whose body is the text of one field, beside JSON. Its other fields come from the query. */
  textBody?: TextBodyRule;
  /** The parameter of `body` that takes the request as it was received (`received-request.ts`). `body` has no other fields. */
  receivedRequest?: string;
  /**
   * The request has one file in place of a JSON body, as multipart/form-data. `body` is `uploadedFile`; the action reads
   * the bytes from the stream of its call.
   */
  upload?: UploadRule;
  /**
   * The parameter of the path with a secret token, by which the action knows its caller. The rate limit goes by the
   * token; requests with unknown tokens, which are answered 404, count for their address.
   */
  tokenInPath?: string;
  /** Whether a request may come without its body. */
  bodyOptional?: boolean;
  /** The greatest length of a body in bytes, 256 KiB by default. A longer one is answered 413. */
  bodyLimit?: number;
  /**
   * Fields of the body with the bytes of UTF-8 after which the gateway cuts them. The service refuses a text of
   * that length, so that the rest of the text need not be sent.
   */
  truncateAt?: Readonly<Record<string, number>>;
  /** The greatest nesting of a body in levels, 32 by default. A deeper body is answered 400. */
  bodyDepth?: number;
  /** The greatest number of JSON values in a body, those in objects and lists included; 10 000 by default. */
  bodyValues?: number;
  /** The type of the answer; null for an empty answer. */
  result: z.ZodType | null;
  /** Fields of the result that the answer carries in headers. The body has the other fields. */
  resultHeaders?: ResultHeaders;
  /**
   * The form of the result over HTTP: `page` is an array with a Link header, `text` is plain text, `yaml` YAML text.
   * `events` is a stream of server-sent events: the gateway repeats the call for the next events (`eventPageOf`), and
   * each repetition passes the access check. `file` is the bytes of a file: the result is a `FileAnswer`, and the gateway
   * repeats the call for the bytes, with `byteRange` in its meta.
   */
  format?: 'json' | 'page' | 'text' | 'yaml' | 'html' | 'events' | 'file';
  /**
   * A client that prefers `text/event-stream` gets the answer as server-sent events: the action has `asEvents` in its
   * locals, and may answer a `Readable` of text (`objectMode: false`) in place of its result. Such an answer may take
   * minutes in both forms, so that its request counts as a waiting one.
   */
  streamed?: 'events';
  /**
   * The protocol of the request and its failures. With `oauth` (RFC 6749) the body is a form or JSON, unknown and empty
   * parameters of the body count as absent, and failures of the request are `{error, error_description}`. With `mcp`
   * (Model Context Protocol, Streamable HTTP) the body is a message of JSON-RPC, and so are answers and most failures.
   */
  protocol?: 'oauth' | 'mcp';
  /** The path of the collection of a created resource, the route's own path by default. */
  createdIn?: `/${string}`;
  /** The HTTP status of success, 200 by default. */
  status?: SuccessStatus;
  /** A second status of success, and the results that are answered with that status. */
  otherStatus?: {
    status: SuccessStatus;
    description: string;
    when: (result: never) => boolean;
    /** The type of the answer with the second status; that of the first status by default. A 204 has no body. */
    result?: z.ZodType;
    /** The answer with the second status has no body; its result is null. */
    empty?: true;
    /** An answer with the second status; the example of the action unless `result` is given. */
    example?: unknown;
  };
  /** The failures of the action itself. A failure that is not listed is answered as a 500. */
  errors?: readonly ProblemType[];
  /** Whether the rate limit does not apply, as for the health of the process. */
  unlimited?: boolean;
  /** Whether the answer carries an `ETag` of its body, and the headers `If-Match` and `If-None-Match` apply. */
  etag?: EtagRule;
  /** The audit entry of the change that the action makes. */
  audit?: AuditRule;
  /**
   * The action creates the resource, or writes the resource without a revision. Changes that meet are not
   * refused with 503 `BUSY`.
   */
  uncontended?: true;
  /** The effect of an `Idempotency-Key`. Every POST takes one unless the rule gives a reason. */
  idempotency?: IdempotencyRule;
  /**
   * Fields of the result that only the first answer shows, such as a new secret. The stored reply of an
   * `Idempotency-Key` has null in them.
   */
  shownOnce?: readonly string[];
  /** Whether a caller may repeat a call that was not answered: any call, or one with an `Idempotency-Key`. */
  idempotent?: boolean | 'with-key';
  /** Milliseconds until a call is answered with 504; the default of the broker unless given. */
  timeoutMs?: number;
  /** The parameter with the milliseconds that the caller wants to wait. The deadline of the call is extended by them. */
  waitParam?: string;
  /**
   * One request and its answer, shown in the reference. The examples of all contracts tell one story on an empty
   * database: the first resource of each kind has the id 1, which parameters with an id have unless `parameters` names another.
   */
  example?: {
    parameters?: Readonly<Record<string, string | number | boolean>>;
    body?: unknown;
    answer?: unknown;
  };
  /** Whether the action exists only in development and on a loopback address. */
  developmentOnly?: boolean;
}

/**
 * Keeps the literal types of an action's contract. A parameter that two places name does not compile, and
 * neither does a route without `tool`, one that writes without `audit`, or one that changes or shows a resource without
 * `etag`.
 */
export function action<const C extends ActionContract>(
  contract: C & OneName<C> & Offered<C> & Audited<C> & Tagged<C>,
): C {
  return contract;
}
type Offered<C> = C extends { route: string } ? { tool: ToolRule } : unknown;
type Audited<C> = C extends { route: `${Exclude<Method, 'GET'>} ${string}` }
  ? { audit: AuditRule }
  : unknown;
type Tagged<C> = C extends { route: `${'PUT' | 'DELETE'} ${string}` }
  ? { etag: EtagRule }
  : C extends { route: `GET ${string}` }
    ? C extends { format: 'page' } | { access: { who: 'public' } }
      ? unknown
      : { etag: EtagRule }
    : unknown;
type Names<C, P extends Place> = C extends Record<P, infer S> ? keyof S : never;
type Twice<C> =
  | (Names<C, 'path'> & (Names<C, 'query'> | Names<C, 'body'> | Names<C, 'header'>))
  | (Names<C, 'query'> & (Names<C, 'body'> | Names<C, 'header'>))
  | (Names<C, 'body'> & Names<C, 'header'>);
type OneName<C> = [Twice<C>] extends [never] ? unknown : { namedInTwoPlaces: Twice<C> };

export interface ServiceContract<
  N extends string = string,
  A extends Record<string, ActionContract> = Record<string, ActionContract>,
> {
  name: N;
  /** One sentence for the reference's table of contents. */
  description: string;
  actions: A;
}

export function defineContract<const N extends string, A extends Record<string, ActionContract>>(
  name: N,
  description: string,
  actions: A,
): ServiceContract<N, A> {
  return { name, description, actions };
}

/** The place of the request that a parameter comes from. */
export const placeOf = (contract: ActionContract, name: string): Place =>
  knownPlaceOf(contract, name) ?? 'body';

/** The place of a parameter in the request; undefined for a name that the contract does not have. */
export const knownPlaceOf = (contract: ActionContract, name: string): Place | undefined =>
  PLACES.find((place) => Object.hasOwn(contract[place] ?? {}, name));

/** The known answers of `isRequired`: the gateway asks for each parameter that a request does not have. */
const required = new WeakMap<z.core.$ZodType, boolean>();

/** Whether a request has to have a value of the type. */
export function isRequired(type: z.core.$ZodType): boolean {
  const known = required.get(type);
  if (known !== undefined) return known;
  const answer = !(type as z.ZodType).safeParse(undefined).success;
  required.set(type, answer);
  return answer;
}

/** The schema of the one flat object of an action's parameters. */
export const paramsOf = (contract: ActionContract): z.ZodObject =>
  z.strictObject({ ...contract.path, ...contract.query, ...contract.body, ...contract.header });

/** Throws for an action whose route writes and whose contract has no `audit`. */
export function assertAudited(name: string, { route, audit }: ActionContract): void {
  if (route && !route.startsWith('GET ') && !audit) {
    throw new TypeError(`${name} does not say what the audit log records of it`);
  }
}

/** Whether the action can be called with an API key. */
export function takesKey({ access }: ActionContract): boolean {
  if (access.who === 'authenticated') return access.keys !== undefined;
  return access.who === 'key' || (access.who === 'member' && access.keyScope !== undefined);
}

/** Whether the action changes a document by its revision, so that it may meet too many other changes. */
const isContended = ({ audit, uncontended }: ActionContract): boolean =>
  audit !== undefined && 'resource' in audit && !uncontended;

/** The types of all failures that a caller of the action may get. */
export function problemsOf(contract: ActionContract): ProblemType[] {
  const { access } = contract;
  const restricted = access.who !== 'public' && access.who !== 'authenticated';
  return [
    InvalidRequest,
    ...(contract.body ? [MalformedBody, BodyTooLarge, UnsupportedMediaType] : []),
    ...(readsToken(access) ? [Unauthenticated] : []),
    ...(restricted ? [Forbidden] : []),
    ...(contract.unlimited ? [] : [RateLimited]),
    ...(contract.upload ? [RequestTimeout, TooManyUploads] : []),
    ...(contract.format === 'file' ? [RangeNotSatisfiable, TooManyDownloads] : []),
    ...(contract.waitParam || contract.streamed || contract.format === 'events'
      ? [TooManyWaiting]
      : []),
    ...(isContended(contract) ? [Busy] : []),
    ...(takesIfMatch(contract) ? [PreconditionFailed] : []),
    ...(takesIdempotencyKey(contract) ? [IdempotencyKeyInFlight, IdempotencyKeyReused] : []),
    ...(contract.errors ?? []),
    ...(contract.developmentOnly ? [NotFound] : []),
    InternalError,
    Unavailable,
    StorageFull,
    DeadlinePassed,
  ];
}
