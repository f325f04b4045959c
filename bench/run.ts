import { measureAttachments } from './parts/attachments.ts';
import { printBudget } from './parts/budget.ts';
import { measureCreateIssue } from './parts/create-issue.ts';
import { measureAnswers } from './parts/answers.ts';
import { measureDeliveries } from './parts/deliveries.ts';
import { measureDevMode } from './parts/dev-mode.ts';
import { measureDueAtOnce } from './parts/due-at-once.ts';
import { measureIdleSchedules } from './parts/idle-schedules.ts';
import { measureIdleWaiting } from './parts/idle-waiting.ts';
import { measureLongRuns } from './parts/long-runs.ts';
import { measureManyWorkspaces } from './parts/many-workspaces.ts';
import { measureMcpRead } from './parts/mcp-read.ts';
import { measureNoisyOwner } from './parts/noisy-owner.ts';
import { measureOutboundCalls } from './parts/outbound-calls.ts';
import { measureOverNats } from './parts/over-nats.ts';
import { measurePointRead } from './parts/point-read.ts';
import { measurePropertyWriters } from './parts/property-writers.ts';
import { measureRecordings } from './parts/recordings.ts';
import { measureRunCommands } from './parts/run-commands.ts';
import { measureRunOverhead } from './parts/run-overhead.ts';
import { measureScale } from './parts/scale.ts';
import { measureSetRun } from './parts/set-run.ts';
import { measureStartAndIdle } from './parts/start-and-idle.ts';
import { measureTwoRunsProcesses } from './parts/two-runs-processes.ts';
import { measureWaking } from './parts/waking.ts';
import { printLine } from './report.ts';
import { cleanUp, cleanUpOnSignals } from './setup.ts';

/**
 * Prints the figures that the service is held to, beside their bounds: `npm run bench`, or
 * `npm run bench -- point-read` for some of them. Ends with exit code 1 when one is beyond its bound.
 */
const PARTS = {
  'point-read': measurePointRead,
  'over-nats': measureOverNats,
  'create-issue': measureCreateIssue,
  'mcp-read': measureMcpRead,
  'run-overhead': measureRunOverhead,
  'set-run': measureSetRun,
  scale: measureScale,
  'outbound-calls': measureOutboundCalls,
  'property-writers': measurePropertyWriters,
  'dev-mode': measureDevMode,
  answers: measureAnswers,
  deliveries: measureDeliveries,
  recordings: measureRecordings,
  attachments: measureAttachments,
  'run-commands': measureRunCommands,
  'two-runs-processes': measureTwoRunsProcesses,
  'idle-waiting': measureIdleWaiting,
  'idle-schedules': measureIdleSchedules,
  waking: measureWaking,
  'due-at-once': measureDueAtOnce,
  'long-runs': measureLongRuns,
  'noisy-owner': measureNoisyOwner,
  'start-and-idle': measureStartAndIdle,
};
/** Parts without a bound, measured only when they are named. */
const NAMED_ONLY = { 'many-workspaces': measureManyWorkspaces, budget: printBudget };
const ALL = { ...PARTS, ...NAMED_ONLY };
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in ALL));
if (unknown.length) {
  process.stderr.write(`${unknown}: not one of ${Object.keys(ALL).join(', ')}\n`);
  await cleanUp();
  process.exit(1);
}

cleanUpOnSignals();
try {
  const begin = performance.now();
  for (const [name, measure] of Object.entries(ALL)) {
    if (wanted.length ? wanted.includes(name) : name in PARTS) await measure();
  }
  printLine(`took ${Math.round((performance.now() - begin) / 1000)} s`);
} finally {
  await cleanUp();
}
