import { type ExecutionFields, isFlowRun, type RunDocument } from '../../models/run.model.ts';
import type { Execution, Run, RunError } from './contract/resources.ts';

/** A run's configuration store, without the values that no answer shows. */
type ShownConfiguration = Omit<NonNullable<RunDocument['configuration']>, 'properties' | 'pairs'>;

/** The workflow of an execution, without its steps. */
type ShownExecution = Omit<ExecutionFields, 'content'>;

/** The fields of a run from which its answers are made. */
export type ShownRun = Omit<
  RunDocument,
  'journal' | 'openSteps' | 'outbox' | 'signals' | 'postedSignals' | 'configuration' | 'execution'
> & {
  configuration?: ShownConfiguration;
  execution?: ShownExecution;
};
export type ShownExecutionRun = ShownRun & { execution: ShownExecution };
export const SHOWN_FIELDS = {
  journal: 0,
  openSteps: 0,
  outbox: 0,
  signals: 0,
  postedSignals: 0,
  'configuration.properties': 0,
  'configuration.pairs': 0,
  'execution.content': 0,
} as const;

const iso = (time: Date | undefined): string | null => time?.toISOString() ?? null;

/** Shows a run of either kind. */
export const showRun = (run: ShownRun): Run | Execution =>
  isExecution(run) ? showExecution(run) : showFlowRun(run);

export const isExecution = (run: ShownRun): run is ShownExecutionRun => run.execution !== undefined;

/** Shows a run of a flow. Throws a `TypeError` for an execution. */
export function showFlowRun(run: ShownRun): Run {
  if (!isFlowRun(run)) throw new TypeError(`run ${run._id} is not of a flow`);
  const { _id: id, workspaceId, flowId, flowName, versionId } = run;
  return { id, workspaceId, flowId, flowName, versionId, ...showCommon(run) };
}

/** Shows an execution of a workflow. Throws a `TypeError` for a run of a flow. */
export function showExecution(run: ShownRun): Execution {
  if (!isExecution(run)) throw new TypeError(`run ${run._id} is not of a workflow`);
  const { _id: id, workspaceId, execution } = run;
  const { workflowId, workflowName, revision, draft } = execution;
  const shown = { id, workspaceId, workflowId, workflowName, revision };
  return { ...shown, ...(draft ? { draft } : {}), ...showCommon(run) };
}

const showCommon = (run: ShownRun) => ({
  configuration: run.configuration ? showConfiguration(run.configuration) : null,
  status: run.status,
  input: JSON.parse(run.input),
  output: run.output === null ? null : JSON.parse(run.output),
  error: run.error === null ? null : (JSON.parse(run.error) as RunError),
  startedBy: run.startedBy,
  retryOf: run.retryOf ?? null,
  createdAt: run.createdAt.toISOString(),
  startedAt: iso(run.startedAt),
  wakeAt: iso(run.status === 'WAITING' ? run.wakeAt : undefined),
  completedAt: iso(run.completedAt),
});

/** The title of a run's stored error. */
export const titleOf = (error: string): string => (JSON.parse(error) as RunError).title;

const showConfiguration = ({ id, externalId, updatedAt }: ShownConfiguration) => ({
  id,
  externalId,
  updatedAt: updatedAt.toISOString(),
});
