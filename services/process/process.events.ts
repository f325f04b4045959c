import { z } from 'zod';
import { defineEvent } from '../../contract/event.ts';

/**
 * The process with the `nodeID` of the event has begun to stop. Calls that wait on behalf of that process are
 * answered at once.
 */
export const processStopping = defineEvent({
  name: 'process.stopping',
  payload: z.strictObject({}),
  delivery: 'broadcast',
});
