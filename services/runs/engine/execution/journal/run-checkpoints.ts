import { CHECKPOINT_VERSION, type Checkpoint } from '@workspace-automation/flow-language';
import { isDuplicateKey } from '../../../../../mixins/database/database.ts';
import type { SentSecrets, StoredCheckpoint } from '../../../../../models/journal-entry.ts';
import { checkpointId, RunStepModel } from '../../../../../models/run-step.model.ts';
import { LeaseLostError } from '../../lease/leased-run.ts';

/** Characters of a checkpoint that the run's document keeps; the text of a longer one has a row of its own. */
const MAX_INLINE = 8 * 1024;
/** Characters of a checkpoint; a longer one is not stored, and the run goes on from the one before. */
const MAX_LENGTH = 4 * 1024 * 1024;
/** Steps after which a suspension makes a checkpoint. Fewer steps are replayed sooner than a checkpoint is read. */
const SUSPENDED_STEPS = 10;
/** Steps after which a run that goes on makes a checkpoint. A worker that takes the run over replays about as many. */
const RUNNING_STEPS = 1_000;
/** Estimated cost of the replay of one step, in characters of a checkpoint. */
const STEP_COST = 500;

/** The content of a checkpoint: the state of the interpretation, and the state of the journal. */
export interface CheckpointContent {
  state: Checkpoint;
  /** The sealed secrets that the run has sent, and the credentials whose secrets were not sealed. */
  secrets: readonly SentSecrets[];
  unsealedIds: readonly number[];
  /** The time of the latest effect, in milliseconds since the epoch. */
  latestTime: number;
  /** The steps before the checkpoint that are not recorded. */
  omittedSteps: number;
}

/** Reads the content of a checkpoint; null when a later checkpoint has replaced the row, or the form is of another version. */
export async function readCheckpoint(
  runId: number,
  { text, slot, n, fence }: StoredCheckpoint,
): Promise<CheckpointContent | null> {
  const content = text ?? (slot === undefined ? undefined : await readRow(runId, slot, n, fence));
  if (content === undefined) return null;
  const parsed = JSON.parse(content) as CheckpointContent;
  return parsed.state.version === CHECKPOINT_VERSION ? parsed : null;
}

async function readRow(runId: number, slot: number, n: number, fence: number) {
  const row = await RunStepModel.findById(checkpointId(runId, slot)).lean();
  const saved = row?.checkpoint;
  return saved?.n === n && saved.fence === fence ? saved.text : undefined;
}

/**
 * Decides when a run makes a checkpoint: at a suspension or after many steps, and only when the replay that it saves
 * would cost as much as the checkpoint itself. So the cost of a round does not grow with the number of rounds.
 */
export class CheckpointPolicy {
  #steps = 0;
  #bytes = 0;
  /** The length of the latest checkpoint. */
  #length: number;

  constructor(length = 0) {
    this.#length = length;
  }

  countStep(): void {
    this.#steps += 1;
  }

  countBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  wants(when: 'running' | 'suspended'): boolean {
    const least = when === 'suspended' ? SUSPENDED_STEPS : RUNNING_STEPS;
    return this.#steps >= least && this.#bytes + this.#steps * STEP_COST >= this.#length / 2;
  }

  /** Begins to count anew. Returns whether a checkpoint of this length is stored. */
  accept(length: number): boolean {
    this.#length = length;
    this.#steps = 0;
    this.#bytes = 0;
    return length <= MAX_LENGTH;
  }
}

/** Makes the fields of a checkpoint, with its text where the run's document keeps it. */
export function storedCheckpoint(
  fields: Pick<StoredCheckpoint, 'n' | 'fence' | 'open' | 'steps'>,
  text: string,
  last: StoredCheckpoint | undefined,
): StoredCheckpoint {
  const { length } = text;
  if (length <= MAX_INLINE) return { ...fields, length, text };
  return { ...fields, length, slot: last?.slot === 0 ? 1 : 0 };
}

/**
 * Writes the row of a large checkpoint, before the run's document names the checkpoint. Throws `LeaseLostError` when a
 * later worker has written to the row.
 */
export async function writeCheckpointRow(
  runId: number,
  slot: number,
  checkpoint: { n: number; fence: number; text: string },
): Promise<void> {
  const _id = checkpointId(runId, slot);
  const mine = { _id, 'checkpoint.fence': { $lte: checkpoint.fence } };
  const row = { n: 0, key: '', checkpoint };
  await RunStepModel.updateOne(mine, { $set: row }, { upsert: true }).catch((error: unknown) => {
    throw isDuplicateKey(error) ? new LeaseLostError('a later worker holds the run') : error;
  });
}
