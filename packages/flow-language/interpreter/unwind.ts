/**
 * What ends or interrupts tasks without being an error of the flow: no `try` sees these, since
 * only `FlowError`s can be caught.
 */
import type { Deadline } from './deadline.ts';
import type { Note } from './host.ts';

/** Nothing to do before `wakeAt`, in milliseconds since the epoch. */
export class Suspension extends Error {
  readonly wakeAt: number;
  readonly note: Note | undefined;

  /** `note` is to be journalled with it. */
  constructor(wakeAt: number, note?: Note) {
    super('suspended');
    this.wakeAt = wakeAt;
    this.note = note;
  }
}

/** Unwinds to whoever set the deadline, who makes an error of its own of it. */
export class DeadlinePassed extends Error {
  readonly deadline: Deadline;

  constructor(deadline: Deadline) {
    super('deadline passed');
    this.deadline = deadline;
  }
}

/** The host's signal was aborted. */
export class Aborted extends Error {
  constructor() {
    super('aborted');
  }
}
