import { NotFound, Problem, problemType } from '../../contract/problem.ts';

export const SignatureRefused = problemType(
  'SIGNATURE_REFUSED',
  401,
  'The signature of the request is missing or does not fit',
);

export const signatureRefused = (detail: string): Problem => new Problem(SignatureRefused, detail);

/** The 404 of every token that no webhook has. */
export const noHook = (): Problem => new Problem(NotFound, 'There is no webhook at this URL.');
