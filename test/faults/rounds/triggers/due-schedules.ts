import type { Person } from '../../../helpers/people.ts';
import type { StoredSchedules } from '../../../helpers/schedules.ts';
import { comes } from '../../../helpers/wait.ts';
import type { Fault } from '../../checks.ts';
import { postOnce, sendUntilAcknowledged } from '../clients.ts';
import { type DueSchedule, faultsOfOccurrences } from './occurrence-faults.ts';
import type { RunSpans } from './run-spans.ts';
import type { StartedByTriggers } from './started-by-triggers.ts';

const MINUTE_MS = 60_000;
/** Missed occurrences of a schedule that makes all of them up, one a minute. */
const MISSED = 8;
/** Schedules of each pair of a misfire and an overlap policy. */
const OF_EACH_PAIR = 3;
/** Milliseconds within which all that is due is carried out, the leases of dead processes included. */
const CARRIED_OUT_WITHIN_MS = 60_000;

const PAIRS = ['RUN_ALL', 'RUN_ONCE', 'SKIP'].flatMap((misfire) =>
  ['ALLOW', 'SKIP'].map((overlap) => ({ misfire, overlap })),
);

/**
 * The schedules of a round. Their cron line has minutes that are over by now, and the first of them is made the next
 * occurrence in the database: so an occurrence is due at once, and no further one within the round.
 */
export class DueSchedules {
  readonly #person: Person;
  readonly #stored: StoredSchedules;
  readonly #schedules: readonly DueSchedule[];

  private constructor(person: Person, stored: StoredSchedules, schedules: readonly DueSchedule[]) {
    this.#person = person;
    this.#stored = stored;
    this.#schedules = schedules;
  }

  static async create(
    person: Person,
    flowId: number,
    stored: StoredSchedules,
    name: string,
  ): Promise<DueSchedules> {
    const thisMinute = Math.floor(Date.now() / MINUTE_MS);
    // The last minute is over for more than the time after which an occurrence is missed.
    const minutes = Array.from(
      { length: MISSED },
      (_, n) => new Date((thisMinute - 2 - MISSED + n) * MINUTE_MS),
    );
    const cron = `${minutes.map((minute) => minute.getUTCMinutes()).join()} * * * *`;
    const pairs = Array.from({ length: OF_EACH_PAIR }, () => PAIRS).flat();
    const schedules = await Promise.all(
      pairs.map(async ({ misfire, overlap }, n): Promise<DueSchedule> => {
        const body = { cron, timeZone: 'UTC', misfire, overlap };
        const order = { key: `${name}-${n}`, body };
        const path = `/flows/${flowId}/schedules`;
        const { id } = await postOnce<{ id: number }>(person, [201], path, order);
        return { id, misfire, overlap, due: minutes };
      }),
    );
    return new DueSchedules(person, stored, schedules);
  }

  /** The number of occurrences that are due. */
  get size(): number {
    return this.#schedules.reduce((sum, { due }) => sum + due.length, 0);
  }

  /** Makes one of the parts of the schedules due. `SKIP` misses nothing: its occurrence is of this moment. */
  async makeDue(part: number, parts: number): Promise<void> {
    const some = this.#schedules.filter((_, at) => at % parts === part);
    const now = new Date();
    for (const schedule of some) {
      if (schedule.misfire === 'SKIP') schedule.due = [now];
      else if (schedule.misfire === 'RUN_ONCE') schedule.due = schedule.due.slice(0, 1);
    }
    for (const [first, ofFirst] of Map.groupBy(some, ({ due }) => due[0])) {
      await this.#stored.makeDue(
        ofFirst.map(({ id }) => id),
        first ?? now,
      );
    }
  }

  /** Waits until each schedule has gone on to an occurrence that is not due. */
  async faultsOfEnd(): Promise<Fault[]> {
    const ids = this.#schedules.map(({ id }) => id);
    const findDue = async () =>
      (await this.#stored.collection.find({ _id: { $in: ids } }).toArray()).filter(
        ({ nextOccurrence, lease, attempts }) =>
          !nextOccurrence || nextOccurrence <= new Date() || lease || attempts,
      );
    if (await comes(async () => (await findDue()).length === 0, CARRIED_OUT_WITHIN_MS)) return [];
    return (await findDue()).map((schedule) => `a schedule stays due: ${JSON.stringify(schedule)}`);
  }

  faultsOf(started: StartedByTriggers, spans: RunSpans): Fault[] {
    return this.#schedules.flatMap((schedule) => faultsOfOccurrences(schedule, started, spans));
  }

  async remove(): Promise<void> {
    for (const { id } of this.#schedules) {
      const path = `/flows/schedules/${id}`;
      await sendUntilAcknowledged(this.#person, [204, 404], ['DELETE', path]);
    }
  }
}
