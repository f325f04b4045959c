import { z } from 'zod';

/** A rate limit of `count` requests or attempts in `seconds`. */
export interface RateLimit {
  readonly count: number;
  readonly seconds: number;
}

/** The text of a rate limit: `600/60` allows 600 requests in 60 seconds; `off` is null. */
export const rateLimit = z
  .string()
  .regex(/^(?:off|[1-9]\d{0,5}\/[1-9]\d{0,4})$/, 'count/seconds such as 600/60, or off')
  .transform((text): RateLimit | null => {
    if (text === 'off') return null;
    const [count = 0, seconds = 0] = text.split('/').map(Number);
    return { count, seconds };
  });
