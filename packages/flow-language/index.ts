export { findSecrets } from './language/secrets/secret-shapes.ts';
export { drawFlowchart } from './graph/flowchart.ts';
export {
  configurationMissing,
  credentialOriginRefused,
  referenceNotFound,
} from './interpreter/call-errors.ts';
export { CHECKPOINT_VERSION, type Checkpoint } from './interpreter/checkpoint.ts';
export type {
  AgentEffect,
  ApiDescriptionEffect,
  Effect,
  HttpEffect,
  IssueEffect,
  ListenEffect,
  RunEffect,
} from './interpreter/effect.ts';
export type {
  BegunStep,
  Evaluator,
  Host,
  Note,
  Outcome,
  Pending,
  Performed,
  PerformRequest,
  RunInfo,
  Scope,
  Step,
  Value,
} from './interpreter/host.ts';
export { contentOf, parseAnswer, textOf } from './interpreter/http/content.ts';
export type { Mask } from './interpreter/http/mask.ts';
export { maskedHeaders } from './interpreter/http/masked-headers.ts';
export {
  apiDescriptionOutput,
  type HttpResponse,
  httpOutput,
} from './interpreter/http/response.ts';
export { interpret } from './interpreter/interpret.ts';
export { jsonOf, parseJson } from './interpreter/json-text.ts';
export { MAX_OUTPUT_BYTES } from './interpreter/limits.ts';
export { listsIn } from './interpreter/names.ts';
export { effectKey, type Position } from './interpreter/position.ts';
export {
  ERROR_KINDS,
  type ErrorKind,
  FlowError,
  flowError,
  type Problem,
  runTimeout,
} from './interpreter/problem.ts';
export { reusableKeys, taskPathOf } from './interpreter/reusable-keys.ts';
export { LIMITS } from './language/limits.ts';
export { Lines } from './language/lines.ts';
export type { LoneExpression } from './language/lone-expression.ts';
export {
  DIRECTIVES,
  isVariableName,
  SIGNAL_NAME,
  SIGNAL_NAME_RULE,
  TASK_NAME,
  TASK_NAME_RULE,
} from './language/names.ts';
export { escapeExpressions } from './language/template-text.ts';
export type { Compiled, Expression, Fault, Json, Plan, Task, Template, Warning } from './plan.ts';
export { type EvaluationCode, EvaluationError, SandboxUnavailable } from './sandbox/errors.ts';
export type { SandboxLoad } from './sandbox/pool.ts';
export type { Verdict } from './sandbox/protocol.ts';
export {
  createSandbox,
  type JobContext,
  type Sandbox,
  type SandboxOptions,
  type TextPair,
} from './sandbox/sandbox.ts';
