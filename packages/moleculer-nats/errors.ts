import { Errors } from 'moleculer';

/** No process took the call. The call has certainly not been carried out and may be sent again. */
export class NoRespondersError extends Errors.MoleculerRetryableError {
  constructor() {
    super('No process takes this call.', 503, 'SERVICE_NOT_AVAILABLE');
  }
}

/** No process has the call any more. Whether it was carried out is unknown, as for a call whose deadline has passed. */
export class LostCallError extends Errors.RequestTimeoutError {
  constructor(data: { action: string; nodeID: string }) {
    super(data);
    this.name = 'RequestTimeoutError'; // the nearest error that other processes know
  }
}

/** A stream between two nodes was ended before its source had ended. */
export class StreamClosedError extends Errors.MoleculerError {
  readonly reason: string;

  constructor(reason: string) {
    super(`The stream was closed: ${reason}.`, 504, 'STREAM_CLOSED');
    this.reason = reason;
  }
}

/** A process has as many open streams as it may have. The call with the refused stream may have been carried out. */
export class TooManyStreamsError extends Errors.MoleculerError {
  constructor(maxOpen: number) {
    super(`The process has ${maxOpen} open streams and takes no more.`, 503, 'TOO_MANY_STREAMS');
  }
}

/** An action has been carried out in part: another call that the action made was taken by no process. */
export class DependencyUnavailableError extends Errors.MoleculerRetryableError {
  constructor() {
    super('No process takes a call that the action makes.', 503, 'DEPENDENCY_NOT_AVAILABLE');
  }
}

/**
 * Whether the call has certainly not been carried out. Moleculer's own two errors come from a process that
 * is about to stop. `RemoteCalls` lets none of the three leave a handler, whose own calls may meet them.
 */
export const isUndelivered = (error: unknown): boolean =>
  error instanceof NoRespondersError ||
  error instanceof Errors.ServiceNotAvailableError ||
  error instanceof Errors.ServiceNotFoundError;

/** Makes the errors that callers see, so that an application can use error classes of its own. */
export interface NatsErrors {
  /** The request is larger than `maxBytes` and has not been sent. */
  requestTooLarge(maxBytes: number): Error;
  /** Replaces a response that is larger than a message may be. */
  responseTooLarge(): Error;
  /** No process took the call within the time that calls are held for. */
  unavailable(): Error;
}

export const defaultErrors: NatsErrors = {
  requestTooLarge: (maxBytes) =>
    new Errors.MoleculerClientError(
      `The request has more than ${maxBytes} bytes.`,
      413,
      'MESSAGE_TOO_LARGE',
    ),
  responseTooLarge: () =>
    new Errors.MoleculerServerError('The response is too large.', 500, 'MESSAGE_TOO_LARGE'),
  unavailable: () => new NoRespondersError(),
};
