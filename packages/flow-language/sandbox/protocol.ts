/**
 * The messages between the service and a sandbox child, as plain JSON. Node reads them with the native `JSON.parse`, so
 * values with keys of users travel as JSON texts (`json-parse.ts`).
 */
import type { LoneExpression } from '../language/lone-expression.ts';
import type { Compiled, Expression, Json, Template } from '../plan.ts';
import type { DiffRequest } from './child/unified-diff.ts';
import type { EvaluationCode } from './errors.ts';

interface Surroundings {
  input?: Json;
  variables: Record<string, Json>;
  now: number;
  seed: string;
}

export type Evaluation =
  | ({ kind: 'evaluate'; template: Template } & Surroundings)
  | ({ kind: 'test'; expression: Expression } & Surroundings);

export interface EvaluationJob {
  kind: 'evaluation';
  /** The tenant in whose realm the expressions are evaluated. */
  tenant: string;
  /** An `Evaluation` as JSON, which the realm alone parses: variables may have megabytes. */
  json: string;
}

export type Job =
  | EvaluationJob
  | {
      kind: 'compile';
      text: string;
      /** The tenant whose analyses of earlier files make this check faster. */
      tenant: string;
    }
  | { kind: 'format'; json: string }
  | ({ kind: 'diff' } & DiffRequest)
  /** The check of an expression outside a flow file, which may read these variables. */
  | { kind: 'analyse'; text: string; variables: readonly string[] }
  /** The check of a `Validation`, given as JSON. */
  | { kind: 'validate'; json: string };

export interface Validation {
  schema: Json;
  value: Json;
}

/** The source of realms. The service sends it once to a child, before the first evaluation. */
export interface RealmSource {
  kind: 'realm-source';
  jsonata: string;
  /** The source text of the evaluator in TypeScript. */
  evaluator: string;
}

export interface EvaluationFault {
  code: EvaluationCode;
  message: string;
  reason: string | null;
  position: number | null;
}

export type Verdict =
  | { valid: true }
  | {
      valid: false;
      errors: readonly { path: string; message: string }[];
      /** True when the check cost too much and was ended: the value may be valid. */
      gaveUp?: true;
    };

export type EvaluationResult =
  | { kind: 'value'; value?: Json }
  | { kind: 'truth'; truth: boolean }
  | { kind: 'fault'; fault: EvaluationFault };

export type JobResult =
  | EvaluationResult
  | { kind: 'compiled'; compiled: Compiled }
  | { kind: 'formatted'; text: string }
  | { kind: 'diffed'; text: string }
  | { kind: 'analysed'; analysis: LoneExpression }
  | { kind: 'verdict'; verdict: Verdict }
  /** A failure of the child's own code; the job is not the cause. */
  | { kind: 'defect'; message: string };

/**
 * A child's report. `cpuMs` is the child's CPU time so far, from which the next piece is measured. CPU time before
 * `ready` is charged to no job. `progress` ends each piece of a job but the last.
 */
export type Report =
  | { kind: 'ready'; cpuMs: number }
  | { kind: 'progress'; cpuMs: number }
  | {
      kind: 'done';
      cpuMs: number;
      /** The child's CPU time when the result of the job before had been sent. The CPU time of this job begins there. */
      fromCpuMs: number;
      /** A `JobResult` as JSON. */
      json: string;
    };
