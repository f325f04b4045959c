import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type ProblemBody, type RequestOptions, request } from '../../helpers/http.ts';
import type { Person } from '../../helpers/people.ts';
import type { Balancer } from './balancer.ts';
import type { Operation, Sample } from './sample.ts';

/** Milliseconds after which a client gives up a request. It is then a failure named `no answer`. */
const PATIENCE_MS = 45_000;
/** Milliseconds from the first request of an operation within which the client repeats failed ones. */
const REPEATS_FOR_MS = 90_000;
/** Milliseconds until a repeat where the answer has no `Retry-After`. */
const REPEAT_AFTER_MS = 500;

/** What a client sends. */
export interface Request {
  work: string;
  method: string;
  path: string;
  body?: object;
  /** Makes the request one that may be repeated after an unknown outcome. */
  key?: string;
  waitMs?: number;
}

/** Sends requests by the load balancer over connections that are kept alive, and notes how each of them went. */
export class TrialClient {
  readonly samples: Sample[] = [];
  readonly operations: Operation[] = [];
  readonly #balancer: Balancer;
  readonly #person: Pick<Person, 'token'>;
  #repeats = true;

  constructor(balancer: Balancer, person: Pick<Person, 'token'>) {
    this.#balancer = balancer;
    this.#person = person;
  }

  /** Lets no failed request be sent again. */
  giveUp(): void {
    this.#repeats = false;
  }

  /**
   * Sends a request, and sends it again while it fails in a way that may pass: as a 503 always, and after an unknown
   * outcome (a 504, a lost connection) only a GET, a PUT or a request with a key. Returns the last answer, null for
   * none, and the number of repeats.
   */
  async carryOut<T>(wanted: Request): Promise<{ answer: Answer<T> | null; repeats: number }> {
    const { work, waitMs = 0 } = wanted;
    const began = performance.now();
    for (let repeats = 0; ; repeats++) {
      const { sample, answer } = await this.#send<T>(wanted, repeats > 0);
      const isLast =
        !this.#repeats ||
        !mayRepeat(sample, wanted) ||
        performance.now() - began > REPEATS_FOR_MS ||
        isFinal(answer);
      if (isLast) {
        const { ended, failure } = sample;
        this.operations.push({ work, began, ended, waitMs, failure, repeats });
        return { answer, repeats };
      }
      await sleep(retryAfterOf(answer) ?? REPEAT_AFTER_MS);
    }
  }

  async #send<T>(
    { work, method, path, body, key, waitMs = 0 }: Request,
    isRepeat: boolean,
  ): Promise<{ sample: Sample; answer: Answer<T> | null }> {
    const gateway = this.#balancer.next();
    const options: RequestOptions = {
      token: this.#person.token,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body ? { body } : {}),
      ...(key ? { headers: { 'idempotency-key': key } } : {}),
    };
    const began = performance.now();
    let answer: Answer<T> | null = null;
    let failure: string | null;
    try {
      answer = await request<T>(gateway, method, path, options);
      failure = failureOf(answer);
    } catch (error) {
      failure = connectionFailure(error as NodeJS.ErrnoException);
    }
    const sample: Sample = {
      ...{ work, method, path, began, ended: performance.now(), waitMs, isRepeat, gateway },
      failure,
      hasRetryAfter: retryAfterOf(answer) !== undefined,
    };
    this.samples.push(sample);
    return { sample, answer };
  }
}

const isFinal = (answer: Answer | null): boolean =>
  answer !== null && answer.status < 500 && answer.headers['retry-after'] === undefined;

/** Whether the failed request certainly did nothing, or may be carried out twice. */
const mayRepeat = ({ failure, method }: Sample, { key }: Request): boolean =>
  failure !== null &&
  (method !== 'POST' || key !== undefined || /^(503|429|ECONNREFUSED)/.test(failure));

const connectionFailure = ({ name, code, message }: NodeJS.ErrnoException): string =>
  name === 'TimeoutError' || name === 'AbortError' ? 'no answer' : (code ?? message);

/** The failure that an answer is, such as `503 UNAVAILABLE`; null for a 2xx. */
function failureOf({ status, body }: Answer): string | null {
  if (status >= 200 && status < 300) return null;
  return `${status} ${(body as ProblemBody | undefined)?.code ?? 'without a code'}`;
}

function retryAfterOf(answer: Answer | null): number | undefined {
  const seconds = answer?.headers['retry-after'];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
