/**
 * The sandbox's child process. It does one job at a time and reports its own CPU time, from which the parent measures
 * the next job. It has no environment, reads only the evaluator's files, and loads no code that uses the network,
 * which Node's permission model does not close.
 */
import { installJsonParse } from '../../json-parse.ts';
import { SPARE_REALM_AFTER_MS } from '../limits.ts';
import type {
  EvaluationJob,
  Job,
  JobResult,
  RealmSource,
  Report,
  Validation,
} from '../protocol.ts';
import { HeapBound } from './heap.ts';
import { faultOf } from './realm/fault.ts';
import { realmScript } from './realm-script.ts';
import { Realms } from './realms.ts';
import type { TenantAnalyses } from './tenant-analyses.ts';

/** Milliseconds of CPU time up to which the end of a piece is not reported; they count for the next piece. */
const UNREPORTED_MS = 20;

installJsonParse();
const heap = new HeapBound();
let analyses: TenantAnalyses | undefined;
let realms: Realms | undefined;
let reportedMs = 0;
/** The CPU time in milliseconds when the latest result had been sent. */
let sentMs = 0;

/** Performs a job. Returns its `JobResult` as JSON. */
const perform = async (job: Job): Promise<string> =>
  job.kind === 'evaluation' ? evaluate(job) : JSON.stringify(await performFileJob(job));

async function performFileJob(job: Exclude<Job, EvaluationJob>): Promise<JobResult> {
  switch (job.kind) {
    case 'compile': {
      const { compile } = await import('../../language/compile.ts');
      const { TenantAnalyses } = await import('./tenant-analyses.ts');
      analyses ??= new TenantAnalyses();
      report({ kind: 'ready', cpuMs: cpuMs() }); // the CPU time of loading the modules is charged to no job
      return {
        kind: 'compiled',
        compiled: compile(job.text, { analyses: analyses.of(job.tenant) }),
      };
    }
    case 'format': {
      const { formatFile } = await import('../../language/format.ts');
      report({ kind: 'ready', cpuMs: cpuMs() }); // the CPU time of loading the modules is charged to no job
      return { kind: 'formatted', text: formatFile(job.json) };
    }
    case 'diff': {
      const { unifiedDiff } = await import('./unified-diff.ts');
      report({ kind: 'ready', cpuMs: cpuMs() }); // the CPU time of loading the modules is charged to no job
      return { kind: 'diffed', text: unifiedDiff(job) };
    }
    case 'analyse': {
      const { readLoneExpression } = await import('../../language/lone-expression.ts');
      report({ kind: 'ready', cpuMs: cpuMs() }); // the CPU time of loading the modules is charged to no job
      return { kind: 'analysed', analysis: readLoneExpression(job.text, job.variables) };
    }
    case 'validate': {
      const { validate } = await import('./validate.ts');
      report({ kind: 'ready', cpuMs: cpuMs() }); // the CPU time of loading the modules is charged to no job
      const { schema, value }: Validation = JSON.parse(job.json);
      return { kind: 'verdict', verdict: validate(schema, value) };
    }
  }
}

async function evaluate(job: EvaluationJob): Promise<string> {
  if (!realms) throw new Error('the source of realms has not come');
  const { isEmpty } = realms;
  const isNew = !realms.has(job.tenant);
  const realm = realms.of(job.tenant);
  // The first realm of a child is charged to no job: the child was mostly started because of another tenant's job.
  if (isNew) report({ kind: isEmpty ? 'ready' : 'progress', cpuMs: cpuMs() });
  return realm.perform(job.json, () => {
    if (cpuMs() - reportedMs > UNREPORTED_MS) report({ kind: 'progress', cpuMs: cpuMs() });
  });
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function report(message: Report): void {
  reportedMs = message.cpuMs;
  process.send?.(message);
}

function failureOf(thrown: unknown): JobResult {
  if (thrown instanceof RangeError) return { kind: 'fault', fault: faultOf(thrown) };
  const message = thrown instanceof Error ? String(thrown.stack) : 'it threw no error';
  return { kind: 'defect', message };
}

/** Makes a realm ahead while the child is idle. Its CPU time is charged to no job. */
function prepareRealm(): void {
  realms?.prepare();
  report({ kind: 'ready', cpuMs: cpuMs() });
}

/** Drops the realms and analyses, which only make later jobs faster. */
function forget(): void {
  realms?.clear();
  analyses?.clear();
}

let preparation: NodeJS.Timeout | undefined;

async function receive(job: Job | RealmSource): Promise<void> {
  if (job.kind === 'realm-source') {
    realms = new Realms(realmScript(job));
    return;
  }
  clearTimeout(preparation);
  const json = await perform(job).catch((thrown) => JSON.stringify(failureOf(thrown)));
  heap.check(forget);
  report({ kind: 'done', cpuMs: cpuMs(), fromCpuMs: sentMs, json });
  sentMs = cpuMs(); // the next job does not pay for sending this result
  if (job.kind === 'evaluation' && !realms?.hasSpare) {
    preparation = setTimeout(prepareRealm, SPARE_REALM_AFTER_MS);
  }
}

// `process.exit` may wait forever for a thread that compiles (nodejs/node#54918), and the parent has gone.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A rejection that an expression does not await is ignored: a realm's errors are no instances of this `Error`. A
// rejection of the child's own code is a defect and ends the child.
process.on('unhandledRejection', (reason) => {
  if (reason instanceof Error) throw reason;
});
process.on('message', receive);
report({ kind: 'ready', cpuMs: cpuMs() });
