import type { NatsErrors } from '@workspace-automation/moleculer-nats';
import { BodyTooLarge, InternalError, Problem } from '../contract/problem.ts';
import { A_PART, unavailable } from './error-mapping.ts';

/** The problems of calls that NATS cannot carry. */
export const natsProblems: NatsErrors = {
  requestTooLarge: (maxBytes) =>
    new Problem(BodyTooLarge, `The request may have at most ${maxBytes} bytes on its way inside.`),
  responseTooLarge: () => new Problem(InternalError, 'Something went wrong on our side.'),
  unavailable: () => unavailable(A_PART),
};
