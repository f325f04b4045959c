import type { StartedRun } from '../checks.ts';

/** What the service has acknowledged to the clients of one fault. */
export class Ledger {
  /** Titles of the issues whose creation was acknowledged. Each was sent under a key of its own. */
  readonly created = new Set<string>();
  /** By the id of an issue, the descriptions that may stand there: the last acknowledged, and later ones that failed. */
  readonly descriptions = new Map<number, string[]>();
  /** The same of the values of properties, by key. */
  readonly properties = new Map<string, string[]>();
  readonly runs: StartedRun[] = [];
}

/**
 * Notes a write and whether it was acknowledged. A write that was not may have been carried out, or may be later: its
 * client writes no more to the same place.
 */
export function noteWrite<K>(
  values: Map<K, string[]>,
  place: K,
  value: string,
  isAcknowledged: boolean,
): void {
  const earlier = isAcknowledged ? [] : (values.get(place) ?? []);
  values.set(place, [...earlier, value]);
}
