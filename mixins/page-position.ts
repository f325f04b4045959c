import { readCursor } from './lists.ts';
import { invalidRequest } from './problem.ts';

/** Which page of a list is asked for. */
export interface Position {
  limit: number;
  after?: string | undefined;
}

/** The id behind which the page begins. */
export function positionOf({ after }: Position): number {
  if (after === undefined) return 0;
  const id = readCursor(after, 'number')?.[0];
  if (typeof id === 'number') return id;
  const message = 'must be the cursor of a Link header';
  throw invalidRequest([{ in: 'query', path: 'after', code: 'invalid_cursor', message }]);
}
