import { FairQueue } from '../../../../support/fair-shares/fair-queue.ts';
import type { Share } from '../../../../support/fair-shares/share.ts';

/**
 * Bytes above which a write is large and needs a turn. The database writes a run's whole document for each change.
 */
export const LARGE_WRITE_BYTES = 64 * 1024;
/** Large writes of this process that are under way at once. Further large writes wait for their owner's turn. */
const CONCURRENCY = 2;
/** Milliseconds after which the turn of a large write ends, even if the write has not ended. */
const TURN_MS = 5_000;

const queue = new FairQueue({
  concurrency: CONCURRENCY,
  refusal: () => new Error('no large write is refused its turn'),
});

/**
 * Writes a run. Large writes take turns between owners, so that the runs of one owner never keep the
 * database busy for all others: a small write waits for two large writes at most. `bytes` is the
 * approximate size of the write.
 */
export async function writeInTurn<T>(
  share: Share,
  bytes: number,
  write: () => Promise<T>,
): Promise<T> {
  if (bytes <= LARGE_WRITE_BYTES) return write();
  return (await startInTurn(share, write)).written;
}

/** Starts a write in its turn. Resolves when the write or its turn ends; `written` resolves with the write. */
function startInTurn<T>(share: Share, write: () => Promise<T>): Promise<{ written: Promise<T> }> {
  return queue.run(share, async () => {
    const written = write();
    await new Promise<void>((endTurn) => {
      const timer = setTimeout(endTurn, TURN_MS);
      const end = () => {
        clearTimeout(timer);
        endTurn();
      };
      written.then(end, end); // the caller awaits `written` and gets its error
    });
    return { written };
  });
}
