import type { MongoClient } from 'mongodb';
import type { RunDocument } from '../../../../models/run.model.ts';

/** A run that a trigger has started. */
export type TriggeredRun = Pick<RunDocument, '_id'> & { startKey: string };

/** The runs that triggers have started, as the database has them. */
export class StartedByTriggers {
  readonly #runs: readonly TriggeredRun[];

  private constructor(runs: readonly TriggeredRun[]) {
    this.#runs = runs;
  }

  static async read(client: MongoClient): Promise<StartedByTriggers> {
    const runs = await client
      .db()
      .collection<RunDocument>('runs')
      .find<TriggeredRun>({ startKey: { $exists: true } }, { projection: { startKey: 1 } })
      .sort({ startKey: 1 })
      .toArray();
    return new StartedByTriggers(runs);
  }

  /** The runs whose keys begin with the text, by key. */
  of(prefix: string): TriggeredRun[] {
    return this.#runs.filter(({ startKey }) => startKey.startsWith(prefix));
  }
}
