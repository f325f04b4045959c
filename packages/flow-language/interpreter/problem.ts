/**
 * The errors of flows: problem details as the Serverless Workflow DSL defines them, with this service's code as
 * `title`. `type` is a URI of the DSL, or any `https://` URI that an author raises.
 */

/**
 * A problem detail (RFC 9457). `instance` is the JSON pointer of the task in the flow file. `cause` is the error that a
 * `catch` had caught whose own tasks then failed, without a cause of its own.
 */
export interface Problem {
  type: string;
  status: number;
  title: string;
  detail: string;
  instance: string;
  cause?: Omit<Problem, 'cause'>;
}

const BASE = 'https://serverlessworkflow.io/spec/1.0.0/errors/';

/** Characters of an error's title. The rest is cut, because the error is recorded with each task that it ends. */
export const MAX_TITLE = 256;
/** Characters of an error's detail. The rest is cut, because the error is recorded with each task that it ends. */
export const MAX_DETAIL = 4096;

/** The error types of the DSL with their default status. */
export const ERROR_KINDS = {
  validation: 400,
  expression: 400,
  authentication: 401,
  authorization: 403,
  timeout: 408,
  communication: 500,
  runtime: 500,
} as const;

export type ErrorKind = keyof typeof ERROR_KINDS;

/**
 * An error that a flow can catch. The interpreter and the host's `perform` throw it. An error without `instance` gets
 * the path of the task in which it happened.
 */
export class FlowError extends Error {
  override readonly name = 'FlowError';
  readonly problem: Omit<Problem, 'instance'> & { instance?: string };

  constructor(problem: Omit<Problem, 'instance'> & { instance?: string }) {
    const title = clip(problem.title, MAX_TITLE);
    const detail = clip(problem.detail, MAX_DETAIL);
    super(`${title}: ${detail}`);
    this.problem = { ...problem, title, detail };
  }

  /** Returns the error with the path as `instance`, unless the error has an `instance` already. */
  at(path: string): FlowError {
    if (this.problem.instance !== undefined) return this;
    return new FlowError({ ...this.problem, instance: path });
  }

  /** Returns the error with the one that had been caught before, unless it is the same or the error has a cause already. */
  causedBy({ cause: _, ...caught }: Problem): FlowError {
    const { cause, type, status, title, detail } = this.problem;
    const isRepeat =
      caught.type === type &&
      caught.status === status &&
      caught.title === title &&
      caught.detail === detail;
    return cause || isRepeat ? this : new FlowError({ ...this.problem, cause: caught });
  }

  /** Returns the problem. Its `instance` is the empty pointer (the whole file) when the error happened in no task. */
  toProblem(): Problem {
    return { ...this.problem, instance: this.problem.instance ?? '' };
  }
}

const clip = (text: string, most: number): string =>
  text.length > most ? text.slice(0, most).toWellFormed() : text;

/** Makes an error of one of the DSL's kinds. `code` is a code of this service and becomes the title. */
export function flowError(
  kind: ErrorKind,
  code: string,
  detail: string,
  status: number = ERROR_KINDS[kind],
): FlowError {
  return new FlowError({ type: `${BASE}${kind}`, status, title: code, detail });
}

/** Makes the error of a run whose own deadline has passed. */
export const runTimeout = (): FlowError =>
  flowError('timeout', 'RUN_TIMEOUT', 'the run took longer than it may');
