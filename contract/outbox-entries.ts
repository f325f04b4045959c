import { z } from 'zod';
import { Timestamp } from './fields.ts';

/** The type of the entries that an outbox hands to an action: the fields of the action, with the id and time of each entry. */
export const entriesOf = <F extends z.core.$ZodLooseShape>(fields: F) =>
  z.array(z.strictObject({ id: z.string(), at: Timestamp, ...fields }));
