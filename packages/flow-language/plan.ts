/**
 * The plan of a checked flow file: `compile` makes the plan, the interpreter follows it. A plan is plain JSON,
 * because it passes from the sandbox's child process to the service.
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The text of one `${ ... }` and the names of the variables that it reads, without their `$`. */
export interface Expression {
  source: string;
  variables: readonly string[];
  /** Whether the value is the address of a call: `&` fails where it would leave a segment of the path empty. */
  isAddress?: boolean;
}

/** A JSON value in which expressions stand. Object keys are never expressions. */
export type Template =
  | { kind: 'literal'; value: Json }
  /** A string that is only one `${ ... }`: keeps the type of its value. */
  | { kind: 'expression'; expression: Expression }
  /** Text around one or several `${ ... }`: becomes a string. */
  | { kind: 'text'; parts: readonly (string | Expression)[] }
  | { kind: 'list'; items: readonly Template[] }
  | { kind: 'map'; entries: readonly (readonly [string, Template])[] }
  /** The body of a call: integers of `$integer` are marked (`data-json.ts`). It is in no plan. */
  | { kind: 'body'; template: Template };

/** The address of an HTTP call: one expression, or a URI template over the task's input. */
export type Endpoint =
  | { kind: 'expression'; expression: Expression }
  | { kind: 'uri-template'; template: string };

/** `continue`, `exit` and `end`, or the name of a sibling. */
export type FlowDirective = string;

interface TaskBase {
  name: string;
  /** JSON pointer of the task in the file, such as `/do/0/fetch`. */
  path: string;
  if?: Expression;
  inputFrom?: Template;
  outputAs?: Template;
  exportAs?: Template;
  timeoutMs?: number;
  then?: FlowDirective;
}

export interface SetTask extends TaskBase {
  kind: 'set';
  value: Template;
}

export interface CallHttpTask extends TaskBase {
  kind: 'call-http';
  method: string;
  endpoint: Endpoint;
  headers?: Template;
  /** The `Idempotency-Key` of the call. Absent for a key of the run and the task. */
  idempotencyKey?: Template;
  query?: Template;
  body?: Template;
  output: 'content' | 'response' | 'raw';
}

/**
 * The credential of a call through an API description: `source` and `destination` of the flow's pair in the run's
 * configuration store, none at all, or the credential with this id.
 */
export type CredentialSource = 'source' | 'destination' | 'none' | number;

export interface CallApiDescriptionTask extends TaskBase {
  kind: 'call-api-description';
  apiDescriptionId: number;
  /** Absent for the description's own credential. */
  credential?: CredentialSource;
  /** The values of the URL's placeholders: `with.path` in the file. */
  pathValues?: Template;
  query?: Template;
  headers?: Template;
  /** The `Idempotency-Key` of the call. Absent for a key of the run and the task. */
  idempotencyKey?: Template;
  body?: Template;
}

/** Raises an issue, or updates the issue with the same fingerprint and opens it again. */
export interface CallIssueTask extends TaskBase {
  kind: 'call-issue';
  title: Template;
  description?: Template;
  assignedUserId?: Template;
  fingerprint?: Template;
}

/** One turn of the agent. */
export interface CallAgentTask extends TaskBase {
  kind: 'call-agent';
  prompt: Template;
  /** JSON Schema 2020-12 of the output; absent for text. */
  schema?: Json;
  /** The names of the operations that the agent may read with. */
  tools: readonly string[];
}

/** Runs another flow of the workspace as a child run, and waits for its end. */
export interface RunTask extends TaskBase {
  kind: 'run';
  /** The flow's name, or its id as text. */
  flow: string;
  /** `latest`, or the id of a version as text. */
  version: string;
  /** The input of the child run. Absent for the task's input. */
  with?: Template;
}

/** Waits for a signal that is posted to the run. */
export interface ListenTask extends TaskBase {
  kind: 'listen';
  signal: string;
}

export interface DoTask extends TaskBase {
  kind: 'do';
  tasks: readonly Task[];
}

export interface SwitchTask extends TaskBase {
  kind: 'switch';
  /** The cases in the order of the file. The case without `when` is the default, at any place in the list. */
  cases: readonly { name: string; when?: Expression; then: FlowDirective }[];
}

export interface ForTask extends TaskBase {
  kind: 'for';
  each: string;
  at: string;
  in: Expression;
  while?: Expression;
  tasks: readonly Task[];
  /** The largest number of rounds at once (`metadata.parallel`). The output is then the list of the rounds' outputs. */
  parallel?: number;
}

export interface ForkTask extends TaskBase {
  kind: 'fork';
  /** Each branch is a list of its own with one task. */
  branches: readonly Task[];
  /** The first branch to succeed ends the others, and its output is the output. */
  compete: boolean;
}

export interface ErrorFilter {
  type?: string;
  status?: number;
  title?: string;
  instance?: string;
}

export interface RetryPolicy {
  delayMs: number;
  backoff: 'constant' | 'linear' | 'exponential';
  jitter?: { fromMs: number; toMs: number };
  /** The largest number of retries after the first attempt. */
  maxRetries: number;
  attemptDurationMs?: number;
  totalDurationMs?: number;
  when?: Expression;
  exceptWhen?: Expression;
}

export interface TryTask extends TaskBase {
  kind: 'try';
  tasks: readonly Task[];
  catch: {
    errors?: ErrorFilter;
    as: string;
    when?: Expression;
    exceptWhen?: Expression;
    retry?: RetryPolicy;
    tasks?: readonly Task[];
  };
}

export interface RaiseTask extends TaskBase {
  kind: 'raise';
  error: { type: Template; status: number; title?: Template; detail?: Template };
}

export interface WaitTask extends TaskBase {
  kind: 'wait';
  durationMs: number;
}

export type Task =
  | SetTask
  | CallHttpTask
  | CallApiDescriptionTask
  | CallIssueTask
  | CallAgentTask
  | RunTask
  | ListenTask
  | ForkTask
  | DoTask
  | SwitchTask
  | ForTask
  | TryTask
  | RaiseTask
  | WaitTask;

export interface Plan {
  document: { dsl: string; namespace: string; name: string; version: string };
  /** JSON Schema 2020-12 of the run's input. */
  inputSchema?: Json;
  inputFrom?: Template;
  outputAs?: Template;
  timeoutMs?: number;
  /** Raises an issue when a run fails (`metadata.onFailure`). */
  onFailure?: { assignedUserId?: number };
  /** The largest number of RUNNING runs of the flow at once (`metadata.concurrency`), from 1 to 1,000. */
  concurrency?: number;
  tasks: readonly Task[];
}

/** One fault of a flow file and its place. `line` and `column` count from 1. */
export interface Fault {
  line: number;
  column: number;
  code: string;
  message: string;
  /** JSON pointer (RFC 6901) of the value or key of the file at this place; empty where the file has no value there. */
  pointer: string;
}

/** A place of a flow file that the author should look at. A file with warnings can be stored and run. */
export type Warning = Omit<Fault, 'pointer'>;

/** The answer of `compile`: a plan, or all faults of the text; and its warnings in both cases. */
export type Compiled = (
  | { plan: Plan; faults: readonly [] }
  | { plan: null; faults: readonly Fault[] }
) & { warnings: readonly Warning[] };
