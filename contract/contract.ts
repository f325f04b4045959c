import { z } from 'zod';
import { type Access, readsToken } from './access-rule.ts';
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
  RateLimited,
  Unauthenticated,
  Unavailable,
  UnsupportedMediaType,
} from './problem.ts';
import { TooManyWaiting } from './quota.ts';

export type Shape = z.core.$ZodLooseShape;
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The places of an HTTP request that a value may come from. A name stands in one place only. */
export const PLACES = ['path', 'query', 'body', 'header'] as const;
export type Place = (typeof PLACES)[number];

export type SuccessStatus = 200 | 201 | 202 | 204;

/** The type of the resource that a change is recorded of, or why it is not recorded. */
export type AuditRule = { resource: string } | { none: string };

/**
 * All that callers may know of an action, said once. Route, validation, types, access, OpenAPI and
 * the tests of each are derived from it.
 */
export interface ActionContract {
  summary: string;
  description?: string;
  /** Method and path, parameters as `:name`. Without one the action is not on HTTP. */
  route?: `${Method} /${string}`;
  access: Access;
  path?: Shape;
  query?: Shape;
  body?: Shape;
  header?: Shape;
  /** Names of the resource's fields that a body may repeat unread, so that a GET can be PUT back. */
  readOnly?: readonly string[];
  /** Whether a request may come without its body. */
  bodyOptional?: boolean;
  /** Bytes of a body; 256 KiB unless said. */
  bodyLimit?: number;
  /**
   * Bytes of UTF-8 behind which the gateway cuts texts of the body, by their name: the service refuses
   * them all the same, and no more than that has to travel.
   */
  truncateAt?: Readonly<Record<string, number>>;
  /** Levels of nesting of a body; 32 unless said. */
  bodyDepth?: number;
  /** JSON values of a body, with all that objects and lists have; 10 000 unless said. */
  bodyValues?: number;
  /** What the action answers; null when the answer is empty. */
  result: z.ZodType | null;
  /** How HTTP shows the result: `page` as an array with a Link header, `text` as plain text. */
  format?: 'json' | 'page' | 'text' | 'html';
  /** The path of the collection that a created resource is in; the route's own path unless said. */
  createdIn?: `/${string}`;
  /** HTTP status of success; 200 unless said. */
  status?: SuccessStatus;
  /** A second success, and the results that get it. */
  otherStatus?: {
    status: SuccessStatus;
    description: string;
    when: (result: never) => boolean;
    /** What it answers, when that is not what the first success does. */
    result?: z.ZodType;
  };
  /** The failures of its own that a caller may meet. One that is not named here becomes a 500. */
  errors?: readonly ProblemType[];
  /** Whether requests go beside the rate limit: for whoever watches the health of the process. */
  unlimited?: boolean;
  /**
   * Whether the answer carries an `ETag` of its body, and `If-Match` and `If-None-Match` count.
   */
  etag?: true;
  /** What the audit log records of a change; for an action that needs no record, the reason why. */
  audit?: AuditRule;
  /** Takes an `Idempotency-Key`; the new resource gets its id from the sequence named here. */
  idempotency?: { sequence: string };
  /** Whether a caller may send it again when no answer came. */
  idempotent?: boolean;
  /** Milliseconds until a call is given up; the broker's default unless said. */
  timeoutMs?: number;
  /** The parameter by which a caller asks to wait, in milliseconds: who does not is told sooner. */
  waitParam?: string;
  /** One request body and its answer, shown in the reference. */
  example?: { body?: unknown; answer?: unknown };
  /** There in development only, on a loopback address, for who is at this machine. */
  developmentOnly?: boolean;
}

/**
 * Keeps the types of one action, names of resources as they are written. The four places share one namespace: a name in two of them does not
 * compile. Nor does a route that writes without `audit`.
 */
export function action<const C extends ActionContract>(contract: C & OneName<C> & Audited<C>): C {
  return contract;
}
type Audited<C> = C extends { route: `${Exclude<Method, 'GET'>} ${string}` }
  ? { audit: AuditRule }
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
  PLACES.find((place) => Object.hasOwn(contract[place] ?? {}, name)) ?? 'body';

/** The schema of the one flat object of an action's parameters. */
export const paramsOf = (contract: ActionContract): z.ZodObject =>
  z.strictObject({ ...contract.path, ...contract.query, ...contract.body, ...contract.header });

/** Refuses an action whose route writes and whose contract does not say what the audit log records of it. */
export function assertAudited(name: string, { route, audit }: ActionContract): void {
  if (route && !route.startsWith('GET ') && !audit) {
    throw new TypeError(`${name} does not say what the audit log records of it`);
  }
}

/** Whether the action can be called with an API key. */
export const takesKey = ({ access }: ActionContract): boolean =>
  access.who === 'key' || (access.who === 'member' && access.keyScope !== undefined);

/** Every failure that a caller of the action may meet, by its code. */
export function problemsOf(contract: ActionContract): ProblemType[] {
  const { access } = contract;
  const restricted = access.who !== 'public' && access.who !== 'authenticated';
  return [
    InvalidRequest,
    ...(contract.body ? [MalformedBody, BodyTooLarge, UnsupportedMediaType] : []),
    ...(readsToken(access) ? [Unauthenticated] : []),
    ...(restricted ? [Forbidden] : []),
    ...(contract.unlimited ? [] : [RateLimited]),
    ...(contract.waitParam ? [TooManyWaiting] : []),
    ...(contract.audit && 'resource' in contract.audit ? [Busy] : []),
    ...(contract.etag && contract.audit ? [PreconditionFailed] : []),
    ...(contract.idempotency ? [IdempotencyKeyInFlight, IdempotencyKeyReused] : []),
    ...(contract.errors ?? []),
    ...(contract.developmentOnly ? [NotFound] : []),
    InternalError,
    Unavailable,
    DeadlinePassed,
  ];
}
