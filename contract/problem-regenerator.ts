import { Errors } from 'moleculer';
import { Problem } from './problem.ts';

interface PlainError {
  name: string;
  message: string;
  code: number;
  retryable: boolean;
  type: string;
  data: Problem['data'];
}

/** Makes a `Problem` of the `Problem` that another node has sent. */
export class ProblemRegenerator extends Errors.Regenerator {
  override restore(error: PlainError, payload: Record<string, unknown>): Error {
    if (error.name !== 'Problem') return super.restore(error, payload);
    const { type, code, message, data } = error;
    return new Problem({ code: type, status: code, title: '' }, message, data);
  }
}
