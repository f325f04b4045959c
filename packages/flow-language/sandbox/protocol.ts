/** The messages between the service and a sandbox child. Plain JSON. */
import type { Compiled, Expression, Json, Template } from '../plan.ts';
import type { EvaluationCode } from './errors.ts';

export interface VariableText {
  /** A variable's name, or that of a map and of its member. */
  path: readonly string[];
  json: string;
}

interface Surroundings {
  input?: Json;
  variables: Record<string, Json>;
  /** What stands as null in `variables` and goes as text, so that the service need not parse it. */
  texts: readonly VariableText[];
  now: number;
  seed: string;
}

export type Job =
  | ({ kind: 'evaluate'; template: Template } & Surroundings)
  | ({ kind: 'test'; expression: Expression } & Surroundings)
  | { kind: 'compile'; text: string }
  | { kind: 'validate'; schema: Json; value: Json };

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

export type JobResult =
  | { kind: 'value'; value?: Json }
  | { kind: 'truth'; truth: boolean }
  | { kind: 'compiled'; compiled: Compiled }
  | { kind: 'verdict'; verdict: Verdict }
  | { kind: 'fault'; fault: EvaluationFault }
  /** The child's own failure: a defect of ours, not of what it was given. */
  | { kind: 'defect'; message: string };

/**
 * `cpuMs` is the child's CPU time so far: what the next piece of work is measured from.
 * `ready` comes once, `progress` at the end of each piece of a job but the last.
 */
export type Report =
  | { kind: 'ready'; cpuMs: number }
  | { kind: 'progress'; cpuMs: number }
  | { kind: 'done'; cpuMs: number; result: JobResult };
