import { z } from 'zod';
import { AnyJson, Id, pageOf, Timestamp } from '../../../contract/fields.ts';
import { RUN_STATUSES } from '../../../models/run-status.ts';

export const RunStatus = z.enum(RUN_STATUSES).meta({ id: 'RunStatus' });
export type RunStatus = z.output<typeof RunStatus>;

const errorFields = {
  type: z.string(),
  status: z.int(),
  title: z.string().meta({ description: 'A stable code, such as HTTP_STATUS' }),
  detail: z.string(),
  instance: z.string(),
};

/** The error of a failed run or step: a problem detail whose `instance` is the task's path in the file. */
export const RunError = z
  .strictObject({
    ...errorFields,
    instance: errorFields.instance.meta({
      description:
        'JSON pointer of the task in the flow file. Of a run that times out, or that the service ends, the first innermost task that was under way; empty where there was none',
    }),
    cause: z
      .strictObject(errorFields)
      .meta({ id: 'CaughtError', description: 'The error whose `catch` failed by this one' })
      .optional(),
  })
  .meta({ id: 'RunError' });
export type RunError = z.output<typeof RunError>;

const Starter = z
  .strictObject({
    type: z.enum(['person', 'service-account', 'api-key', 'run', 'system', 'operator-console']),
    id: Id.nullable(),
    name: z.string(),
  })
  .meta({ id: 'Starter' });

/** The store of a run: its properties and pairs are kept with the run and never shown. */
const RunConfiguration = z
  .strictObject({
    id: Id,
    externalId: z.string(),
    updatedAt: Timestamp.meta({ description: "The store's last change before the run started" }),
  })
  .meta({ id: 'RunConfiguration' });

/** The fields of flow runs and executions. */
const runFields = {
  configuration: RunConfiguration.nullable(),
  status: RunStatus,
  input: AnyJson,
  output: AnyJson,
  error: RunError.nullable(),
  startedBy: Starter,
  retryOf: Id.nullable(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  wakeAt: Timestamp.nullable().meta({
    description:
      'Until when a WAITING run waits, else null. A wait of up to a second may show as RUNNING.',
  }),
  completedAt: Timestamp.nullable(),
};

export const Run = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    flowId: Id,
    flowName: z.string().meta({ description: "The flow's name when the run started" }),
    versionId: Id,
    ...runFields,
  })
  .meta({ id: 'Run' });
export type Run = z.output<typeof Run>;

export const Execution = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    workflowId: Id,
    workflowName: z.string().meta({ description: "The workflow's name when the run started" }),
    revision: z.int().nonnegative().meta({
      description: 'The published revision; of a draft, the id of the snapshot of the branch',
    }),
    draft: z.literal(true).optional().meta({ description: 'Given for the run of a draft' }),
    ...runFields,
  })
  .meta({
    id: 'Execution',
    description:
      'The run of a workflow. Its steps are the `do` of a flow file: the first one has the path `/do/0/` and its key',
  });
export type Execution = z.output<typeof Execution>;

/** A run by its id: the run of a flow, or the execution of a workflow. */
export const AnyRun = z.union([Run, Execution]);
export type AnyRun = z.output<typeof AnyRun>;

const headerNames = z.array(z.string()).meta({
  description: 'The names of the headers in lower case, 100 at most; never their values',
});

const StepRequest = z
  .strictObject({
    method: z.string(),
    url: z.string().meta({
      description:
        'The address as it was sent, with `***` for the values of its query and for secrets; at most 2 000 characters',
    }),
    headerNames,
    bytes: z.int().nonnegative().meta({ description: 'Bytes of the body' }),
  })
  .meta({ id: 'StepRequest' });

const StepResponse = z
  .strictObject({
    status: z.int(),
    headerNames,
    bytes: z.int().nonnegative().meta({ description: 'Bytes of the body after decoding' }),
  })
  .meta({ id: 'StepResponse' });

const AgentToolCall = z
  .strictObject({
    operation: z.string().meta({ description: 'The name of the operation, as in `issues.list`' }),
    arguments: AnyJson,
    status: z.enum(['DONE', 'FAILED']),
    result: AnyJson.meta({ description: 'The beginning of the JSON as text where it is long' }),
  })
  .meta({ id: 'AgentToolCall' });

const step = {
  id: Id.meta({
    description:
      'The number of the step in the run; above 1 000 000 000 while the step is open, in the order of the beginnings. An open step gets another id when its end is recorded. It keeps its id where the run ends while no worker works on it',
  }),
  path: z.string().meta({ description: 'JSON pointer of the task in the flow file' }),
  name: z.string(),
  iteration: z.string().meta({
    description: 'Round numbers from 0, outermost loop first, joined by `.`; empty outside loops',
  }),
  visit: z.int().positive(),
  attempt: z.int().positive(),
  status: z.enum(['RUNNING', 'WAITING', 'SUCCESS', 'FAILED', 'SKIPPED']).meta({
    description:
      'RUNNING and WAITING are open: such a step is shown once it has been open for a second, or with an earlier write of the run',
  }),
  input: AnyJson,
  output: AnyJson,
  error: RunError.nullable(),
  startedAt: Timestamp,
  completedAt: Timestamp.nullable().meta({ description: 'Null while the step is open' }),
  request: StepRequest.nullable().meta({
    description: 'The last request of a call; null for other tasks, and for a call that sent none',
  }),
  response: StepResponse.nullable().meta({
    description: 'The response to it; null where none came, or not all of it',
  }),
};

export const StepSummary = z
  .strictObject({
    ...step,
    truncated: z.literal(true).optional().meta({
      description:
        'Given when `input` or `output` is over 4 KiB: text then, the beginning of its JSON',
    }),
  })
  .meta({ id: 'StepSummary' });
export type StepSummary = z.output<typeof StepSummary>;

/** A page of steps, with the number of executed steps that are in no page. */
const steps = pageOf(StepSummary);
export const StepPage = steps.extend({ omitted: z.int().positive().optional() });
export type StepPage = z.output<typeof StepPage>;
export const stepPageHeaders = {
  body: steps,
  fields: {
    omitted: {
      header: 'X-Steps-Omitted',
      type: z.int().positive(),
      description:
        'Number of steps that the list leaves out: executed ones beyond the first 50 000, or beyond 40 MiB, and open ones beyond the first 100. Absent where there are none.',
    },
  },
} as const;

export const Step = z
  .strictObject({
    ...step,
    inputTruncated: z.literal(true).optional().meta({
      description:
        'Given when `input` is more than is kept, or than fits beside `output`: text then, the beginning of its JSON',
    }),
    outputTruncated: z.literal(true).optional().meta({
      description: 'The same for `output`: only in a run whose steps together exceed what is kept',
    }),
    transcript: z.array(AgentToolCall).optional().meta({
      description: 'The tool calls of a `call: agent`, in order; the last ones where they are long',
    }),
  })
  .meta({ id: 'Step' });
export type Step = z.output<typeof Step>;
