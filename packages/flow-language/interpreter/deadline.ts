/** Until when something has to be done, by the run's time in milliseconds since the epoch. */
export interface Deadline {
  readonly at: number;
  /** The earliest of this one and those around it; of equal ones the outermost. */
  readonly nearest: Deadline;
}

export function deadlineAt(at: number, outer?: Deadline): Deadline {
  if (outer && outer.nearest.at <= at) return { at, nearest: outer.nearest };
  const deadline: { at: number; nearest?: Deadline } = { at };
  deadline.nearest = deadline as Deadline;
  return deadline as Deadline;
}
