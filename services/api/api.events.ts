import { z } from 'zod';
import { defineEvent } from '../../contract/event.ts';
import { BUCKET_KINDS, MAX_REPORTED } from '../../mixins/gateway/limits/request-counts.ts';

/** Characters of a bucket's key: the name of a caller, or a network. */
const MAX_KEY = 100;
/** Requests of one caller that a report can claim. A limit allows no more in its whole time. */
const MAX_COUNT = 999_999;

/** A gateway has admitted requests in the last second. The other gateways count them as well. */
export const requestsCounted = defineEvent({
  name: 'requests.counted',
  payload: z.strictObject({
    counts: z
      .array(
        z.strictObject({
          kind: z.enum(BUCKET_KINDS),
          key: z.string().max(MAX_KEY),
          count: z.int().min(1).max(MAX_COUNT),
        }),
      )
      .max(MAX_REPORTED),
  }),
  delivery: 'broadcast',
});
