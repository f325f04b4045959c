import { LEASE_MS } from '../../../mixins/gateway/steps/idempotency.ts';
import type { Fault } from '../checks.ts';
import { latenessOf, type Outage, type Sample } from './sample.ts';

/** Milliseconds beyond the outage within which each answer is there, and after which no request fails any more. */
export const LATEST_MS = 3_000;
/** Requests that one fault line shows. */
const SHOWN = 5;

/** Answers that the interface names for outages. */
const REFUSALS: ReadonlySet<string> = new Set([
  '503 UNAVAILABLE',
  '503 BUSY',
  '504 DEADLINE_PASSED',
]);
/** An attempt of the same client holds the lease of its key; only a repeat may meet that. */
const IN_FLIGHT = '409 IDEMPOTENCY_KEY_IN_FLIGHT';
const LOST_CONNECTIONS: ReadonlySet<string> = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE']);

/** What a trial of one fault may cost its clients. */
export interface Tolerance {
  /** Whether a request may fail at all. */
  failures: boolean;
  /** The part of the reads that may fail; any unless given. */
  reads?: number;
  /** The address of a gateway whose connections are lost with it. */
  lostGateway?: string;
}

/** The failures that nothing explains, among them those of requests that met no outage. */
export function unexplainedFailures(
  samples: readonly Sample[],
  outages: readonly Outage[],
  tolerance: Tolerance,
): Fault[] {
  const begin = beginOf(samples, outages);
  const failed = samples.filter(({ failure }) => failure !== null);
  return [
    ...told(
      'not explained',
      failed.filter((sample) => !isExplained(sample, tolerance)),
      begin,
    ),
    ...told(
      'before the outage',
      failed.filter(({ ended }) => ended < begin),
      begin,
    ),
  ];
}

/** The reads that failed, where they are more than may. Those that went to a lost gateway do not count. */
export function failedReads(
  samples: readonly Sample[],
  outages: readonly Outage[],
  { reads: share = 1, lostGateway }: Tolerance,
): Fault[] {
  const reads = samples.filter(
    ({ method, gateway }) => method === 'GET' && gateway !== lostGateway,
  );
  const failed = reads.filter(({ failure }) => failure !== null);
  const isTooMany = failed.length > share * reads.length;
  return isTooMany ? told('that read failed', failed, beginOf(samples, outages)) : [];
}

/** The answers that come late, and the requests that still fail when the outage has been over for a while. */
export function lateAnswers(samples: readonly Sample[], outages: readonly Outage[]): Fault[] {
  const begin = beginOf(samples, outages);
  const end = Math.max(begin, ...outages.map(({ to }) => to));
  const isAfter = ({ began, failure }: Sample) =>
    failure !== null && began > end + (failure === IN_FLIGHT ? LEASE_MS : LATEST_MS);
  const isLate = (sample: Sample) => latenessOf(sample, outages) > LATEST_MS;
  return [
    ...told(`failed ${LATEST_MS} ms after the outage`, samples.filter(isAfter), begin),
    ...told(`later than ${LATEST_MS} ms beyond the outage`, samples.filter(isLate), begin),
  ];
}

/** The begin of the first outage; of the load, where nothing was away. */
const beginOf = (samples: readonly Sample[], [first]: readonly Outage[]): number =>
  first?.from ?? samples[0]?.began ?? 0;

function isExplained(sample: Sample, { failures, lostGateway }: Tolerance): boolean {
  const { failure, hasRetryAfter, isRepeat, gateway } = sample;
  if (failure === null) return true;
  if (!failures) return false;
  if (LOST_CONNECTIONS.has(failure)) return gateway === lostGateway;
  if (failure === IN_FLIGHT) return isRepeat;
  return REFUSALS.has(failure) && (hasRetryAfter || !failure.startsWith('503'));
}

function told(what: string, samples: readonly Sample[], begin: number): Fault[] {
  if (!samples.length) return [];
  const lines = samples
    .slice(0, SHOWN)
    .map(
      ({ work, method, path, began, ended, failure, isRepeat }) =>
        `${work}${isRepeat ? ' again' : ''} (${method} ${path}): ${failure ?? '2xx'}, begun at ${Math.round(began - begin)} ms, ${Math.round(ended - began)} ms long`,
    );
  return [`${samples.length} requests ${what}: ${lines.join('; ')}`];
}
