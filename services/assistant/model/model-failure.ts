/**
 * The reasons why the model gives no answer. `busy`, `unavailable` and `unreachable` may pass, so that the request is
 * repeated.
 */
export type FailureKind =
  | 'busy'
  | 'unavailable'
  | 'unreachable'
  | 'refused'
  | 'context-too-long'
  | 'broken'
  | 'too-large'
  | 'silent';

const SENTENCES: Record<FailureKind, string> = {
  busy: 'The model has too many requests at the moment.',
  unavailable: 'The model answers with an error at the moment.',
  unreachable: 'The model cannot be reached.',
  refused: 'The model refused the request.',
  'context-too-long': 'The conversation is too long for the model.',
  broken: 'The answer of the model broke off.',
  'too-large': 'The answer of the model was too large.',
  silent: 'The model stopped answering.',
};

/** A failure of the model. It carries no text of the model's server, which may repeat the key of the request. */
export class ModelFailure extends Error {
  readonly kind: FailureKind;
  /** The HTTP status of the server's answer. */
  readonly status: number | undefined;
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: FailureKind, options: { status?: number; retryAfterMs?: number } = {}) {
    super(SENTENCES[kind]);
    this.name = 'ModelFailure';
    this.kind = kind;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  get isTemporary(): boolean {
    return ['busy', 'unavailable', 'unreachable'].includes(this.kind);
  }
}
