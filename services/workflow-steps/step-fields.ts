import { DIRECTIVES, LIMITS, TASK_NAME, TASK_NAME_RULE } from '@workspace-automation/flow-language';
import { z } from 'zod';

/** Milliseconds of the deadline of a check, beyond which its call fails. A check takes up to 2 s of CPU time, after queued checks. */
export const CHECKING_MS = 30_000;
/** Levels of nesting of a definition; a deeper definition is answered 400. */
export const DEFINITION_DEPTH = 96;
/** JSON values of a body with definitions. A file of steps has at most 20 000 values. */
export const DEFINITION_VALUES = 50_000;
/** The most steps of a workflow: the most tasks of a flow file. */
export const MAX_STEPS = LIMITS.tasks;
/** UTF-8 bytes of JSON that all definitions of a workflow, or of a branch, take together: those of a flow file's text. */
export const MAX_DEFINITION_BYTES = LIMITS.textBytes;

/** The key of a step: the name of its task. */
export const StepKey = z
  .string()
  .regex(TASK_NAME, `must be a task name: ${TASK_NAME_RULE}`)
  .refine((key) => !DIRECTIVES.some((directive) => directive === key), {
    error: `must not be ${DIRECTIVES.join(', ')}`,
  })
  .meta({ id: 'StepKey', description: 'The name of the task, unique among the steps' });

/** A task in the vocabulary of the flow language. The check of the steps, not the schema, refuses an invalid task. */
export const StepDefinition = z
  .custom<Readonly<Record<string, unknown>>>(isObject, 'must be a JSON object')
  .meta({
    description: 'A task of the flow language, such as `{"set": {"answer": 42}}`',
    override: { type: 'object' },
  });

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const Step = z
  .strictObject({ key: StepKey, definition: StepDefinition })
  .meta({ id: 'WorkflowStep' });
export type Step = z.output<typeof Step>;

/** The published steps of a workflow, in order. */
export const WorkflowSteps = z
  .strictObject({
    revision: z
      .int()
      .nonnegative()
      .meta({ description: 'Grows by 1 with each publication; 0 before the first' }),
    steps: z.array(Step),
  })
  .meta({ id: 'WorkflowSteps' });
export type WorkflowSteps = z.output<typeof WorkflowSteps>;

/** A fault of a step. Draft steps may have problems; published steps have none. */
export const StepProblem = z
  .strictObject({
    key: StepKey.nullable().meta({ description: 'Null for a problem of the steps as a whole' }),
    path: z.string().meta({
      description: 'JSON pointer of the place in the definition; empty for the whole of it',
    }),
    code: z.string().meta({ description: 'Stable, such as UNKNOWN_KEY' }),
    message: z.string(),
  })
  .meta({ id: 'StepProblem' });
export type StepProblem = z.output<typeof StepProblem>;

/** A step between services: its definition is JSON text, which keeps the order of keys. */
export const StoredStep = z.strictObject({
  key: z.string(),
  /** The definition as JSON. */
  definition: z.string(),
  /** SHA-256 of the definition. */
  hash: z.string(),
});
export type StoredStep = z.output<typeof StoredStep>;
