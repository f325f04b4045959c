import { readCursor } from './pages.ts';
import { invalidRequest, type Problem } from './problem.ts';

/** Which page of a list is asked for. */
export interface Position {
  limit: number;
  after?: string | undefined;
}

/** The id behind which the page of a list by id begins. */
export function positionOf({ after }: Pick<Position, 'after'>): number {
  if (after === undefined) return 0;
  const id = readCursor(after, 'number')?.[0];
  if (typeof id !== 'number') throw invalidCursor();
  return id;
}

/** Where the page of a list by time and id, newest first, begins; null for its beginning. */
export function positionInTime({
  after,
}: Pick<Position, 'after'>): { time: Date; id: number } | null {
  if (after === undefined) return null;
  const [at, id] = readCursor(after, 'number', 'number') ?? [];
  const time = new Date(at ?? Number.NaN);
  if (Number.isNaN(time.getTime())) throw invalidCursor();
  return { time, id: Number(id) };
}

function invalidCursor(): Problem {
  const message = 'must be the cursor of a Link header';
  return invalidRequest([{ in: 'query', path: 'after', code: 'invalid_cursor', message }]);
}
