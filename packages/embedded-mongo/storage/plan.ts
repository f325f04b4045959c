import type { Interval } from './bounds.ts';
import type { Index } from './catalog.ts';

/** The plan by which a query finds its documents. */
export interface Plan {
  /** The index to walk; undefined for a scan of the collection (COLLSCAN). */
  index: Index | undefined;
  intervals: Interval[];
  backward: boolean;
  /** Whether the documents come in the order of the sort. */
  sorted: boolean;
  /** Whether every document within the intervals matches, so that no document must be tested. */
  exact: boolean;
  /** Whether each interval is one key of a unique index, so that at most one document is found in it. */
  unique: boolean;
}

/** Tells whether at most one document can match. */
export const isSingle = ({ unique, intervals }: Plan): boolean => unique && intervals.length === 1;
