/** The place of a reader in the events of a run. */
export interface EventPosition {
  /** The id of the last event that the reader has; 0 for none. */
  event: number;
  /** The number of an entry; all further events are of later entries. Null where no such entry is known. */
  n: number | null;
}

export const textOf = ({ event, n }: EventPosition): string => `${event}.${n ?? ''}`;

/** Parses a text of `textOf`. */
export function positionOf(text: string): EventPosition {
  const [event, n] = text.split('.');
  return { event: Number(event), n: n ? Number(n) : null };
}
