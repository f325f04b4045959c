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

const sharedProbe = new SharedAnswer(probeStorage, PROBE_TTL_MS);

/** Whether the database refuses writes because its disk is full, as a write within the last 2 s has shown. */
export const isDatabaseFull = (): Promise<boolean> => sharedProbe.get();

function probeStorage(): Promise<boolean> {
  const write = SequenceModel.updateOne(
    { _id: PROBED_SEQUENCE },
    { $inc: { next: 1 } },
    { upsert: true },
  ).then(() => false, isOfFullDisk);
  return Promise.race([write, sleep(PROBE_TIMEOUT_MS, false, { ref: false })]);
}

function isOfFullDisk(error: unknown): boolean {
  const outage = outageOf(error);
  return outage !== null && isStorageFull(outage);
}
