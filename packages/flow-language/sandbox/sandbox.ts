/**
 * Parses, checks and evaluates everything that users write, in child processes: YAML, JSON Schema and JSONata have no
 * limits of their own, and a full heap ends the whole process, also when it is the heap of a worker thread.
 */
import type { Scope, Value } from '../interpreter/host.ts';
import type { Compiled, Expression, Fault, Json, Template } from '../plan.ts';
import type { LoneExpression } from '../language/lone-expression.ts';
import { EvaluationError, SandboxUnavailable } from './errors.ts';
import { evaluationJson } from './evaluation-json.ts';
import {
  CHILD_HEAP_MB,
  EXPRESSION_BUDGET,
  FILE_BUDGET,
  MAX_DIFF_EDITS,
  REPEATED_BUDGET,
  REPEATED_TEMPLATE_BUDGET,
  STORED_FILE_BUDGET,
  VALIDATION_BUDGET,
} from './limits.ts';
import { expressionsOf, namedVariables } from './named-variables.ts';
import { Pool, type SandboxLoad } from './pool.ts';
import type { Job, JobResult, Validation, Verdict } from './protocol.ts';
import type { JobBudget } from './worker.ts';
import type { DiffRequest } from './child/unified-diff.ts';

/** Two texts to compare, and their names in the header of the diff. */
export type TextPair = Omit<DiffRequest, 'maxEdits'>;

export interface SandboxOptions {
  /** Children that live at once. Beyond it jobs wait. */
  maxChildren?: number;
  /** Milliseconds for which an idle child is kept. Then it is killed. */
  idleMs?: number;
  /** MiB of the old generation of each child's heap. A child with a full heap aborts. */
  memoryMb?: number;
  /** Children that files and validations leave free. One child always remains for files and validations. */
  keptForQuick?: number;
}

/** The tenant of a job, and the function that takes the job's CPU time. */
export interface JobContext {
  /** `workspace:7`, or `person:3` for work that belongs to no workspace. */
  tenant: string;
  /** Called with the CPU time in milliseconds that a child used for the job, also when the child was killed. */
  onCpu?: ((cpuMs: number) => void) | undefined;
  /** Whether jobs like this one have used up their budgets lately. Such a job takes the last idle child from nobody. */
  isQuarantined?: boolean;
}

export interface CompileOptions extends JobContext {
  stored?: boolean;
}

export interface Sandbox {
  /** Rejects with an `EvaluationError`, as does `test`. */
  evaluate(request: Scope & JobContext & { template: Template }): Promise<Value>;
  /** Tells whether the value is true as JSONata's `$boolean` decides. Undefined is false. */
  test(request: Scope & JobContext & { expression: Expression }): Promise<boolean>;
  /**
   * Compiles a file. A file that costs too much has the one fault `FLOW_TOO_COMPLEX`. A `stored` file was compiled
   * before: it gets four times the budget, and `compile` rejects with `SandboxUnavailable` beyond that.
   */
  compile(text: string, options: CompileOptions): Promise<Compiled>;
  /**
   * Writes a flow file that is JSON as YAML in block style. A file that would become longer than a flow file may be, or
   * that costs too much, stays JSON, which is YAML as well.
   */
  format(json: string, context: JobContext): Promise<string>;
  /**
   * Makes a unified diff of two texts, whose header has the names; empty for equal texts. Texts that differ too much, or
   * whose comparison costs too much, get a diff that replaces all lines from the first difference to the last.
   */
  diff(texts: TextPair, context: JobContext): Promise<string>;
  /**
   * Checks an expression outside a flow file, in a larger budget than that of its evaluation. Rejects with an
   * `EvaluationError` when the check costs too much.
   */
  analyse(text: string, variables: readonly string[], context: JobContext): Promise<LoneExpression>;
  /** Validates by JSON Schema 2020-12. A schema that cannot be used, or that costs too much, refuses every value. */
  validateInput(schema: Json, value: Json, context: JobContext): Promise<Verdict>;
  load(): SandboxLoad;
  /** Ends all children at once. */
  close(): void;
}

interface JobTerms extends Omit<JobContext, 'isQuarantined'> {
  isQuarantined?: boolean | undefined;
  budget: JobBudget;
}

const EVALUATION: JobBudget = { piece: EXPRESSION_BUDGET, whole: FILE_BUDGET };
const REPEATED: JobBudget = { piece: REPEATED_BUDGET, whole: REPEATED_TEMPLATE_BUDGET };
const evaluationOf = ({ repeated }: Scope): JobBudget => (repeated ? REPEATED : EVALUATION);
const ENDLESS = { cpuMs: Infinity, clockMs: Infinity };
const WHOLE_FILE: JobBudget = { piece: FILE_BUDGET, whole: ENDLESS };
const STORED_FILE: JobBudget = { piece: STORED_FILE_BUDGET, whole: ENDLESS };
const VALIDATION: JobBudget = { piece: VALIDATION_BUDGET, whole: ENDLESS };

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { maxChildren = 2, idleMs = 60_000, memoryMb = CHILD_HEAP_MB, keptForQuick = 1 } = options;
  const pool = new Pool({ maxChildren, idleMs, memoryMb, keptForQuick });
  return {
    async compile(text, { stored = false, ...context }) {
      const budget = stored ? STORED_FILE : WHOLE_FILE;
      const result = await perform(
        pool,
        { kind: 'compile', text, tenant: context.tenant },
        { ...context, budget },
      );
      if (result.kind === 'compiled') return result.compiled;
      const message = reasonOf(result);
      if (stored) throw new SandboxUnavailable(`a stored file can't be compiled now: ${message}`);
      return refuseComplexFile(message);
    },
    async format(json, { tenant, onCpu }) {
      const job: Job = { kind: 'format', json };
      const result = await perform(pool, job, { tenant, onCpu, budget: WHOLE_FILE });
      return result.kind === 'formatted' ? result.text : json;
    },
    async diff(texts, { tenant, onCpu }) {
      const terms = { tenant, onCpu, budget: WHOLE_FILE };
      const job = (maxEdits: number): Job => ({ kind: 'diff', ...texts, maxEdits });
      const compared = await perform(pool, job(MAX_DIFF_EDITS), terms);
      if (compared.kind === 'diffed') return compared.text;
      const replaced = await perform(pool, job(0), terms);
      return replaced.kind === 'diffed' ? replaced.text : raise(replaced);
    },
    async analyse(text, variables, { tenant, onCpu }) {
      const job: Job = { kind: 'analyse', text, variables };
      const result = await perform(pool, job, { tenant, onCpu, budget: WHOLE_FILE });
      return result.kind === 'analysed' ? result.analysis : raise(result);
    },
    async validateInput(schema, value, { tenant, onCpu }) {
      const json = JSON.stringify({ schema, value } satisfies Validation);
      const job: Job = { kind: 'validate', json };
      const result = await perform(pool, job, { tenant, onCpu, budget: VALIDATION });
      return result.kind === 'verdict' ? result.verdict : refuseCostlyValue(result);
    },
    async evaluate({ template, tenant, onCpu, isQuarantined, ...scope }) {
      const variables = namedVariables(expressionsOf(template), scope.variables);
      const json = evaluationJson({ kind: 'evaluate', template, ...scope }, variables);
      const job: Job = { kind: 'evaluation', tenant, json };
      const budget = evaluationOf(scope);
      const result = await perform(pool, job, { tenant, onCpu, isQuarantined, budget });
      return result.kind === 'value' ? result.value : raise(result);
    },
    async test({ expression, tenant, onCpu, isQuarantined, ...scope }) {
      const variables = namedVariables([expression], scope.variables);
      const json = evaluationJson({ kind: 'test', expression, ...scope }, variables);
      const job: Job = { kind: 'evaluation', tenant, json };
      const budget = evaluationOf(scope);
      const result = await perform(pool, job, { tenant, onCpu, isQuarantined, budget });
      return result.kind === 'truth' ? result.truth : raise(result);
    },
    load: () => pool.load(),
    close() {
      pool.close();
    },
  };
}

/** Performs a job, and once more when the child was ended from outside: then the job is not the cause. */
async function performWithRetry(
  pool: Pool,
  job: Job,
  { budget, onCpu, isQuarantined = false }: JobTerms,
) {
  for (const _ of ['first', 'second']) {
    const ending = await pool.perform(job, budget, isQuarantined);
    onCpu?.(ending.cpuMs);
    if (ending.kind !== 'lost') return ending;
  }
  throw new SandboxUnavailable('the children of the sandbox are ended from outside');
}

async function perform(pool: Pool, job: Job, terms: JobTerms): Promise<JobResult> {
  const ending = await performWithRetry(pool, job, terms);
  if (ending.kind === 'result') return JSON.parse(ending.json) as JobResult;
  const fault =
    ending.kind === 'killed'
      ? { code: 'EXPRESSION_TIMEOUT' as const, message: 'it took too long' }
      : { code: 'EXPRESSION_OUT_OF_MEMORY' as const, message: 'it needed too much memory' };
  return { kind: 'fault', fault: { ...fault, reason: null, position: null } };
}

function refuseComplexFile(message: string): Compiled {
  const fault: Fault = { line: 1, column: 1, code: 'FLOW_TOO_COMPLEX', message, pointer: '' };
  return { plan: null, faults: [fault], warnings: [] };
}

function refuseCostlyValue(result: JobResult): Verdict {
  return {
    valid: false,
    gaveUp: true,
    errors: [{ path: '', message: `the check was given up: ${reasonOf(result)}` }],
  };
}

function reasonOf(result: JobResult): string {
  return result.kind === 'fault' ? result.fault.message : throwUnexpectedResult(result);
}

function raise(result: JobResult): never {
  if (result.kind !== 'fault') return throwUnexpectedResult(result);
  const { code, message, reason, position } = result.fault;
  throw new EvaluationError(code, message, { reason, position });
}

function throwUnexpectedResult(result: JobResult): never {
  const detail = result.kind === 'defect' ? result.message : result.kind;
  throw new Error(`the sandbox failed: ${detail}`);
}
