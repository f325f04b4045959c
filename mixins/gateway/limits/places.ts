import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import type { Problem, ProblemType } from '../../../contract/problem.ts';
import { type QuotaName, quotaProblem } from '../../../contract/quota.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import { DiagnosticEvent } from '../../../support/diagnostic-event.ts';
import { NetworkShares } from './network-shares.ts';

/** The limits of requests of one kind that are under way at once. */
export interface PlaceLimits {
  /** Requests of one user or API key. */
  perCaller: number;
  /** Requests of this process, of which one client network may hold half. */
  perProcess: number;
}

/** The requests of one kind that are under way in this process, after each change and at the start. */
export const placesChanged = new DiagnosticEvent<{
  kind: string;
  taken: number;
  /** The limit of the process. */
  places: number;
}>('places-changed');

/** The names of a kind of requests, for refusals and figures. */
export interface PlaceNames {
  problem: ProblemType;
  perCaller: QuotaName;
  perProcess: QuotaName;
  /** What the requests do, such as `wait`. */
  verb: string;
}

/** The sender of a request. */
interface Holder {
  caller?: Caller;
  client: Client;
}

/** A response, which is closed once it is sent or its client has disconnected. */
interface Closable {
  readonly closed: boolean;
}

/** Seconds after which a client may repeat a refused request. */
const RETRY_AFTER = 1;

/** Counts requests that take long, each until its call ends. A client that disconnects does not end the call. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #names: PlaceNames;
  readonly #networks: NetworkShares;
  readonly #byCaller = new Map<string, number>();
  #total = 0;

  constructor(limits: PlaceLimits, names: PlaceNames, proxies: TrustedProxies) {
    this.#limits = limits;
    this.#names = names;
    this.#networks = new NetworkShares(limits.perProcess, proxies);
    this.#publish();
  }

  /**
   * Makes the call of a request, or no call where the client has disconnected. Throws 429 where the caller, the client's
   * network or the process is at its limit.
   */
  async hold<T>(
    { caller, client }: Holder,
    res: Closable,
    call: () => Promise<T>,
  ): Promise<T | null> {
    if (res.closed) return null;
    const release = this.#take(nameOfCaller(caller) ?? '', client);
    try {
      return await call();
    } finally {
      release();
    }
  }

  #take(name: string, { address }: Client): () => void {
    const { perCaller, perProcess } = this.#limits;
    const { verb } = this.#names;
    const held = this.#byCaller.get(name) ?? 0;
    if (held >= perCaller) {
      const detail = `${perCaller} requests of one caller may ${verb} at once.`;
      throw this.#refusal(this.#names.perCaller, perCaller, detail);
    }
    if (this.#total >= perProcess) {
      throw this.#refusal(
        this.#names.perProcess,
        perProcess,
        `${perProcess} requests ${verb} already, which is as many as may.`,
      );
    }
    const release = this.#networks.take(address);
    if (!release) {
      const { max } = this.#networks;
      throw this.#refusal(
        this.#names.perProcess,
        max,
        `${max} requests of one network may ${verb} at once.`,
      );
    }
    this.#byCaller.set(name, held + 1);
    this.#total++;
    this.#publish();
    return () => {
      release();
      this.#end(name);
    };
  }

  #end(name: string): void {
    const left = (this.#byCaller.get(name) ?? 0) - 1;
    if (left > 0) this.#byCaller.set(name, left);
    else this.#byCaller.delete(name);
    this.#total--;
    this.#publish();
  }

  #publish(): void {
    const { perProcess: places } = this.#limits;
    placesChanged.publish({ kind: this.#names.verb, taken: this.#total, places });
  }

  #refusal(quota: QuotaName, limit: number, detail: string): Problem {
    return quotaProblem(this.#names.problem, quota, limit, detail, RETRY_AFTER);
  }
}
