/**
 * Exceptions that end or interrupt tasks and are no errors of the flow. No `try` catches them, because a `try` catches
 * only `FlowError`s.
 */
import type { Checkpoint } from './checkpoint.ts';
import type { Deadline } from './deadline.ts';

/** The run waits until `wakeAt`, in milliseconds since the epoch. */
export class Suspension extends Error {
  readonly wakeAt: number;
  readonly checkpoint: Checkpoint | null;

  constructor(wakeAt: number, checkpoint: Checkpoint | null) {
    super('suspended');
    this.wakeAt = wakeAt;
    this.checkpoint = checkpoint;
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

/** The run was interrupted, or its branch was cancelled. */
export class AbortedError extends Error {
  constructor() {
    super('aborted');
  }
}
