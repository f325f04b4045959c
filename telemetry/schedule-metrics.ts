import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Actions } from '../services/contracts.ts';
import { occurrenceEnded, occurrencesDropped } from '../services/triggers/triggers.diagnostics.ts';
import { setAge } from './age-gauge.ts';
import { shareReading } from './shared-reading.ts';

/** Bucket bounds in seconds for the lateness of starts. An occurrence later than 60 s is missed. */
const LATENESS_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 300, 3_600];

/** Values of the label `outcome`. */
const OUTCOMES = {
  STARTED: 'started',
  OVERLAPPED: 'skipped-overlap',
  REFUSED: 'refused',
} as const;

/** Counts the occurrences of schedules from the diagnostic events of this process. */
export function countOccurrences(registers: Registry[]): void {
  const occurrences = new Counter({
    name: 'schedule_occurrences_total',
    help: 'Occurrences of schedules that ended in this process, without missed ones that were dropped',
    labelNames: ['outcome'],
    registers,
  });
  const lateness = new Histogram({
    name: 'schedule_lateness_seconds',
    help: 'How long after the time of an occurrence this process started its run',
    buckets: LATENESS_BUCKETS,
    registers,
  });
  occurrenceEnded.subscribe(({ outcome, lateMs }) => {
    occurrences.inc({ outcome: OUTCOMES[outcome] });
    if (outcome === 'STARTED') lateness.observe(Math.max(lateMs, 0) / 1_000);
  });
  const misfires = new Counter({
    name: 'schedule_misfires_total',
    help: 'Times that a schedule in this process dropped occurrences that it had missed, one or several at once',
    registers,
  });
  occurrencesDropped.subscribe(() => misfires.inc());
}

type DueSchedules = Actions['triggers.dueSchedules']['result'];

/**
 * Reports for how long schedules have waited. Each process with the service `triggers` reports the same numbers. The
 * metrics are missing while `findDue` fails or takes too long.
 */
export function gaugeDueSchedules(registry: Registry, findDue: () => Promise<DueSchedules>): void {
  const registers = [registry];
  const readDue = shareReading(findDue);
  const due: Gauge = new Gauge({
    name: 'schedule_due_age_seconds',
    help: 'For how long a schedule that is due has waited for a scheduler, of all that do the longest; 0 without one',
    registers,
    collect: async () => setAge(due, (await readDue())?.waitingSince),
  });
  const overdue: Gauge = new Gauge({
    name: 'schedule_overdue_seconds',
    help: 'Time since the earliest occurrence that is not over, also when its start is repeated; 0 without one',
    registers,
    collect: async () => setAge(overdue, (await readDue())?.overdueSince),
  });
}
