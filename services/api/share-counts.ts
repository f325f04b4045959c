import type { Service, ServiceSchema } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { emit } from '../../contract/event.ts';
import type { RateLimiter } from '../../mixins/gateway/limits/rate-limiter.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { on } from '../contracts.ts';
import { requestsCounted } from './api.events.ts';

/** Milliseconds between two reports of a gateway. */
const REPORT_EVERY_MS = 1_000;

const AS_API = asSystem('api');

/** Reports the admitted requests of this gateway to the others once a second; a second without requests has no report. */
export const ReportCounts = (limiter: RateLimiter): Partial<ServiceSchema> =>
  Sweep(REPORT_EVERY_MS, (broker) => reportCounts(limiter, broker));

async function reportCounts(limiter: RateLimiter, broker: Service['broker']): Promise<void> {
  const counts = limiter.drainCounts();
  if (counts.length) await emit(broker, requestsCounted, { counts }, AS_API);
}

/** Counts the requests that other gateways report. A report that its contract does not allow is dropped. */
export const countReported = (limiter: RateLimiter) =>
  on(requestsCounted, ({ params, nodeID, broker }) => {
    if (nodeID === broker.nodeID) return;
    const report = requestsCounted.payload.safeParse(params);
    if (report.success) limiter.chargeCounts(report.data.counts);
  });
