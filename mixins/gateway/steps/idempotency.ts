import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { nameOfCaller } from '../../../contract/caller.ts';
import { paramsOf, takesKey } from '../../../contract/contract.ts';
import { hasSecrets, sequenceOf } from '../../../contract/idempotency-rule.ts';
import {
  IdempotencyKeyInFlight,
  IdempotencyKeyReused,
  Problem,
} from '../../../contract/problem.ts';
import { hashOf } from '../../../support/hash.ts';
import type { ReadRequest } from '../gateway-request.ts';
import { idempotencyKeyOf, isIdempotencyKey } from '../headers/idempotency-key.ts';
import type { Reply } from '../reply.ts';
import { PendingReleases } from './pending-releases.ts';

/** One attempt to answer the requests of one caller with one key. */
export interface Attempt {
  /** The hash of caller and key. */
  id: string;
  /** The hash of the request: a key belongs to one request. */
  fingerprint: string;
  /** The key and the request, from which the key of the sealed reply is derived. It is never stored. */
  secret: string;
  /** The name of this attempt's lease; no other attempt has the same. */
  lease: string;
  /** The sequence that the id of the created resource is taken from; null for an action that creates none. */
  sequence: string | null;
}

/** The outcome of a claim: the attempt may begin, or the reason why not. */
export type Claim =
  | { kind: 'claimed'; reservedId: number | null }
  | { kind: 'answered'; reply: Reply }
  | { kind: 'in-flight' }
  | { kind: 'reused' };

/** Stores attempts and their replies for 24 h; all gateways share the records. */
export interface IdempotencyRecords {
  /** Makes the record of the key, or takes its lease; a record with a reply or a live lease is only read. */
  claim(attempt: Attempt): Promise<Claim>;
  /** Stores the sealed reply: each repeat of the request gets the same reply. */
  keepReply(attempt: Attempt, reply: Reply): Promise<void>;
  /** Prolongs the lease of an attempt in flight. */
  renew(attempt: Attempt): Promise<void>;
  /** Gives leases back: the next attempt begins at once, with the same fingerprint and reserved id. */
  release(attempts: readonly Pick<Attempt, 'id' | 'lease'>[]): Promise<void>;
  /** Deletes the record of the first attempt, so that another request may have the key; otherwise as `release`. */
  discard(attempt: Pick<Attempt, 'id' | 'lease'>): Promise<void>;
}

/** Milliseconds of an attempt's lease without a renewal. Beyond them another attempt may begin. */
export const LEASE_MS = 10_000;
/** Milliseconds between two renewals of a lease. */
const RENEWAL_MS = 3_000;

/**
 * Makes the step that carries out a request with an `Idempotency-Key` once; a repeat gets the same reply. A malformed
 * key is among the faults of the request. An answer that `serve` has sent as a stream (null) is not stored: a repeat is
 * carried out again, with the same reserved id, so that the action finds what there is. `serve` must not throw. The step throws 409 and 422, and before these the
 * refusal of `assertAccess`: a caller without the role any more gets 404 or 403, as for any other request.
 */
export function createIdempotencyStep(records: IdempotencyRecords, logger: Logger) {
  const pendingReleases = new PendingReleases(records, LEASE_MS);
  return async (
    request: ReadRequest,
    serve: () => Promise<Reply | null>,
    assertAccess: () => Promise<void>,
  ): Promise<Reply | null> => {
    const attempt = attemptOf(request);
    if (!attempt) return serve();
    const claim = await records.claim(attempt).catch((error: unknown) => {
      pendingReleases.add(attempt); // a claim without an answer may have been carried out
      throw error;
    });
    if (claim.kind !== 'claimed') await assertAccess();
    if (claim.kind === 'answered') return replayed(claim.reply);
    if (claim.kind === 'in-flight') throw inFlight();
    if (claim.kind === 'reused') throw reused();
    if (claim.reservedId !== null) request.reservedId = claim.reservedId;
    const reply = await holdLease(records, attempt, serve);
    await endAttempt(records, attempt, request, reply).catch((err: unknown) => {
      // The next attempt has the same id and finds the resource of this attempt.
      pendingReleases.add(attempt);
      logger.warn({ err, requestId: request.requestId }, 'An answer was not kept for its repeat');
    });
    return reply;
  };
}

/** Renews the lease while `serve` runs. A renewal that fails is made up by the next. */
async function holdLease(
  records: IdempotencyRecords,
  attempt: Attempt,
  serve: () => Promise<Reply | null>,
): Promise<Reply | null> {
  const renew = () => records.renew(attempt).catch(() => undefined);
  const timer = setInterval(renew, RENEWAL_MS);
  try {
    return await serve();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Stores the reply, or gives the lease back. The fingerprint stays: another request with the key is 422. A 400 has
 * changed nothing, so the corrected request may have the key.
 */
function endAttempt(
  records: IdempotencyRecords,
  attempt: Attempt,
  { route }: ReadRequest,
  reply: Reply | null,
): Promise<void> {
  if (reply?.status === 400) return records.discard(attempt);
  return reply && isKept(attempt, reply)
    ? records.keepReply(attempt, withoutSecrets(reply, route.contract.shownOnce))
    : records.release([attempt]);
}

/** The reply as it may be stored: null stands in the fields that are shown once. */
function withoutSecrets(reply: Reply, shownOnce: readonly string[] = []): Reply {
  if (!shownOnce.length || isRefusal(reply) || reply.body === null) return reply;
  const hidden = Object.fromEntries(shownOnce.map((field) => [field, null]));
  return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), ...hidden }) };
}

/** The attempt that a request makes; null for a request without caller or key. */
function attemptOf(request: ReadRequest): Attempt | null {
  const key = idempotencyKeyOf(request);
  const name = nameOfCaller(request.caller);
  if (key === undefined || !isIdempotencyKey(key) || name === undefined) return null;
  const content = contentOf(request);
  return {
    id: hashOf(`${name}\n${key}`),
    fingerprint: hashOf(content),
    secret: `${key}\n${content}`,
    lease: randomUUID(),
    sequence: sequenceOf(request.route.contract),
  };
}

/**
 * Method, path, query and the hash of the payload, as text. An API key in the query names the caller and is left out,
 * unless the operation takes no API key: then `api_key` is an unknown parameter. The form of the body counts too, where it
 * is not JSON: the same bytes can be both.
 */
function contentOf(request: ReadRequest): string {
  const { route, segments, query, queryFields } = request;
  const isCredential = (name: string) => name === 'api_key' && takesKey(route.contract);
  const values = Object.entries(query.values).filter(([name]) => !isCredential(name));
  const parts = [route.method, segments, values.sort(), query.faults, hashOf(payloadOf(request))];
  return JSON.stringify(queryFields ? [...parts, 'text'] : parts);
}

/**
 * The bytes of the body. For a body that may have secrets, the validated parameters, which have none, or the faults, which
 * have no values: the same faults are the same refusal.
 */
function payloadOf({ route, params, faults, body }: ReadRequest): Buffer | string {
  if (!hasSecrets(route.contract)) return body ?? '';
  const { data, error } = paramsOf(route.contract).safeParse(params);
  return JSON.stringify([data ?? error?.issues, faults]);
}

/** Bytes of the answer to a creation that is stored. The repeat of a creation with a longer answer finds the resource by its reserved id. */
const MAX_CREATION_BYTES = 64 * 1024;
/** Bytes of the body of a refusal that is stored. The repeat of a request with a longer body is checked again. */
const MAX_REFUSAL_BYTES = 2 * 1024;

/** Statuses of the access check. They are not stored, so that a role that is given afterwards counts at once. */
const ACCESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

const isRefusal = ({ status }: Reply): boolean => status >= 400;

/** Whether the reply is the answer for 24 h. A 5xx and a reply with `Retry-After` are temporary. */
const isKept = (attempt: Attempt, reply: Reply): boolean =>
  reply.status < 500 &&
  !ACCESS_STATUSES.has(reply.status) &&
  reply.headers['Retry-After'] === undefined &&
  Buffer.byteLength(reply.body ?? '') <= mostBytesOf(attempt, reply);

function mostBytesOf({ sequence }: Attempt, reply: Reply): number {
  if (isRefusal(reply)) return MAX_REFUSAL_BYTES;
  return sequence === null ? Number.POSITIVE_INFINITY : MAX_CREATION_BYTES;
}

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
