import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { nameOfCaller } from '../../../contract/caller.ts';
import { takesKey } from '../../../contract/contract.ts';
import {
  type FieldFault,
  IdempotencyKeyInFlight,
  IdempotencyKeyReused,
  invalidRequest,
  Problem,
} from '../../../contract/problem.ts';
import { hashOf } from '../../../support/hash.ts';
import type { ReadRequest } from '../gateway-request.ts';
import type { Reply } from '../reply.ts';

/** One attempt to answer the requests of one caller with one key. */
export interface Attempt {
  /** The hash of caller and key. */
  id: string;
  /** The hash of the request: a key belongs to one request. */
  fingerprint: string;
  /** The name of this attempt's lease; no other attempt has the same. */
  lease: string;
  /** The sequence that the id of the created resource is taken from. */
  sequence: string;
}

/** The outcome of a claim: the attempt may begin, or the reason why not. */
export type Claim =
  /** `isFirst`: no earlier attempt with the key can have created the resource. */
  | { kind: 'claimed'; reservedId: number; isFirst: boolean }
  | { kind: 'answered'; reply: Reply }
  | { kind: 'in-flight' }
  | { kind: 'reused' };

/** Stores attempts and their replies for 24 h; all gateways share the records. */
export interface IdempotencyRecords {
  /** Makes the record of the key, or takes its lease; a record with a reply or a live lease is only read. */
  claim(attempt: Attempt): Promise<Claim>;
  /** Stores the reply: each repeat of the request gets the same reply. */
  keepReply(attempt: Attempt, reply: Reply): Promise<void>;
  /** Gives the lease back: the next attempt begins at once, with the same reserved id. */
  release(attempt: Attempt): Promise<void>;
  /** Deletes the record: the next request with the key is a first attempt. */
  remove(attempt: Attempt): Promise<void>;
}

/**
 * Makes the step that carries out a request with an `Idempotency-Key` once; a repeat gets the same reply.
 * `serve` must not throw. The step throws 400 for an invalid key, 409, 422, and the refusal of `assertAccess`.
 */
export function createIdempotencyStep(records: IdempotencyRecords, logger: Logger) {
  return async (
    request: ReadRequest,
    serve: () => Promise<Reply>,
    assertAccess: () => Promise<void>,
  ): Promise<Reply> => {
    const attempt = attemptOf(request);
    if (!attempt) return serve();
    const claim = await records.claim(attempt);
    if (claim.kind === 'answered') {
      await assertAccess(); // a caller without the role any more gets 404 or 403, as for any other request
      return replayed(claim.reply);
    }
    if (claim.kind === 'in-flight') throw inFlight();
    if (claim.kind === 'reused') throw reused();
    request.reservedId = claim.reservedId;
    const reply = await serve();
    await endAttempt(records, attempt, claim.isFirst, reply).catch((err: unknown) => {
      // The lease runs out; the next attempt has the same id and finds the resource of this attempt.
      logger.warn({ err, requestId: request.requestId }, 'An answer was not kept for its repeat');
    });
    return reply;
  };
}

/**
 * Stores the reply, or gives the key free. The record of a refused first attempt is deleted: nothing was
 * created, so the reserved id is not needed, and refusals leave no storage behind.
 */
function endAttempt(
  records: IdempotencyRecords,
  attempt: Attempt,
  isFirst: boolean,
  reply: Reply,
): Promise<void> {
  if (isKept(reply)) return records.keepReply(attempt, reply);
  return isFirst && isRefusal(reply) ? records.remove(attempt) : records.release(attempt);
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The attempt that a request makes; null for a request without a key, caller, or `idempotency` in its contract. */
function attemptOf(request: ReadRequest): Attempt | null {
  const { caller, http, route } = request;
  const key = http.headers['idempotency-key'];
  const name = nameOfCaller(caller);
  if (!route.contract.idempotency || key === undefined || name === undefined) return null;
  if (typeof key !== 'string' || !KEY.test(key)) throw invalidRequest([INVALID_KEY]);
  return {
    id: hashOf(`${name}\n${key}`),
    fingerprint: fingerprintOf(request),
    lease: randomUUID(),
    sequence: route.contract.idempotency.sequence,
  };
}

const INVALID_KEY: FieldFault = {
  in: 'header',
  path: 'Idempotency-Key',
  code: 'invalid_format',
  message: 'must have 1 to 255 visible ASCII characters',
};

/**
 * The hash of method, path, query and body. An API key in the query names the caller and is left out, unless
 * the operation takes no API key: then `api_key` is an unknown parameter.
 */
function fingerprintOf({ route, segments, query, body }: ReadRequest): string {
  const isCredential = (name: string) => name === 'api_key' && takesKey(route.contract);
  const values = Object.entries(query.values).filter(([name]) => !isCredential(name));
  const parts = [route.method, segments, values.sort(), query.faults, hashOf(body ?? '')];
  return hashOf(JSON.stringify(parts));
}

/** Bytes of the body of a success that is stored. The repeat of a request with a longer body is carried out again, with the same id. */
const MAX_SUCCESS_BYTES = 64 * 1024;
/** Bytes of the body of a refusal that is stored. The repeat of a request with a longer body is checked again. */
const MAX_REFUSAL_BYTES = 2 * 1024;

/** Statuses of the access check. They are not stored, so that a role that is given afterwards counts at once. */
const ACCESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

/** Whether the operation changed nothing: a 5xx may have changed something. */
const isRefusal = ({ status }: Reply): boolean => status >= 400 && status < 500;

/** Whether the reply is the answer for 24 h. A 5xx and a reply with `Retry-After` are temporary. */
const isKept = (reply: Reply): boolean =>
  reply.status < 500 &&
  !ACCESS_STATUSES.has(reply.status) &&
  reply.headers['Retry-After'] === undefined &&
  Buffer.byteLength(reply.body ?? '') <= (isRefusal(reply) ? MAX_REFUSAL_BYTES : MAX_SUCCESS_BYTES);

const replayed = (reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'Idempotent-Replayed': 'true' },
});

/** Seconds after which a client may repeat a request whose first attempt is in flight; most attempts end sooner. */
const IN_FLIGHT_RETRY_AFTER = 1;

const inFlight = (): Problem =>
  new Problem(IdempotencyKeyInFlight, 'A request with this Idempotency-Key is under way.', {
    retryAfter: IN_FLIGHT_RETRY_AFTER,
  });

const reused = (): Problem =>
  new Problem(IdempotencyKeyReused, 'This Idempotency-Key was sent with another request.');
