/**
 * The sandbox's child process: does one job at a time and reports its own CPU time with it, from
 * which the parent measures the next. It has no environment, may read only the evaluator's files
 * and loads nothing that could use the network, which Node's permission model leaves open.
 */
import { SPARE_REALM_AFTER_MS } from '../limits.ts';
import type {
  EvaluationJob,
  EvaluationResult,
  Job,
  JobResult,
  RealmSource,
  Report,
} from '../protocol.ts';
import { HeapBound } from './heap.ts';
import { faultOf } from './realm/fault.ts';
import { realmScript } from './realm-script.ts';
import { Realms } from './realms.ts';

/** Less than this isn't worth a message: the next piece of work pays for it. */
const UNREPORTED_MS = 20;

const heap = new HeapBound();
let realms: Realms | undefined;
let reportedMs = 0;
/** CPU time when the latest result had been sent. */
let sentMs = 0;

async function perform(job: Job): Promise<JobResult> {
  switch (job.kind) {
    case 'evaluation':
      return evaluate(job);
    case 'compile': {
      const { compile } = await import('../../language/compile.ts');
      report({ kind: 'ready', cpuMs: cpuMs() }); // what it loads once is at nobody's cost
      return { kind: 'compiled', compiled: compile(job.text) };
    }
    case 'validate': {
      const { validate } = await import('./validate.ts');
      report({ kind: 'ready', cpuMs: cpuMs() }); // what it loads once is at nobody's cost
      return { kind: 'verdict', verdict: validate(job.schema, job.value) };
    }
  }
}

async function evaluate(job: EvaluationJob): Promise<EvaluationResult> {
  if (!realms) throw new Error('the source of realms has not come');
  const { isEmpty } = realms;
  const isNew = !realms.has(job.tenant);
  const realm = realms.of(job.tenant);
  // A child without realms is a new one, mostly after another tenant's job: it starts at nobody's cost.
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

function failed(thrown: unknown): JobResult {
  if (thrown instanceof RangeError) return { kind: 'fault', fault: faultOf(thrown) };
  const message = thrown instanceof Error ? String(thrown.stack) : 'it threw no error';
  return { kind: 'defect', message };
}

/** While nothing is to be done. The next job pays nothing for it. */
function prepareRealm(): void {
  realms?.prepare();
  report({ kind: 'ready', cpuMs: cpuMs() });
}

let preparation: NodeJS.Timeout | undefined;

async function receive(job: Job | RealmSource): Promise<void> {
  if (job.kind === 'realm-source') {
    realms = new Realms(realmScript(job));
    return;
  }
  clearTimeout(preparation);
  const result = await perform(job).catch(failed);
  heap.check(() => realms?.clear());
  report({ kind: 'done', cpuMs: cpuMs(), fromCpuMs: sentMs, result });
  sentMs = cpuMs(); // the next job does not pay for sending this result
  if ('tenant' in job && !realms?.hasSpare) {
    preparation = setTimeout(prepareRealm, SPARE_REALM_AFTER_MS);
  }
}

process.on('disconnect', () => process.exit());
// What an expression leaves unawaited is nobody's to hear of; a defect of the child's own still ends it.
process.on('unhandledRejection', (reason) => {
  if (reason instanceof Error) throw reason;
});
process.on('message', receive);
report({ kind: 'ready', cpuMs: cpuMs() });
