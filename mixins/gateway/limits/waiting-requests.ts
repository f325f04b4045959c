import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import type { ActionContract } from '../../../contract/contract.ts';
import { type QuotaName, quotaProblem, TooManyWaiting } from '../../../contract/quota.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import type { Query } from '../routing/query.ts';
import { NetworkShares } from './network-shares.ts';

/** How many requests may wait at once. */
export interface WaitingLimits {
  /** Of one user or key. */
  perCaller: number;
  /** Of all together, in this process; one network may hold half of them. */
  perProcess: number;
}

/** Who sends a request that waits. */
interface Waiter {
  caller?: Caller;
  client: Client;
}

/** A response, which is closed when it is sent or its client has gone. */
interface Closable {
  readonly closed: boolean;
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = 1;

/** Whether the request asks for an answer only when something has happened. */
export const asksToWait = ({ waitParam }: ActionContract, { values }: Query): boolean =>
  waitParam !== undefined && Number(values[waitParam]) > 0;

/** Counts the requests that wait, each until its call has ended: a client that leaves ends no call. */
export class WaitingRequests {
  readonly #limits: WaitingLimits;
  readonly #networks: NetworkShares;
  readonly #ofCaller = new Map<string, number>();
  #all = 0;

  constructor(limits: WaitingLimits, proxies: TrustedProxies) {
    this.#limits = limits;
    this.#networks = new NetworkShares(limits.perProcess, proxies);
  }

  /**
   * Makes the call of a request that waits, and none where the client has gone already. Throws 429 where
   * the caller, the client's network, or all together have as many waiting as may be.
   */
  async hold<T>(
    { caller, client }: Waiter,
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
    const waiting = this.#ofCaller.get(name) ?? 0;
    if (waiting >= perCaller) throw ofCaller(perCaller);
    if (this.#all >= perProcess) throw ofProcess(perProcess);
    const release = this.#networks.take(address);
    if (!release) throw ofNetwork(this.#networks.max);
    this.#ofCaller.set(name, waiting + 1);
    this.#all++;
    return () => {
      release();
      this.#end(name);
    };
  }

  #end(name: string): void {
    const left = (this.#ofCaller.get(name) ?? 0) - 1;
    if (left > 0) this.#ofCaller.set(name, left);
    else this.#ofCaller.delete(name);
    this.#all--;
  }
}

const refusal = (quota: QuotaName, limit: number, detail: string) =>
  quotaProblem(TooManyWaiting, quota, limit, detail, RETRY_AFTER);
const ofCaller = (limit: number) =>
  refusal('WAITING_PER_CALLER', limit, `${limit} requests of one caller may wait at once.`);
const ofProcess = (limit: number) =>
  refusal('WAITING_PER_PROCESS', limit, `${limit} requests wait already, which is as many as may.`);
const ofNetwork = (limit: number) =>
  refusal('WAITING_PER_PROCESS', limit, `${limit} requests of one network may wait at once.`);
