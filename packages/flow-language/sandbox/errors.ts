export type EvaluationCode =
  | 'EXPRESSION_FAILED'
  | 'EXPRESSION_TIMEOUT'
  | 'EXPRESSION_OUT_OF_MEMORY'
  | 'OUTPUT_TOO_LARGE';

/** Why an expression has no value. `reason` and `position` are JSONata's, when it gave any. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  readonly code: EvaluationCode;
  /** JSONata's own code, such as `T2001`. */
  readonly reason: string | null;
  /** Characters from the start of the expression's text. */
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

/** The sandbox can do nothing now: it is closed, or no child comes up. Says nothing of the job. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}
