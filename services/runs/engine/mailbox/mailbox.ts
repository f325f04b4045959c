import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import type { ReceivedSignal } from '../../../../models/journal-entry.ts';
import { type KeptSignal, type RunDocument, RunModel } from '../../../../models/run.model.ts';

/** Milliseconds after a claim for which its mail is as good as a look. */
const FRESH_MS = 100;

/** The signals of a run and its count of notifications, as one read of its document shows them. */
export type MailboxContent = Required<Pick<RunDocument, 'wakeups' | 'signals'>>;

/** An effect that waits for a notification. */
interface WaitingEffect {
  topic: string;
  /** The count of notifications when the effect found nothing. */
  wakeups: number;
  /** Aborted as `cancelled` when another branch ends the branch of the effect, and otherwise where the run goes on. */
  signal: AbortSignal;
}

/** The notifications that a suspended run waits for. */
export interface Awaited {
  /** The notifications that make the run ready. */
  topics: string[];
  /** The count of notifications that the suspension is based on. */
  wakeups: number;
}

type MailboxFields = Pick<RunDocument, '_id' | 'wakeups' | 'signals' | 'consumedSignals'>;

/** The notifications of a run that this process executes, and the effects of the run that wait for one. */
export class Mailbox {
  readonly #runId: number;
  /** The effects that wait, by the keys of their positions. */
  readonly #waiting = new Map<string, WaitingEffect>();
  /** The ids of the signals that the run has received, the latest of each name. */
  readonly #consumed: Map<string, number>;
  #lastLook: Promise<MailboxContent> | null = null;
  /** The time at which the last look began, by the clock of the database. */
  #lookedAt = 0;
  readonly #madeAt = performance.now();
  /** The mail as the claim of the run has read it, for the first look. */
  #claimed: MailboxContent | null;
  /** The greatest count of notifications that the claim of the run or a look has seen. */
  #seen: number;
  /** Whether a notification came after the beginning of the last look. */
  #isNotified = false;

  constructor({ _id, wakeups = 0, signals = {}, consumedSignals = {} }: MailboxFields) {
    this.#runId = _id;
    this.#seen = wakeups;
    this.#claimed = { wakeups, signals };
    this.#consumed = new Map(Object.entries(consumedSignals));
  }

  /**
   * Reads the mail. Looks that meet share one read. The first look takes the mail that the claim has read a moment
   * before, unless a notification is known to have come since; a suspension on another one is refused by its count.
   * `overdueSince`, in milliseconds since the epoch, asks for a read that began then or later: nothing tells an effect
   * that looks for the last time what the look has missed.
   */
  async look(overdueSince = Number.NEGATIVE_INFINITY): Promise<MailboxContent> {
    const claimed = performance.now() - this.#madeAt < FRESH_MS ? this.#claimed : null;
    this.#claimed = null;
    if (claimed && !this.#isNotified && overdueSince === Number.NEGATIVE_INFINITY) return claimed;
    if (!this.#lastLook || this.#isNotified || this.#lookedAt < overdueSince) {
      this.#lookedAt = databaseClock.now();
      this.#isNotified = false;
      const look = readContent(this.#runId).finally(() => {
        if (this.#lastLook === look) this.#lastLook = null;
      });
      this.#lastLook = look;
    }
    const mail = await this.#lastLook;
    this.#seen = Math.max(this.#seen, mail.wakeups);
    return mail;
  }

  /** Notes that an effect waits for the topic, because the mail at that count had nothing for the effect. */
  wait(key: string, waiting: WaitingEffect): void {
    this.#waiting.set(key, waiting);
  }

  /** Whether the effect waits, and so has looked before. */
  waits(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Forgets an effect that has ended. */
  endWait(key: string): void {
    this.#waiting.delete(key);
  }

  /** Marks a signal as received. Returns false when the run has received the signal before. */
  consume({ name, id }: ReceivedSignal): boolean {
    if (this.#consumed.get(name) === id) return false;
    this.#consumed.set(name, id);
    return true;
  }

  isConsumed({ name, id }: ReceivedSignal): boolean {
    return this.#consumed.get(name) === id;
  }

  /** Notes that a notification has come. */
  notify(): void {
    this.#isNotified = true;
  }

  /** A count of notifications that the run has reached, and whether one has come since. */
  get known(): { wakeups: number; isOutdated: boolean } {
    return { wakeups: this.#seen, isOutdated: this.#isNotified };
  }

  /** Whether an effect waits whose last look may have missed a notification. */
  get isStale(): boolean {
    const awaited = this.awaited;
    return awaited !== null && (this.#isNotified || awaited.wakeups < this.#seen);
  }

  /** The notifications that the effects under way wait for; null when no effect waits. */
  get awaited(): Awaited | null {
    const waiting = [...this.#waiting.values()].filter(
      ({ signal }) => signal.reason !== 'cancelled',
    );
    if (!waiting.length) return null;
    const topics = [...new Set(waiting.map(({ topic }) => topic))];
    return { topics, wakeups: Math.min(...waiting.map(({ wakeups }) => wakeups)) };
  }
}

async function readContent(runId: number): Promise<MailboxContent> {
  const fields = { wakeups: 1, signals: 1 } as const;
  const run = await RunModel.findById(runId, fields)
    .read('primary')
    .lean<Pick<RunDocument, 'wakeups' | 'signals'>>();
  return { wakeups: run?.wakeups ?? 0, signals: run?.signals ?? {} };
}

/** Returns the signal of a name; undefined where none is kept. The names of signals may be those of inherited properties. */
export const signalOf = (
  signals: MailboxContent['signals'],
  name: string,
): KeptSignal | undefined => (Object.hasOwn(signals, name) ? signals[name] : undefined);

/** Finds those of the runs whose count of notifications differs from the given one. */
export async function findNotified(
  known: ReadonlyMap<number, number>,
): Promise<ReadonlySet<number>> {
  if (known.size === 0) return new Set();
  const runs = await RunModel.find({ _id: { $in: [...known.keys()] } }, { wakeups: 1 }).lean();
  return new Set(
    runs.filter(({ _id, wakeups = 0 }) => wakeups !== known.get(_id)).map(({ _id }) => _id),
  );
}
