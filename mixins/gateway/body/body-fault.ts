import { type FieldFault, LONGEST_PATH } from '../../../contract/problem.ts';

/** A fault of a value of the body. A path beyond `LONGEST_PATH` is cut. */
export const bodyFault = (path: string, code: string, message: string): FieldFault => ({
  in: 'body',
  path: path.slice(0, LONGEST_PATH).toWellFormed(),
  code,
  message,
});
