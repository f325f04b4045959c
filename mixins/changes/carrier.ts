import { setTimeout as sleep } from 'node:timers/promises';
import { Errors, type ServiceBroker } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { sendEvent } from '../../contract/event.ts';
import type { OutboxEntry } from '../../models/changed-document.ts';
import { noteActivity } from '../../support/activity.ts';
import { levelOfFailure } from '../../support/stopping-brokers.ts';
import { currentTrace, isSampled } from '../../support/tracing/context.ts';
import { inServiceTrace } from '../../support/tracing/spans.ts';
import { isTransientError } from '../../support/transient-errors.ts';
import { outboxSwept } from './outbox.diagnostics.ts';
import type { OutboxSource, WrittenChange } from './outbox-source.ts';
import { findOutboxes, settleOutboxes } from './outboxes.ts';
import { RefusedEntries } from './refused-entries.ts';

/** Milliseconds for which changes are gathered before they are carried on together. */
const GATHER_MS = 50;
/** Milliseconds of gathering after another batch: a change of a large batch costs less. */
const GATHER_UNDER_LOAD_MS = 250;
/** Changes of one batch; further changes wait for the next batch. */
const MAX_BATCH = 200;
/** Entries of one call, since a message has a greatest size; further entries take another call. */
const MAX_ENTRIES = 200;
/** Characters of JSON of one call's entries, well below the largest message; further entries take another call. */
const MAX_CALL_CHARS = 256 * 1024;
/** Changes that wait in memory; the entries of further changes are left to the sweep. */
const MAX_WAITING = 10_000;
/** Milliseconds after which the sweep takes an entry: the process that wrote it has failed to hand it over. */
const SWEEP_AFTER_MS = 5_000;
/** Milliseconds that a stop waits for waiting changes and for the batch in flight; later a sweep takes them. */
const STOP_MS = 1_000;

type Call = Extract<OutboxEntry, { call: string }>;

/**
 * Hands over the outbox entries of a store's changes: calls first, gathered by action, then
 * events. An entry leaves its outbox after that, so that a crash at any point repeats entries and loses
 * none: calls tell a repetition by the entry's id.
 */
export class Carrier {
  readonly #broker: ServiceBroker;
  readonly #service: string;
  readonly #store: OutboxSource;
  readonly #refused: RefusedEntries;
  readonly #gather: (ms: number) => Promise<unknown>;
  readonly #waiting: { change: WrittenChange; traceparent: string | undefined }[] = [];
  #carrying: Promise<void> | undefined;
  /** The last batch that `#carrySoon` has taken from the waiting changes. */
  #batch: Promise<void> | undefined;

  constructor(
    broker: ServiceBroker,
    service: string,
    store: OutboxSource,
    refused = new RefusedEntries(broker.logger),
    gather = (ms: number): Promise<unknown> => sleep(ms, undefined, { ref: false }),
  ) {
    this.#broker = broker;
    this.#service = service;
    this.#store = store;
    this.#refused = refused;
    this.#gather = gather;
  }

  start(): void {
    this.#store.listeners.add(this.#take);
  }

  /**
   * Hands over the waiting changes at once, and waits for those that are being handed over. A stop that takes too
   * long leaves them to another process.
   */
  async stop(): Promise<void> {
    this.#store.listeners.delete(this.#take);
    const carried = this.#carryWaiting().then(() => this.#batch);
    await Promise.race([carried, sleep(STOP_MS, undefined, { ref: false })]);
  }

  /** Carries on the entries that have been waiting for long: after a crash, an outage or a refusal. */
  async sweep(): Promise<void> {
    const due = new Date(Date.now() - SWEEP_AFTER_MS);
    const seen: WrittenChange['_id'][] = [];
    for (;;) {
      const found = await findOutboxes(this.#store.collection, due, seen, MAX_BATCH);
      if (found.length) noteActivity(); // until nothing is left, sweeps keep their pace
      if (!seen.length) this.#publishAge(found);
      await this.#carry(found.filter(({ entries }) => entries.some(this.#isDue)));
      if (found.length < MAX_BATCH) return;
      seen.push(...found.map(({ _id }) => _id));
    }
  }

  /** The index of the sweep gives the oldest entries first, so that the first batch has the oldest of all. */
  #publishAge(found: readonly WrittenChange[]): void {
    if (!outboxSwept.hasSubscribers) return;
    const now = Date.now();
    const oldest = found
      .flatMap(({ entries }) => entries)
      .reduce((time, { at }) => Math.min(time, at.getTime()), now);
    const collection = this.#store.collection.collectionName;
    outboxSwept.publish({ collection, oldestMs: now - oldest });
  }

  #take = (written: WrittenChange): void => {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({ change: written, traceparent: currentTrace() });
    this.#carrying ??= this.#carrySoon();
  };

  async #carrySoon(): Promise<void> {
    for (let gatherMs = GATHER_MS; this.#waiting.length; gatherMs = GATHER_UNDER_LOAD_MS) {
      if (this.#waiting.length < MAX_BATCH) await this.#gather(gatherMs);
      this.#batch = this.#carryBatch();
      await this.#batch;
    }
    this.#carrying = undefined;
  }

  async #carryWaiting(): Promise<void> {
    while (this.#waiting.length) await this.#carryBatch();
  }

  /** Carries changes on in the trace of the first sampled one of them, and not in that of an earlier batch. */
  async #carryBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, MAX_BATCH);
    const trace = batch.find(({ traceparent }) => isSampled(traceparent)) ?? batch[0];
    const carry = () => this.#carry(batch.map(({ change }) => change));
    try {
      await inServiceTrace(this.#service, trace?.traceparent, carry);
    } catch (error) {
      const level = levelOfFailure(this.#broker, error);
      this.#broker.logger[level](`Changes are carried on later: ${(error as Error).message}`);
    }
  }

  async #carry(changes: readonly WrittenChange[]): Promise<void> {
    if (!changes.length) return;
    const entries = changes.flatMap((change) => change.entries).filter(this.#isDue);
    const calls = entries.filter((entry): entry is Call => 'call' in entry);
    const carried = new Set(entries.map(({ id }) => id));
    const outages: unknown[] = [];
    for (const [action, ofAction] of Map.groupBy(calls, ({ call }) => call)) {
      for (const some of piecesOf(ofAction)) {
        const { left, outage } = await this.#callOrLeave(action, some);
        for (const { id } of left) carried.delete(id);
        outages.push(...outage);
      }
    }
    for (const entry of entries) {
      if ('call' in entry) continue;
      this.#assertConnected();
      await sendEvent(this.#broker, { ...entry, name: entry.event }, entry.payload);
    }
    await settleOutboxes(this.#store.collection, changes, carried);
    this.#refused.drop(carried);
    if (outages.length) throw outages[0];
  }

  #isDue = ({ id }: OutboxEntry): boolean => !this.#refused.isDelayed(id);

  /** A transporter without a connection drops events: they stay in their outboxes meanwhile. */
  #assertConnected(): void {
    const transporter = this.#broker.transit?.tx;
    if (transporter && !transporter.connected) {
      throw new Errors.MoleculerRetryableError('The transporter has no connection.');
    }
  }

  /** Hands the entries to their action. Answers those that are left; a service that is away delays no other's entries. */
  async #callOrLeave(
    action: string,
    entries: readonly Call[],
  ): Promise<{ left: readonly Call[]; outage: unknown[] }> {
    try {
      return { left: await this.#call(action, entries), outage: [] };
    } catch (error) {
      return { left: entries, outage: [error] };
    }
  }

  /**
   * Hands the entries to their action. Answers those that the action refuses; an outage is thrown. A service that no process
   * has is an outage: no call can tell which entry would be refused, and the age of the outbox reports the wait.
   */
  async #call(action: string, entries: readonly Call[]): Promise<Call[]> {
    try {
      const params = {
        entries: entries.map(({ id, at, params }) => ({ id, at: at.toISOString(), ...params })),
      };
      await this.#broker.call(action, params, asSystem(this.#service));
      return [];
    } catch (error) {
      if (isTransientError(error)) throw error;
      if (entries.length === 1) {
        for (const entry of entries) this.#refused.add(entry, error);
        return [...entries];
      }
      const alone = await Promise.all(entries.map((entry) => this.#call(action, [entry])));
      return alone.flat();
    }
  }
}

/** The entries of each call of an action, in their order. */
function piecesOf(calls: readonly Call[]): Call[][] {
  const pieces: Call[][] = [];
  let chars = 0;
  for (const call of calls) {
    const length = JSON.stringify(call.params).length;
    const last = pieces.at(-1);
    chars += length;
    if (last && last.length < MAX_ENTRIES && chars <= MAX_CALL_CHARS) last.push(call);
    else {
      pieces.push([call]);
      chars = length;
    }
  }
  return pieces;
}
