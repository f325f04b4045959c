import { readCursor } from './pages.ts';
import { invalidRequest, type Problem } from './problem.ts';

/** The page of a list that a request wants. */
export interface Position {
  limit: number;
  after?: string | undefined;
}

/** The id after which the page of a list by id begins; 0 for the first page. */
export function positionOf({ after }: Pick<Position, 'after'>): number {
  if (after === undefined) return 0;
  const id = readCursor(after, 'number')?.[0];
  if (typeof id !== 'number') throw invalidCursor();
  return id;
}

/** The position after which the page of a list by time and id begins; null for the first page. */
export function positionInTime(
  { after }: Pick<Position, 'after'>,
  idType: 'number' | 'string' = 'number',
): { time: Date; id: number | string } | null {
  if (after === undefined) return null;
  const [at, id] = readCursor(after, 'number', idType) ?? [];
  const time = new Date(at ?? Number.NaN);
  if (id === undefined || Number.isNaN(time.getTime())) throw invalidCursor();
  return { time, id };
}

/** The id after which the page of a list by text ids begins; null for the first page. */
export function positionInText({ after }: Pick<Position, 'after'>): string | null {
  if (after === undefined) return null;
  const id = readCursor(after, 'string')?.[0];
  if (typeof id !== 'string') throw invalidCursor();
  return id;
}

function invalidCursor(): Problem {
  const message = 'must be the cursor of a Link header';
  return invalidRequest([{ in: 'query', path: 'after', code: 'invalid_cursor', message }]);
}
