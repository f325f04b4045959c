import { isProblem, NotFound } from '../../contract/problem.ts';

/** Whether the error says that the branch has gone meanwhile. */
export const isGone = (error: unknown): boolean => isProblem(error, NotFound);

/** Throws any error but that of a branch that has gone meanwhile. */
export function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error;
}
