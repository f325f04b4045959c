import type { RecordedEvent } from '../contract/recorded-event.ts';
import type { PlacedEvent } from './place-events.ts';

/** An event, or masked keys in a row. The latter have the milliseconds from the first to the last of them. */
type Joined<E> = E & { durationMs?: number };
/** An event as it is stored. */
export type KeptEvent = Joined<PlacedEvent>;

/**
 * Joins masked keys in a row into one event: the number of keys is the length of the secret input, which is not
 * stored.
 */
export function joinMaskedKeys<E extends RecordedEvent>(events: readonly E[]): Joined<E>[] {
  const joined: Joined<E>[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (last && isMaskedKey(last) && isMaskedKey(event) && !event.screen) {
      const durationMs = (last.durationMs ?? 0) + event.afterMs;
      joined[joined.length - 1] = { ...last, durationMs };
    } else joined.push(event);
  }
  return joined;
}

const isMaskedKey = (event: RecordedEvent): boolean => event.type === 'KEY' && event.masked;
