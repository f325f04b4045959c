import { latenessOf, type Operation, type Outage, type Sample } from './sample.ts';

/** A row of the table: what the clients saw of one fault. */
export interface Row {
  fault: string;
  requests: number;
  /** The number of requests that failed, by cause. */
  failures: ReadonlyMap<string, number>;
  /** Milliseconds of the latest answer beyond the outage, and of the longest request. */
  latestMs: number;
  longestMs: number;
  /** Of clients that repeat: what was never acknowledged, and milliseconds of the longest operation. */
  unacknowledged: number;
  longestOperationMs: number;
  faults: number;
}

export function rowOf(
  fault: string,
  { samples, operations }: { samples: readonly Sample[]; operations: readonly Operation[] },
  outages: readonly Outage[],
): Omit<Row, 'faults'> {
  const failed = Map.groupBy(
    samples.flatMap(({ failure }) => failure ?? []),
    (failure) => failure,
  );
  const longest = (list: readonly { began: number; ended: number; waitMs: number }[]) =>
    Math.max(0, ...list.map(({ began, ended, waitMs }) => ended - began - waitMs));
  return {
    fault,
    requests: samples.length,
    failures: new Map([...failed].map(([cause, all]) => [cause, all.length])),
    latestMs: Math.max(0, ...samples.map((sample) => latenessOf(sample, outages))),
    longestMs: longest(samples),
    unacknowledged: operations.filter(({ failure }) => failure !== null).length,
    longestOperationMs: longest(operations),
  };
}

const HEAD = [
  '| fault | requests | failed, by cause | latest answer beyond the outage | longest request | with repeats: not done | with repeats: longest |',
  '|---|---|---|---|---|---|---|',
];

/** The table in Markdown. */
export const tableOf = (rows: readonly Row[]): string => [...HEAD, ...rows.map(lineOf)].join('\n');

function lineOf(row: Row): string {
  const causes = [...row.failures].map(([cause, count]) => `${count} × ${cause}`).join(', ');
  const cells = [
    row.fault,
    row.requests,
    causes || 'none',
    seconds(row.latestMs),
    seconds(row.longestMs),
    row.unacknowledged || 'none',
    seconds(row.longestOperationMs),
  ];
  return `| ${cells.join(' | ')} |`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
