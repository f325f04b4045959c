import { z } from 'zod';
import { defineEvent } from '../../contract/event.ts';

/**
 * A process has begun to stop: the one that the event's `nodeID` names. A call that waits on its behalf
 * ends.
 */
export const processStopping = defineEvent({
  name: 'process.stopping',
  payload: z.strictObject({}),
  delivery: 'broadcast',
});
