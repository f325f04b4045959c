import { MongoClient } from 'mongodb';
import type { ScheduleDocument } from '../../models/schedule.model.ts';

/** The stored schedules of a test, to put their occurrences where a test needs them: nobody waits for hours. */
export class StoredSchedules {
  readonly #database: { readonly client: MongoClient };

  constructor(database: { readonly client: MongoClient }) {
    this.#database = database;
  }

  static async connect(uri: string): Promise<StoredSchedules> {
    return new StoredSchedules({ client: await MongoClient.connect(uri) });
  }

  close(): Promise<void> {
    return this.client.close();
  }

  get client(): MongoClient {
    return this.#database.client;
  }

  get collection() {
    return this.client.db().collection<ScheduleDocument>('schedules');
  }

  find(id: number): Promise<ScheduleDocument | null> {
    return this.collection.findOne({ _id: id });
  }

  /** Makes an occurrence the next one, as if no scheduler had looked since. */
  async makeDue(ids: readonly number[], occurrence: Date): Promise<void> {
    await this.collection.updateMany(
      { _id: { $in: [...ids] } },
      {
        $set: { nextOccurrence: occurrence, dueAt: occurrence },
        $unset: { lease: 1, attempts: 1 },
      },
    );
  }
}

/** A cron line that comes once an hour, half an hour from now and half an hour ago, and its occurrences before. */
export function hourly(now = new Date()): { cron: string; ago: (hours: number) => Date } {
  const half = new Date(Math.floor(now.getTime() / 60_000) * 60_000 - 30 * 60_000);
  return {
    cron: `${half.getUTCMinutes()} * * * *`,
    ago: (hours) => new Date(half.getTime() - hours * 3_600_000),
  };
}
