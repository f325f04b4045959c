import type { Context } from '../context.ts';

const ADVICE =
  'Everyone who may read the flow can read it: put it into an auth credential, and call an API description that uses the credential (call: apiDescription).';

/** The messages say nothing of the value, because the value may be a secret. */
const MESSAGES = {
  SECRET_IN_HEADER: `The value of this header looks like a secret. ${ADVICE}`,
  SECRET_IN_URL: `This part of a URL looks like a secret. ${ADVICE}`,
  SECRET_IN_TEXT: `This text looks like a secret. ${ADVICE}`,
} as const;

/** Warns of a range of the file that looks like a secret. */
export function warnOfSecret(
  start: number,
  end: number,
  code: keyof typeof MESSAGES,
  context: Context,
): void {
  context.warn(start, end, code, MESSAGES[code]);
}
