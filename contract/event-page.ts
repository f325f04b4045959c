import { z } from 'zod';

/** One event of a stream. Its id is greater by one than the id of the event before. */
export interface StreamedEvent<Data = unknown> {
  id: number;
  event: string;
  data: Data;
}

/** The next events of a stream, for the gateway. `next` continues the stream, and is null after the last event. */
export const eventPageOf = <T extends z.ZodType>(event: T) =>
  z.strictObject({ events: z.array(event), next: z.string().nullable() });

export interface EventPage {
  events: readonly StreamedEvent[];
  next: string | null;
}
