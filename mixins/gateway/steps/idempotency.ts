import { hash, randomUUID } from 'node:crypto';
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
import type { ReadRequest } from '../gateway-request.ts';
import type { Reply } from '../reply.ts';

/** One attempt to answer the requests of one caller with one key. */
export interface Attempt {
  /** The hash of caller and key. */
  id: string;
  /** The hash of what was sent: the same key has to come with the same request. */
  fingerprint: string;
  /** Tells this attempt from any other. */
  lease: string;
  /** Where the id of what the request creates comes from. */
  sequence: string;
}

/** What became of an attempt: it may begin, or why not. */
export type Claim =
  | { kind: 'claimed'; reservedId: number }
  | { kind: 'answered'; reply: Reply }
  | { kind: 'in-flight'; retryAfter: number }
  | { kind: 'reused' };

/** Where attempts and their answers are kept for 24 h, shared by all gateways. */
export interface IdempotencyRecords {
  claim(attempt: Attempt): Promise<Claim>;
  /** Keeps the answer of the attempt, or none, so that another attempt may begin at once. */
  complete(attempt: Attempt, reply: Reply | null): Promise<void>;
}

/**
 * Makes the step that answers a request with an `Idempotency-Key` once: a repeat gets the same answer. It
 * throws 400 for a key that is not possible, 422 for the key of another request, 409 while an attempt is under
 * way, and what `assertAccess` throws where the caller has lost the right to repeat. `serve` never throws. The key counts where the contract says so and the caller is known.
 */
export function idempotency(records: IdempotencyRecords, logger: Logger) {
  return async (
    request: ReadRequest,
    serve: () => Promise<Reply>,
    assertAccess: () => Promise<void>,
  ): Promise<Reply> => {
    const attempt = attemptOf(request);
    if (!attempt) return serve();
    const claim = await records.claim(attempt);
    if (claim.kind === 'answered') {
      await assertAccess(); // who has lost a role since then gets 404 or 403, as for any other request
      return replayed(claim.reply);
    }
    if (claim.kind === 'in-flight') throw inFlight(claim.retryAfter);
    if (claim.kind === 'reused') throw reused();
    request.reservedId = claim.reservedId;
    const reply = await serve();
    await records.complete(attempt, isKept(reply) ? reply : null).catch((err: unknown) => {
      // The lease runs out, and the next attempt finds what this one has created.
      logger.warn({ err, requestId: request.requestId }, 'An answer was not kept for its repeat');
    });
    return reply;
  };
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The attempt that the request is; null where no key counts. */
function attemptOf(request: ReadRequest): Attempt | null {
  const { caller, http, route } = request;
  const key = http.headers['idempotency-key'];
  const name = nameOfCaller(caller);
  if (!route.contract.idempotency || key === undefined || name === undefined) return null;
  if (typeof key !== 'string' || !KEY.test(key)) throw invalidRequest([INVALID_KEY]);
  return {
    id: sha256(`${name}\n${key}`),
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

const sha256 = (data: string | Buffer): string => hash('sha256', data, 'base64url');

/**
 * The hash of method, path, query and body. An API key in the query says who calls, not what is asked; where the
 * operation takes no key, it is a parameter that the operation does not know.
 */
function fingerprintOf({ route, segments, query, body }: ReadRequest): string {
  const isCredential = (name: string) => name === 'api_key' && takesKey(route.contract);
  const values = Object.entries(query.values).filter(([name]) => !isCredential(name));
  const parts = [route.method, segments, values.sort(), query.faults, sha256(body ?? '')];
  return sha256(JSON.stringify(parts));
}

/** Bytes of a body that is kept; the repeat of a request with a longer answer is carried out again, with the same id. */
const MAX_KEPT_BYTES = 64 * 1024;

/** Statuses of the access check: a role that is given afterwards counts at once. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 404]);

/** A failure of ours, or one that passes, is not the answer for 24 h. */
const isKept = ({ status, headers, body }: Reply): boolean =>
  status < 500 &&
  !REFUSED.has(status) &&
  headers['Retry-After'] === undefined &&
  Buffer.byteLength(body ?? '') <= MAX_KEPT_BYTES;

const replayed = (reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'Idempotent-Replayed': 'true' },
});

const inFlight = (retryAfter: number): Problem =>
  new Problem(IdempotencyKeyInFlight, 'A request with this Idempotency-Key is under way.', {
    retryAfter,
  });

const reused = (): Problem =>
  new Problem(IdempotencyKeyReused, 'This Idempotency-Key was sent with another request.');
