import { latenessOf, type Operation, type Outage, type Sample } from './sample.ts';

/** A row of the table: what the clients saw of one fault. */
export interface Row {
  fault: string;
  requests: number;
  /** The number of requests that failed, by cause. */
  failures: ReadonlyMap<string, number>;
  /** The number of requests that took more than a second. */
  slow: number;
  /** Milliseconds of the longest request, and of the latest answer beyond the outage. */
  longestMs: number;
  latestMs: number;
  /** Of clients that repeat: what was never acknowledged, and milliseconds of the longest operation. */
  unacknowledged: number;
  longestOperationMs: number;
  faults: number;
}

/** Milliseconds beyond which a request counts as slow. */
const SLOW_MS = 1_000;

type Timed = Pick<Sample, 'began' | 'ended' | 'waitMs'>;
/** Milliseconds that a request took, without what it asked to wait for a run. */
const durationOf = ({ began, ended, waitMs }: Timed): number => ended - began - waitMs;

export function rowOf(
  fault: string,
  { samples, operations }: { samples: readonly Sample[]; operations: readonly Operation[] },
  outages: readonly Outage[],
): Omit<Row, 'faults'> {
  const failed = Map.groupBy(
    samples.flatMap(({ failure }) => failure ?? []),
    (failure) => failure,
  );
  const longest = (list: readonly Timed[]) => Math.max(0, ...list.map(durationOf));
  return {
    fault,
    requests: samples.length,
    failures: new Map([...failed].map(([cause, all]) => [cause, all.length])),
    slow: samples.filter((sample) => durationOf(sample) > SLOW_MS).length,
    longestMs: longest(samples),
    latestMs: Math.max(0, ...samples.map((sample) => latenessOf(sample, outages))),
    unacknowledged: operations.filter(({ failure }) => failure !== null).length,
    longestOperationMs: longest(operations),
  };
}

const HEAD = [
  '| fault | requests | failed, by cause | over 1 s | longest | latest beyond the outage | with repeats: not done | longest |',
  '|---|---|---|---|---|---|---|---|',
];

/** The table in Markdown. */
export const tableOf = (rows: readonly Row[]): string => [...HEAD, ...rows.map(lineOf)].join('\n');

function lineOf(row: Row): string {
  const causes = [...row.failures].map(([cause, count]) => `${count} × ${cause}`).join(', ');
  const cells = [
    row.fault,
    row.requests,
    causes || 'none',
    row.slow,
    seconds(row.longestMs),
    seconds(row.latestMs),
    row.unacknowledged || 'none',
    seconds(row.longestOperationMs),
  ];
  return `| ${cells.join(' | ')} |`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
