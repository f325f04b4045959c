import type { ServerResponse } from 'node:http';
import { type Caller, nameOfCaller } from '../caller.ts';
import type { ActionContract } from '../contract.ts';
import { type QuotaName, quotaProblem, TooManyWaiting } from '../quota.ts';
import type { Query } from './query.ts';

/** How many requests may wait at once. */
export interface WaitingLimits {
  /** Of one user or key. */
  perCaller: number;
  /** Of all together, in this process. */
  perProcess: number;
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = 1;

/** Whether the request asks for an answer only when something has happened. */
export const asksToWait = ({ waits }: ActionContract, { values }: Query): boolean =>
  waits !== undefined && Number(values[waits]) > 0;

/** Counts the requests that wait, each until it is answered or its client goes away. */
export class WaitingRequests {
  readonly #limits: WaitingLimits;
  readonly #ofCaller = new Map<string, number>();
  #all = 0;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  /** Throws 429 where the caller, or everybody together, has as many waiting as may be. */
  admit(caller: Caller, res: ServerResponse): void {
    if (res.closed) return; // its client has gone already
    const name = nameOfCaller(caller) ?? '';
    const { perCaller, perProcess } = this.#limits;
    const waiting = this.#ofCaller.get(name) ?? 0;
    if (waiting >= perCaller) throw ofCaller(perCaller);
    if (this.#all >= perProcess) throw ofProcess(perProcess);
    this.#ofCaller.set(name, waiting + 1);
    this.#all++;
    res.once('close', () => this.#end(name));
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
