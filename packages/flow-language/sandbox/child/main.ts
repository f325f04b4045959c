/**
 * The sandbox's child process: does one job at a time and reports its own CPU time with it, from
 * which the parent measures the next. It has no environment, may read only the evaluator's files
 * and loads nothing that could use the network, which Node's permission model leaves open.
 */
import type { Expression, Json } from '../../plan.ts';
import type { Job, JobResult, Report } from '../protocol.ts';
import { isTrue, run } from './expressions.ts';
import { faultOf } from './fault.ts';
import { render } from './render.ts';
import { enterWorld, replaceWorld } from './world.ts';

/** Less than this isn't worth a message: the next piece of work pays for it. */
const UNREPORTED_MS = 20;

let reportedMs = 0;

async function perform(job: Job): Promise<JobResult> {
  switch (job.kind) {
    case 'evaluate':
      return { kind: 'value', ...(await evaluate(job)) };
    case 'test':
      enterWorld(job.now, job.seed);
      return { kind: 'truth', truth: isTrue(await runIn(job, job.expression)) };
    case 'compile': {
      const { compile } = await import('../../language/compile.ts');
      report({ kind: 'progress', cpuMs: cpuMs() });
      return { kind: 'compiled', compiled: compile(job.text) };
    }
    case 'validate': {
      const { validate } = await import('./validate.ts');
      report({ kind: 'progress', cpuMs: cpuMs() });
      return { kind: 'verdict', verdict: validate(job.schema, job.value) };
    }
  }
}

async function evaluate(job: Extract<Job, { kind: 'evaluate' }>) {
  enterWorld(job.now, job.seed);
  const value = await render(job.template, async (expression) => {
    const result = await runIn(job, expression);
    if (cpuMs() - reportedMs > UNREPORTED_MS) report({ kind: 'progress', cpuMs: cpuMs() });
    return result;
  });
  return value === undefined ? {} : { value };
}

/** Puts the variables that came as text where they belong. */
function readTexts(job: Job): void {
  if (!('texts' in job)) return;
  for (const { path, json } of job.texts) {
    const [name = '', member] = path;
    const value = JSON.parse(json) as Json;
    if (member === undefined) job.variables[name] = value;
    else (job.variables[name] as Record<string, Json>)[member] = value;
  }
}

function runIn(job: Extract<Job, { variables: object }>, expression: Expression) {
  return run(expression.source, job.input, job.variables);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function report(message: Report): void {
  reportedMs = message.cpuMs;
  process.send?.(message);
}

function isEvaluation(job: Job): boolean {
  return job.kind === 'evaluate' || job.kind === 'test';
}

function failed(job: Job, thrown: unknown): JobResult {
  if (isEvaluation(job) || thrown instanceof RangeError) {
    return { kind: 'fault', fault: faultOf(thrown) };
  }
  return {
    kind: 'defect',
    message: thrown instanceof Error ? String(thrown.stack) : String(thrown),
  };
}

replaceWorld();
process.on('disconnect', () => process.exit());
process.on('message', async (job: Job) => {
  readTexts(job);
  const result = await perform(job).catch((thrown: unknown) => failed(job, thrown));
  report({ kind: 'done', cpuMs: cpuMs(), result });
});
report({ kind: 'ready', cpuMs: cpuMs() });
