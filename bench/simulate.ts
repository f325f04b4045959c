import { parseArgs } from 'node:util';
import { percentile } from './percentile.ts';
import { printLine } from './report.ts';
import { type Model, type Phase, simulate } from './simulation.ts';

/**
 * Prints what runs wait beyond their own work in systems of 10,000 tenants, with the product's fair shares and in the order
 * of arrival: `npm run bench:simulate -- --seed 7`.
 */

/** What a run of three calls and a set costs, and where the number comes from. */
export const COSTS = {
  /** CPU time of the service's process beside MongoDB's engine: `docs/performance.md`, The budget of a run. */
  processMs: 6.2,
  /** CPU time of that engine, from the same place. */
  databaseMs: 3.9,
  /** A call's own time, of `bench/parts/noisy-owner.ts`. */
  callMs: 100,
  calls: 3,
  /** `docs/engine.md`, Leases: silence after which others take a worker's runs over. */
  takeoverMs: 5_000,
  /** `RUN_CONCURRENCY`. */
  slots: 48,
} as const;

const parts = COSTS.calls + 1;
const ownPhases: Phase[] = [
  { at: 'process', ms: COSTS.processMs / parts },
  { at: 'database', ms: COSTS.databaseMs / parts },
];
const PHASES: Phase[] = Array.from({ length: parts }, (_, n): Phase[] =>
  n === 0 ? ownPhases : [{ at: 'outside', ms: COSTS.callMs }, ...ownPhases],
).flat();

/** The size of what is simulated. */
interface World {
  tenants: number;
  seconds: number;
}
const WORLD: World = { tenants: 10_000, seconds: 300 };
/** How many times what the median asks for the first tenant asks for. */
const SKEW = 1_000;
const PROCESSES = 4;
const DATABASE_CORES = 4;
/** Runs a second that the threads of the processes can do. */
const CAPACITY = (PROCESSES * 1_000) / COSTS.processMs;

/** The requests a second of each tenant by Zipf's law: the first asks for `SKEW` times what the median does. */
export function zipfRates(tenants: number, total: number): number[] {
  const exponent = Math.log(SKEW) / Math.log(tenants / 2);
  const weights = Array.from({ length: tenants }, (_, n) => (n + 1) ** -exponent);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => (weight * total) / sum);
}

/** The load of the quiet scenarios, as a part of what the processes can do. */
const LOAD = 0.6;

/** The scenarios. What happens in them happens after a fifth of the time; the slow database has a tenth of the time. */
function scenariosOf(
  seed: number,
  { tenants, seconds }: World,
): Record<string, Omit<Model, 'isFair'>> {
  const usual = {
    seed,
    seconds,
    processes: PROCESSES,
    slots: COSTS.slots,
    databaseCores: DATABASE_CORES,
    phases: PHASES,
    rates: zipfRates(tenants, LOAD * CAPACITY),
  };
  const at = seconds / 5;
  const burst = { at, runs: Math.round((seconds * 100) / 3) };
  return {
    'usual, without the biggest tenant': { ...usual, rates: usual.rates.with(0, 0) },
    'usual: 60 % of what the processes can do': usual,
    [`the biggest starts ${burst.runs} runs at once`]: { ...usual, burst },
    'all ask for twice as much, 120 %': { ...usual, rates: usual.rates.map((rate) => 2 * rate) },
    'one of the four processes is lost': { ...usual, loss: { at, takeoverMs: COSTS.takeoverMs } },
    'the database is 10 times as slow for a while': {
      ...usual,
      slow: { from: at, to: at + seconds / 10, factor: 10 },
    },
  };
}

const HEAD = [
  'scenario',
  'order',
  'small p50',
  'small p99',
  'biggest p50',
  'biggest p99',
  'runs/s',
  'left',
  "small p99 is fair shares' ×",
];

/** The table of all scenarios: two rows for each, with fair shares and in the order of arrival. */
export function tableOf(seed: number, world: World = WORLD): string[] {
  const rows = Object.entries(scenariosOf(seed, world)).flatMap(([name, model]) => {
    const [fair, byArrival] = [true, false].map((isFair) => figuresOf({ ...model, isFair }));
    return [fair, byArrival].map((figures) => [
      ...(figures === fair ? [name, 'fair shares'] : ['', 'by arrival']),
      ...(figures?.shown ?? []),
      figures === fair ? '1' : ratio(byArrival?.smallP99, fair?.smallP99),
    ]);
  });
  return [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function figuresOf(model: Model): { shown: string[]; smallP99: number } {
  const { delaysMs, done, waiting } = simulate(model);
  const small = delaysMs.slice(delaysMs.length / 2).flat();
  const [biggest = []] = delaysMs;
  const shares = [small, biggest].flatMap((of) => [0.5, 0.99].map((part) => percentile(of, part)));
  const perSecond = (done / model.seconds).toFixed(0);
  return {
    shown: [...shares.map(showMs), perSecond, String(waiting)],
    smallP99: percentile(small, 0.99),
  };
}

const ratio = (one = Number.NaN, other = Number.NaN): string => {
  const found = one / other;
  return found < 10 ? found.toFixed(1) : found.toFixed(0);
};

const showMs = (ms: number): string =>
  Number.isNaN(ms) ? '' : ms < 10_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(0)} s`;

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
  for (const row of tableOf(Number(values.seed))) printLine(row);
}
