import { type FieldFault, LONGEST_PATH } from '../../../contract/problem.ts';

/** What is wrong with a value of the body; a path that is too long is cut. */
export const bodyFault = (path: string, code: string, message: string): FieldFault => ({
  in: 'body',
  path: path.slice(0, LONGEST_PATH).toWellFormed(),
  code,
  message,
});
