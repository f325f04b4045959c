/** What an `Idempotency-Key` may be, in words. */
export const IDEMPOTENCY_KEY = 'text of 1 to 255 visible ASCII characters without spaces';

/** Whether a value is a possible `Idempotency-Key`. */
export const isIdempotencyKey = (value: unknown): value is string =>
  typeof value === 'string' && /^[!-~]{1,255}$/.test(value);
