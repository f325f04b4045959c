import { databaseClock } from '../../../../../mixins/database/database-clock.ts';
import { MAX_TIMER_MS } from '../deadline-timer.ts';

/** The limits of an effect that waits for its turn. */
export interface TurnWait {
  /** Milliseconds since the epoch at which the effect stops waiting. */
  deadline: number;
  /** Aborted when the run is interrupted: the effect stops waiting. */
  signal: AbortSignal;
}

/** Does work in its turn. Rejects without the work when the signal is aborted before. */
type InTurn<T> = (signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Does work in its turn. Returns null, without the work, when the deadline comes or the signal is aborted before. */
export async function runInTurn<T>(
  { deadline, signal }: TurnWait,
  inTurn: InTurn<T>,
  work: () => Promise<T>,
): Promise<T | null> {
  const wait = new AbortController();
  const giveUp = () => wait.abort('over'); // without a reason, each abort would create an error and its stack
  const timer = setTimeout(giveUp, Math.min(deadline - databaseClock.now(), MAX_TIMER_MS));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  const endWait = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  };
  let hasBegun = false;
  try {
    return await inTurn(wait.signal, () => {
      hasBegun = true;
      endWait();
      return work();
    });
  } catch (error) {
    if (!hasBegun && wait.signal.aborted) return null;
    throw error;
  } finally {
    endWait();
  }
}
