import type { Gauge } from 'prom-client';

/** Sets an age in seconds: 0 for null, no value for undefined. */
export function setAge(gauge: Gauge, since: string | null | undefined): void {
  if (since === undefined) gauge.remove();
  else gauge.set(since === null ? 0 : Math.max(Date.now() - Date.parse(since), 0) / 1_000);
}
