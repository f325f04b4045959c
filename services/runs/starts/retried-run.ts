import { Problem } from '../../../contract/problem.ts';
import { isFlowRun, type RunDocument, RunModel } from '../../../models/run.model.ts';
import type { Params } from '../../contracts.ts';
import { FlowHasNoVersion } from '../../flows/flows.problems.ts';
import type { Engine } from '../engine/engine.ts';
import { runNotFound } from '../find-run.ts';
import { RunNotEnded, WorkflowHasNoSteps } from '../runs.problems.ts';
import type { Program, StartRequest } from './prepare-run.ts';
import { executionProgram, flowProgram } from './programs.ts';

/** The fields of an ended run from which a retry starts a new run. */
const FIELDS = {
  workspaceId: 1,
  flowId: 1,
  flowName: 1,
  versionId: 1,
  execution: 1,
  live: 1,
  status: 1,
  input: 1,
  configuration: 1,
  attempt: 1,
  originId: 1,
} as const;
export type RetriedRun = Pick<RunDocument, '_id' | keyof typeof FIELDS>;

type Version = Params<'runs.retry'>['version'];
type Lookups = Pick<Engine, 'completeVersion' | 'flows' | 'workflows'>;

/** Reads a run for a retry. Throws 404 for a run that retention removes, and 409 for a live run. */
export async function getRetriedRun(runId: number): Promise<RetriedRun> {
  const kept = { _id: runId, expired: { $exists: false } } as const;
  const run = await RunModel.findOne(kept, FIELDS).lean<RetriedRun>();
  if (!run) throw runNotFound(runId);
  if (run.live) throw new Problem(RunNotEnded, `The run has not ended: ${run.status}.`);
  return run;
}

/** The fields of the new run that come from the earlier run. */
export const startOfRetry = (
  run: RetriedRun,
  { from, version }: Params<'runs.retry'>,
): Pick<StartRequest, 'input' | 'configuration' | 'kept' | 'retry'> => ({
  input: run.input,
  ...(version === 'same' ? { kept: run.configuration } : { configuration: run.configuration?.id }),
  retry: {
    retryOf: run._id,
    attempt: (run.attempt ?? 1) + 1,
    originId: run.originId ?? run._id,
    ...(from === 'failed' ? { copiesJournal: true as const } : {}),
  },
});

/** Finds the program of a retry: the program of the earlier run, or the latest version of its flow or workflow. */
export function programOfRetry(
  run: RetriedRun,
  version: Version,
  lookups: Lookups,
): Promise<Program> {
  return isFlowRun(run)
    ? programOfFlow(run, version, lookups)
    : programOfExecution(run, version, lookups);
}

async function programOfFlow(
  { workspaceId, flowId, flowName, versionId }: RetriedRun & Required<Pick<RetriedRun, 'flowId'>>,
  version: Version,
  lookups: Lookups,
): Promise<Program> {
  const wanted = version === 'same' ? versionId : undefined;
  const found = await lookups.flows.findVersion(flowId, { versionId: wanted });
  if (found) return flowProgram(await lookups.completeVersion(found), wanted);
  const refusal = new Problem(FlowHasNoVersion, `The flow ${flowName} was deleted.`);
  return { workspaceId, refusal };
}

async function programOfExecution(
  { workspaceId, execution }: RetriedRun,
  version: Version,
  { workflows }: Lookups,
): Promise<Program> {
  if (!execution) throw new TypeError('a run is of a flow or of a workflow');
  const workflow = await workflows.find(execution.workflowId);
  if (!workflow) {
    const message = `The workflow ${execution.workflowName} was deleted.`;
    return { workspaceId, refusal: new Problem(WorkflowHasNoSteps, message) };
  }
  if (version === 'same') return { workspaceId, fields: { execution }, content: execution.content };
  const steps = execution.draft ? 'draft' : 'published';
  return executionProgram(workflow, (id) => workflows[steps](id));
}
