import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, RequestOptions } from '../../helpers/http.ts';
import type { Person } from '../../helpers/people.ts';
import type { Fault } from '../checks.ts';

/** Milliseconds within which each request of a round is acknowledged, outages and leases of dead processes included. */
const ACKNOWLEDGED_WITHIN_MS = 120_000;
/** Milliseconds until a request that was not acknowledged is sent again. */
const REPEAT_AFTER_MS = 100;

/** Whether the same request may succeed later: an outage, too many requests, or an earlier attempt that is in flight. */
const isTemporary = (status: number): boolean => status >= 500 || status === 429 || status === 409;

/**
 * Sends a request again and again until it is acknowledged with one of the statuses, as a client does that gives up no
 * change. Throws for any other answer that is not temporary.
 */
export async function sendUntilAcknowledged<T>(
  person: Pick<Person, 'call'>,
  statuses: readonly number[],
  [method, path, options]: [method: string, path: string, options?: RequestOptions],
): Promise<Answer<T>> {
  const until = performance.now() + ACKNOWLEDGED_WITHIN_MS;
  for (;;) {
    const answer = await person.call<T>(method, path, options).catch(() => null);
    if (answer && statuses.includes(answer.status)) return answer;
    const said = answer ? `${answer.status} ${answer.text}` : 'nothing';
    if ((answer && !isTemporary(answer.status)) || performance.now() > until) {
      throw new Error(`${method} ${path} answered ${said}`);
    }
    await sleep(REPEAT_AFTER_MS);
  }
}

/** Posts under an `Idempotency-Key` until the request is acknowledged: a repetition has no further effect. */
export async function postOnce<T>(
  person: Pick<Person, 'call'>,
  statuses: readonly number[],
  path: string,
  { key, body }: { key: string; body?: object },
): Promise<T> {
  const options = { headers: { 'idempotency-key': key }, ...(body ? { body } : {}) };
  return (await sendUntilAcknowledged<T>(person, statuses, ['POST', path, options])).body;
}

/** Makes a secret as Standard Webhooks has them. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** One client, which works until it is stopped. */
export type Client = (isStopped: () => boolean) => Promise<void>;

/** The clients of a round. */
export class Clients {
  #stopped = false;
  readonly #ends: Promise<PromiseSettledResult<void>[]>;

  constructor(clients: readonly Client[]) {
    this.#ends = Promise.allSettled(clients.map((client) => client(() => this.#stopped)));
  }

  /** Stops the clients. Resolves with the errors that they have met when each has ended. */
  async stop(): Promise<Fault[]> {
    this.#stopped = true;
    const ends = await this.#ends;
    return ends.flatMap((end) => (end.status === 'rejected' ? String(end.reason) : []));
  }
}
