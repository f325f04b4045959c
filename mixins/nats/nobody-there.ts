import { Errors } from 'moleculer';

/** A call that no process has taken: it has certainly not been carried out, and may be made again. */
export class NobodyThere extends Errors.MoleculerRetryableError {
  constructor() {
    super('Nobody is there to take the call.', 503, 'SERVICE_NOT_AVAILABLE');
  }
}
