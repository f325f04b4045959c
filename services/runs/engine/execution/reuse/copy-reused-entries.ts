import type { JournalEntry } from '../../../../../models/journal-entry.ts';
import { journalBytesOf } from '../../../quotas/run-bytes.ts';
import type { LeasedRun } from '../../lease/leased-run.ts';
import type { Job } from '../job.ts';
import { exceedsTail } from '../journal/journal.ts';
import { entryBytes, recordedBytes } from '../journal/step-records.ts';
import { type FindPlan, findRetriedRun, listReusedEntries, reuseTestOf } from './reused-entries.ts';

/** Bytes of the entries of one write; a single entry may be larger. */
const MAX_BATCH_BYTES = 1024 * 1024;

/**
 * Copies the journal entries that a retry reuses, in writes that a later claim goes on from. Returns the number of
 * entries; null where the retried run is gone, and `interrupted` where the run has to stop.
 */
export async function copyReusedEntries(
  { run, signal }: Job,
  planOf: FindPlan,
): Promise<number | 'interrupted' | null> {
  const { doc } = run;
  const { retryOf = 0 } = doc;
  const retried = await findRetriedRun(retryOf);
  const isReusable = retried && (await reuseTestOf(retried, doc, planOf));
  if (!isReusable) return null;
  const copy = new JournalCopy(run);
  for await (const entry of listReusedEntries(retried, isReusable)) {
    if (signal.aborted) return 'interrupted';
    await copy.add(entry);
  }
  // Entries that retention has removed meanwhile were not read.
  if (!(await findRetriedRun(retryOf))) return null;
  return copy.finish();
}

/** Writes entries to a run, with the numbers and events that they have there. */
class JournalCopy {
  readonly #run: LeasedRun;
  /** The number of the entries so far. */
  #count = 0;
  #events = 2; // QUEUED is 1 and RUNNING is 2
  #keptBytes = 0;
  #journalBytes = 0;
  #batch: JournalEntry[] = [];
  #batchBytes = 0;
  /** The entries in the run's document. An earlier worker may have copied them and not moved them. */
  readonly #tail: JournalEntry[];

  constructor(run: LeasedRun) {
    this.#run = run;
    this.#tail = [...run.doc.journal];
  }

  async add({ key, effect, step, sentSecrets }: JournalEntry): Promise<void> {
    const entry = {
      n: this.#count + 1,
      key,
      ...(effect ? { effect } : {}),
      ...(step ? { step } : {}),
      ...(sentSecrets ? { sentSecrets } : {}),
      event: this.#events + (step ? 1 : 0),
    };
    const bytes = entryBytes(entry);
    if (this.#batchBytes + bytes > MAX_BATCH_BYTES) await this.#write();
    this.#count = entry.n;
    this.#events = entry.event;
    this.#journalBytes += journalBytesOf([entry]);
    this.#keptBytes += recordedBytes(entry);
    if (entry.n <= this.#run.doc.entries) return; // an earlier worker has copied the entry
    this.#batch.push(entry);
    this.#batchBytes += bytes;
  }

  /** Writes the last entries. Returns the number of all entries. */
  async finish(): Promise<number> {
    await this.#write();
    return this.#count;
  }

  async #write(): Promise<void> {
    const entries = this.#batch;
    const [first] = entries;
    if (!first) return;
    await this.#run.appendEntries({
      entries,
      from: first.n - 1,
      keptBytes: this.#keptBytes,
      journalBytes: this.#journalBytes,
      events: this.#events,
    });
    this.#batch = [];
    this.#batchBytes = 0;
    this.#tail.push(...entries);
    if (!exceedsTail(this.#tail)) return;
    await this.#run.moveEntries(this.#tail);
    this.#tail.length = 0;
  }
}
