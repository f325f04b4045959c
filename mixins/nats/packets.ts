import { BodyTooLarge, InternalError, Problem } from '../../contract/problem.ts';

/** Bytes of one message. nats-server refuses 1 MiB unless told otherwise, and ends the connection. */
const MOST_BYTES = 900 * 1024;

/** What is read of a message on its way out. */
export interface Outgoing {
  type: string;
  payload: { id?: string; action?: string };
}

export const isTooLarge = (data: Uint8Array): boolean => data.length > MOST_BYTES;

/** The answer to a call that cannot be sent. */
export const callTooLarge = (): Problem =>
  new Problem(BodyTooLarge, `The request may have at most ${MOST_BYTES} bytes on its way inside.`);

/** What is sent in place of an answer that cannot be: lists and outputs are bounded well below. */
export const answerTooLarge = (): Problem =>
  new Problem(InternalError, 'Something went wrong on our side.');
