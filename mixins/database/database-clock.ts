import { mongo } from 'mongoose';
import { databaseTime } from './clock.ts';

/**
 * The greatest change of the offset between two clocks by drift, in milliseconds for each millisecond. A clock that is
 * slewed by NTP changes by 500 ppm at most; a greater change counts as a step of the database's clock.
 */
const MAX_DRIFT = 5e-4;
/** The resolution of a time of the database in milliseconds: the fraction of a millisecond is cut off. */
const RESOLUTION_MS = 1;
/**
 * Milliseconds of a round trip beyond which the first reading is repeated at once. Its command has probably waited for a
 * connection, and the middle of its bounds may be wrong by half of the round trip.
 */
const MAX_FIRST_ROUND_TRIP_MS = 200;

/** A time of the database, and when its command was sent and answered by the monotonic clock of this process. */
export interface ClockReading {
  time: Date;
  sentAt: number;
  receivedAt: number;
}

/** The bounds of the offset of the database's clock from the monotonic clock, in milliseconds. */
interface OffsetBounds {
  lower: number;
  upper: number;
  /** The time of the bounds by the monotonic clock. */
  at: number;
}

/**
 * The clock of the database as this process sees it: each reading bounds the offset of the clocks by its round trip. The
 * bounds of several readings are intersected, and the middle is the estimate.
 */
export class DatabaseClock {
  readonly #monotonic: () => number;
  readonly #readTime: () => Promise<Date>;
  #bounds: OffsetBounds | null = null;
  /** The latest time that `now` has returned. */
  #latest = Number.NEGATIVE_INFINITY;

  /** `monotonic` is a monotonic clock in milliseconds, `readTime` a command that reads the time of the database. */
  constructor(monotonic = () => performance.now(), readTime = databaseTime) {
    this.#monotonic = monotonic;
    this.#readTime = readTime;
  }

  /** Whether there was a reading, so that `now` may be called. */
  get isKnown(): boolean {
    return this.#bounds !== null;
  }

  /**
   * The time of the database in milliseconds since the epoch. It runs backwards only after a step of the database's
   * clock, and after a reading that shows that the estimate was ahead: a caller whose times may not run backwards takes
   * the later of this time and its last one. Throws, as a command without a connection does, before the first reading.
   */
  now(): number {
    if (!this.#bounds) throw new mongo.MongoNotConnectedError('the database was not read yet');
    const { lower, upper } = this.#bounds;
    const time = Math.floor(this.#monotonic() + (lower + upper) / 2);
    this.#latest = Math.max(this.#latest, time);
    return this.#latest;
  }

  date(): Date {
    return new Date(this.now());
  }

  /** The greatest error of `now` in milliseconds. */
  get errorMs(): number {
    const bounds = this.#widened(this.#monotonic());
    return bounds ? (bounds.upper - bounds.lower) / 2 : Number.POSITIVE_INFINITY;
  }

  /** Sends a command, and takes the time of the database from its answer. `timeOf` may find no time. */
  async measure<T>(send: () => Promise<T>, timeOf: (answer: T) => Date | undefined): Promise<T> {
    const sentAt = this.#monotonic();
    const answer = await send();
    const receivedAt = this.#monotonic();
    const time = timeOf(answer);
    if (!time) return answer;
    const isSlow = !this.isKnown && receivedAt - sentAt > MAX_FIRST_ROUND_TRIP_MS;
    if (!isSlow || !(await this.#readOnce())) this.add({ time, sentAt, receivedAt });
    return answer;
  }

  /** Reads the time of the database by a command of its own. */
  async read(): Promise<void> {
    await this.measure(this.#readTime, (time) => time);
  }

  /** Reads the time whatever the round trip. Returns false where the command has failed. */
  async #readOnce(): Promise<boolean> {
    const sentAt = this.#monotonic();
    const time = await this.#readTime().catch(() => null);
    if (time) this.add({ time, sentAt, receivedAt: this.#monotonic() });
    return time !== null;
  }

  add({ time, sentAt, receivedAt }: ClockReading): void {
    const lower = time.getTime() - receivedAt;
    const upper = time.getTime() + RESOLUTION_MS - sentAt;
    const earlier = this.#widened(receivedAt);
    if (earlier && earlier.lower <= upper && lower <= earlier.upper) {
      this.#bounds = {
        lower: Math.max(lower, earlier.lower),
        upper: Math.min(upper, earlier.upper),
        at: receivedAt,
      };
      // A later time than the upper bound allows was ahead of the database.
      this.#latest = Math.min(this.#latest, Math.floor(receivedAt + this.#bounds.upper));
      return;
    }
    // The first reading, or the database's clock was set, or another server has become the primary.
    this.#bounds = { lower, upper, at: receivedAt };
    this.#latest = Number.NEGATIVE_INFINITY;
  }

  /** The bounds at a later time, by which the clocks may have drifted. */
  #widened(at: number): OffsetBounds | null {
    if (!this.#bounds) return null;
    const drift = Math.max(at - this.#bounds.at, 0) * MAX_DRIFT;
    return { lower: this.#bounds.lower - drift, upper: this.#bounds.upper + drift, at };
  }
}

/** The clock of the database to which this process is connected. */
export const databaseClock = new DatabaseClock();
