import { setTimeout as sleep } from 'node:timers/promises';
import { SequenceModel } from '../../models/sequence.model.ts';
import { isStorageFull, outageOf } from '../../support/database-outage.ts';
import { SharedAnswer } from '../../support/shared-answer.ts';

/** The sequence that a probe raises. No ids are taken from it. */
const PROBED_SEQUENCE = 'storage_probes';
/** Milliseconds for which the outcome of a probe is reused: a write for each reader would be a load of its own. */
const PROBE_TTL_MS = 2_000;
/** Milliseconds after which a probe without an answer counts as one that met no full disk. */
const PROBE_TIMEOUT_MS = 1_000;

const sharedProbe = new SharedAnswer(storageProbe(), PROBE_TTL_MS);

/** Whether the database refuses writes because its disk is full, as a write within the last 2 s has shown. */
export const isDatabaseFull = (): Promise<boolean> => sharedProbe.get();

/** Makes a probe. It begins no write beside one that has no answer yet: each holds a connection of the pool. */
function storageProbe(): () => Promise<boolean> {
  let openWrite: Promise<boolean> | null = null;
  return () => {
    openWrite ??= writeToStorage().finally(() => {
      openWrite = null;
    });
    return Promise.race([openWrite, sleep(PROBE_TIMEOUT_MS, false, { ref: false })]);
  };
}

/** Writes a document. Resolves with whether the write was refused because the disk is full. */
const writeToStorage = (): Promise<boolean> =>
  SequenceModel.updateOne({ _id: PROBED_SEQUENCE }, { $inc: { next: 1 } }, { upsert: true }).then(
    () => false,
    isOfFullDisk,
  );

function isOfFullDisk(error: unknown): boolean {
  const outage = outageOf(error);
  return outage !== null && isStorageFull(outage);
}
