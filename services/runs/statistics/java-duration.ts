import type { JavaDuration } from '../contract/statistics.ts';

/** SECONDS and NANOS, as `java.time.Duration.getUnits()` shows them. */
const UNIT = { dateBased: false, timeBased: true, durationEstimated: false };

/** Milliseconds in the shape of `java.time.Duration`: whole seconds, rounded down, and nanoseconds. */
export function javaDuration(ms: number): JavaDuration {
  const seconds = Math.floor(ms / 1_000);
  return {
    seconds,
    nano: Math.round((ms - seconds * 1_000) * 1_000_000),
    negative: ms < 0,
    zero: ms === 0,
    units: [{ ...UNIT }, { ...UNIT }],
  };
}
