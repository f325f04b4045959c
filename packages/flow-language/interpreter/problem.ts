/**
 * What a flow's error is: a problem detail as the Serverless Workflow DSL has it, our code in
 * `title`. `type` is the DSL's for its own errors, or any `https://` URI that an author raises.
 */

/** A problem detail (RFC 9457). `instance` is the JSON pointer of the task in the flow file. */
export interface Problem {
  type: string;
  status: number;
  title: string;
  detail: string;
  instance: string;
}

const BASE = 'https://serverlessworkflow.io/spec/1.0.0/errors/';

/** Characters; what is longer is cut. An error is recorded with each task that it ends. */
export const MAX_TITLE = 256;
export const MAX_DETAIL = 4096;

/** The error types of the DSL, and the status that each has unless it is given another one. */
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
 * An error that a flow can catch. Thrown by the interpreter and by a host's `perform`; one
 * without `instance` gets that of the task it happened in.
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

  /** The same error, in the task it happened in unless it already knows a place. */
  at(path: string): FlowError {
    if (this.problem.instance !== undefined) return this;
    return new FlowError({ ...this.problem, instance: path });
  }

  /** With an empty pointer, the whole file, when it happened in no task. */
  toProblem(): Problem {
    return { ...this.problem, instance: this.problem.instance ?? '' };
  }
}

const clip = (text: string, most: number): string =>
  text.length > most ? text.slice(0, most).toWellFormed() : text;

/** An error of one of the DSL's kinds; `code` is ours and becomes the title. */
export function flowError(
  kind: ErrorKind,
  code: string,
  detail: string,
  status: number = ERROR_KINDS[kind],
): FlowError {
  return new FlowError({ type: `${BASE}${kind}`, status, title: code, detail });
}

/** Of a run whose own deadline has passed, whoever notices. */
export const runTimeout = (): FlowError =>
  flowError('timeout', 'RUN_TIMEOUT', 'the run took longer than it may');
