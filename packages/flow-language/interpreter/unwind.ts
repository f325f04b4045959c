/**
 * Exceptions that end or interrupt tasks and are no errors of the flow. No `try` catches them, because a `try` catches
 * only `FlowError`s.
 */
import type { Deadline } from './deadline.ts';
import type { Note } from './host.ts';

/** The run waits until `wakeAt`, in milliseconds since the epoch. */
export class Suspension extends Error {
  readonly wakeAt: number;
  readonly note: Note | undefined;

  /** The host journals `note` in the same write as the suspension. */
  constructor(wakeAt: number, note?: Note) {
    super('suspended');
    this.wakeAt = wakeAt;
    this.note = note;
  }
}

/** A deadline has passed. The task, attempt or run that set the deadline catches this and makes an error of the flow. */
export class DeadlinePassedError extends Error {
  readonly deadline: Deadline;

  constructor(deadline: Deadline) {
    super('deadline passed');
    this.deadline = deadline;
  }
}

/** The host's signal was aborted. */
export class AbortedError extends Error {
  constructor() {
    super('aborted');
  }
}
