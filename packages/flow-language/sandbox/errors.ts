export type EvaluationCode =
  | 'EXPRESSION_FAILED'
  | 'EXPRESSION_TIMEOUT'
  | 'EXPRESSION_OUT_OF_MEMORY'
  | 'OUTPUT_TOO_LARGE';

/** The failure of an evaluation. `reason` and `position` come from JSONata, if JSONata gave them. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  readonly code: EvaluationCode;
  /** JSONata's own code, such as `T2001`. */
  readonly reason: string | null;
  /** The index of the failure in the expression's text, in characters. */
  readonly position: number | null;

  constructor(
    code: EvaluationCode,
    message: string,
    at: { reason?: string | null; position?: number | null } = {},
  ) {
    super(message);
    this.code = code;
    this.reason = at.reason ?? null;
    this.position = at.position ?? null;
  }
}

/** The sandbox cannot do the job now: the sandbox is closed, or its children do not start. The job is not the cause. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}
