import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import type { ActionContract } from '../../../contract/contract.ts';
import { type QuotaName, quotaProblem, TooManyWaiting } from '../../../contract/quota.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import type { Query } from '../routing/query.ts';
import { NetworkShares } from './network-shares.ts';

/** The limits of requests that wait at once. */
export interface WaitingLimits {
  /** Waiting requests of one user or API key. */
  perCaller: number;
  /** Waiting requests of this process, of which one client network may hold half. */
  perProcess: number;
}

/** The sender of a request that waits. */
interface Waiter {
  caller?: Caller;
  client: Client;
}

/** A response, which is closed once it is sent or its client has disconnected. */
interface Closable {
  readonly closed: boolean;
}

/** Seconds after which a client may repeat a refused request. */
const RETRY_AFTER = 1;

/** Whether the request asks for a stream of events, or for a response only after an event, by the contract's `waitParam`. */
export const asksToWait = ({ waitParam, format }: ActionContract, { values }: Query): boolean =>
  format === 'events' || (waitParam !== undefined && Number(values[waitParam]) > 0);

/** Counts waiting requests, each until its call ends. A client that disconnects does not end the call. */
export class WaitingRequests {
  readonly #limits: WaitingLimits;
  readonly #networks: NetworkShares;
  readonly #byCaller = new Map<string, number>();
  #total = 0;

  constructor(limits: WaitingLimits, proxies: TrustedProxies) {
    this.#limits = limits;
    this.#networks = new NetworkShares(limits.perProcess, proxies);
  }

  /**
   * Makes the call of a waiting request, or no call where the client has disconnected. Throws 429 where the caller,
   * the client's network or the process is at its limit.
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
    const waiting = this.#byCaller.get(name) ?? 0;
    if (waiting >= perCaller) throw ofCaller(perCaller);
    if (this.#total >= perProcess) throw ofProcess(perProcess);
    const release = this.#networks.take(address);
    if (!release) throw ofNetwork(this.#networks.max);
    this.#byCaller.set(name, waiting + 1);
    this.#total++;
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
