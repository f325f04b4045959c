import { type Document, MongoClient } from 'mongodb';
import { DATABASE_NAME } from './setup.ts';

/** A run as the database has it. */
export type StoredRun = Document & { _id: number };

/** Runs that one command inserts. */
const BATCH = 2_000;
/** The id of the first copied run, far above the ids of the service. */
const FIRST_ID = 1_000_000_000;

/** The stored runs of a service, and copies of them, which have the fields of this version. */
export class StoredRuns {
  readonly #client: MongoClient;
  #lastId = FIRST_ID;

  private constructor(client: MongoClient) {
    this.#client = client;
  }

  static async open(uri: string): Promise<StoredRuns> {
    return new StoredRuns(await new MongoClient(uri).connect());
  }

  get collection() {
    return this.#client.db(DATABASE_NAME).collection<StoredRun>('runs');
  }

  /** Inserts `count` copies with other ids. `changeOf` gives the fields of the n-th copy that differ. */
  async addCopies(
    run: StoredRun,
    count: number,
    changeOf: (n: number) => Document = () => ({}),
  ): Promise<void> {
    for (let from = 0; from < count; from += BATCH) {
      const copies = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => ({
        ...run,
        ...changeOf(from + n),
        _id: this.#lastId++,
      }));
      await this.collection.insertMany(copies, { ordered: false });
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
