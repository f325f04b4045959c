import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { quotaRefused } from '../contract/quota.ts';
import { callServed } from '../middlewares/call-figures.ts';
import { databaseCommand } from '../mixins/database/commands.ts';
import { requestEnded } from '../mixins/gateway/access-log.ts';
import {
  runBegun,
  runEnded,
  runsUnmatched,
  workerLost,
} from '../services/runs/runs.diagnostics.ts';
import { countAnswers } from './assistant-metrics.ts';
import { gaugeBackups } from './backup-metrics.ts';
import { countDeliveries } from './delivery-metrics.ts';
import { gaugeGateway } from './gateway-metrics.ts';
import { countOutboxes } from './outbox-metrics.ts';
import { gaugePools } from './pool-metrics.ts';
import { countOccurrences } from './schedule-metrics.ts';
import { countSignIns } from './sign-in-metrics.ts';
import { countWebhookRequests } from './webhook-metrics.ts';

/** Bucket bounds in seconds for requests, calls and commands. */
const REQUEST_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
/** Bucket bounds in seconds for runs. */
const RUN_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 3_600, 21_600, 86_400];

/** Methods that are values of the label `method`; any other method is counted as `other`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Makes metrics from the diagnostic events of this process, from now on. No label has text of a user: a route is
 * the route of a contract, or `none`.
 */
export function countDiagnosticEvents(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by the route of the contract and the status of the answer; 499: the client had gone',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  requestEnded.subscribe(({ method, route = 'none', status, ms }) =>
    requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, ms / 1_000),
  );

  const calls = new Histogram({
    name: 'call_duration_seconds',
    help: 'Calls that this process served, by action; refused: the caller was wrong, failed: we were',
    labelNames: ['action', 'outcome'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  callServed.subscribe(({ action, outcome, ms }) => calls.observe({ action, outcome }, ms / 1_000));

  const commands = new Histogram({
    name: 'mongodb_command_duration_seconds',
    help: 'Commands to the database',
    labelNames: ['command', 'outcome'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  databaseCommand.subscribe(({ command, outcome, ms }) =>
    commands.observe({ command, outcome }, ms / 1_000),
  );

  const refusals = new Counter({
    name: 'quota_refusals_total',
    help: 'What this process refused because a quota was reached',
    labelNames: ['quota'],
    registers,
  });
  quotaRefused.subscribe(({ quota }) => refusals.inc({ quota }));

  gaugeGateway(registers);
  gaugePools(registers);
  gaugeBackups(registry);
  countSignIns(registers);
  countOutboxes(registers);
  countRuns(registers);
  countOccurrences(registers);
  countWebhookRequests(registers);
  countDeliveries(registers);
  countAnswers(registers);
  return registry;
}

function countRuns(registers: Registry[]): void {
  const waits = new Histogram({
    name: 'flow_run_wait_seconds',
    help: 'How long runs waited from their creation for a worker of this process',
    buckets: RUN_BUCKETS,
    registers,
  });
  runBegun.subscribe(({ waitedMs }) => waits.observe(Math.max(waitedMs, 0) / 1_000));

  const lost = new Counter({
    name: 'flow_workers_lost_total',
    help: 'Workers that stood still or were gone, and whose runs this process took over',
    registers,
  });
  workerLost.subscribe(() => lost.inc());

  const unmatched = new Gauge({
    name: 'flow_runs_unmatched',
    help: 'Ready runs that this process listed and that its claims did not match, twice in a row; 0 without one',
    registers,
  });
  runsUnmatched.subscribe(({ runs }) => unmatched.set(runs));

  const ended = new Counter({
    name: 'flow_runs_ended_total',
    help: 'Runs that ended in this process, by their last status',
    labelNames: ['status'],
    registers,
  });
  const lasted = new Histogram({
    name: 'flow_run_duration_seconds',
    help: 'How long runs took from their beginning, waits included, by their last status',
    labelNames: ['status'],
    buckets: RUN_BUCKETS,
    registers,
  });
  runEnded.subscribe(({ status, ms }) => {
    ended.inc({ status });
    lasted.observe({ status }, ms / 1_000);
  });
}
