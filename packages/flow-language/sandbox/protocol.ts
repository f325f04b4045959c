/** The messages between the service and a sandbox child. Plain JSON. */
import type { Compiled, Expression, Json, Template } from '../plan.ts';
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
  /** Whose realm the expressions are evaluated in. */
  tenant: string;
  /** An `Evaluation` as JSON, which the realm alone parses: variables may have megabytes. */
  json: string;
}

export type Job =
  | EvaluationJob
  | { kind: 'compile'; text: string }
  | { kind: 'validate'; schema: Json; value: Json };

/** Comes before the first evaluation. */
export interface RealmSource {
  kind: 'realm-source';
  jsonata: string;
  /** TypeScript. */
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
      /** Nobody knows whether the value is valid: the check cost too much. */
      gaveUp?: true;
    };

export type EvaluationResult =
  | { kind: 'value'; value?: Json }
  | { kind: 'truth'; truth: boolean }
  | { kind: 'fault'; fault: EvaluationFault };

export type JobResult =
  | EvaluationResult
  | { kind: 'compiled'; compiled: Compiled }
  | { kind: 'verdict'; verdict: Verdict }
  /** The child's own failure: a defect of ours, not of what it was given. */
  | { kind: 'defect'; message: string };

/**
 * `cpuMs` is the child's CPU time so far: what the next piece of work is measured from.
 * What the child used before `ready` was for no job. `progress` comes at the end of each piece of a job
 * but the last.
 */
export type Report =
  | { kind: 'ready'; cpuMs: number }
  | { kind: 'progress'; cpuMs: number }
  | {
      kind: 'done';
      cpuMs: number;
      /** CPU time when the result of the job before had been sent: this job's own begins there. */
      fromCpuMs: number;
      result: JobResult;
    };
