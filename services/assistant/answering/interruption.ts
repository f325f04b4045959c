/** The reasons why an answer ends before the model has ended it. */
export type Interruption = 'time' | 'stopping' | 'lost';

/** The reason of an aborted signal of an answer. */
export class Interrupted extends Error {
  readonly interruption: Interruption;

  constructor(interruption: Interruption) {
    super(`the answer was interrupted: ${interruption}`);
    this.name = 'Interrupted';
    this.interruption = interruption;
  }
}
