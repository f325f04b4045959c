/** The end of the time for a task, an attempt or the run, in the run's time: milliseconds since the epoch. */
export interface Deadline {
  readonly at: number;
  /** The earliest of this deadline and the deadlines around it. Of equal deadlines, the outermost. */
  readonly nearest: Deadline;
}

export function deadlineAt(at: number, outer?: Deadline): Deadline {
  if (outer && outer.nearest.at <= at) return { at, nearest: outer.nearest };
  const deadline: { at: number; nearest?: Deadline } = { at };
  deadline.nearest = deadline as Deadline;
  return deadline as Deadline;
}
