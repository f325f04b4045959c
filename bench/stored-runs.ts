import { type Document, MongoClient } from 'mongodb';
import { insertCopies, type StoredDocument } from './document-copies.ts';
import { DATABASE_NAME } from './setup.ts';

/** The id of the first copied run, far above the ids of the service. */
const FIRST_ID = 1_000_000_000;

/** The stored runs of a service, and copies of them, which have the fields of this version. */
export class StoredRuns {
  readonly #client: MongoClient;
  #nextId = FIRST_ID;

  private constructor(client: MongoClient) {
    this.#client = client;
  }

  static async open(uri: string): Promise<StoredRuns> {
    return new StoredRuns(await new MongoClient(uri).connect());
  }

  get collection() {
    return this.#client.db(DATABASE_NAME).collection<StoredDocument>('runs');
  }

  /** Inserts `count` copies with other ids. `changeOf` gives the fields of the n-th copy that differ. */
  async addCopies(
    run: StoredDocument,
    count: number,
    changeOf?: (n: number) => Document,
  ): Promise<void> {
    const firstId = this.#nextId;
    this.#nextId += count;
    await insertCopies(this.collection, run, { count, firstId }, changeOf);
  }

  /** Adds rollups of ended runs, one for each of the last days, to those that the service has written. */
  async addRollups(of: {
    workspaceId: number;
    flowId: number;
    runs: number;
    days: number;
  }): Promise<void> {
    const { workspaceId, flowId, runs, days } = of;
    const rollups = this.#client
      .db(DATABASE_NAME)
      .collection<Document & { _id: string }>('run_tallies');
    const written = await rollups.findOne({ workspaceId, flowId });
    if (!written) throw new Error('the service has written no rollup of the flow');
    const copies = Array.from({ length: days }, (_, n) => {
      const day = new Date(Date.now() - n * 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
      const _id = `ended/${workspaceId}/${flowId}/${day}`;
      return { ...written, _id, day, runs: Math.floor(runs), success: Math.floor(runs) };
    });
    await rollups.insertMany(copies.filter(({ _id }) => _id !== written._id));
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
