import type { AnyRun, StepSummary } from '../../services/runs/contract/resources.ts';
import { parseId } from '../ids.ts';
import { brief, duration, oneLine, table } from '../table.ts';
import type { Command } from './command.ts';

/** `run <id>`: shows a run with its steps. */
export const run: Command = {
  command: 'run <id>',
  description: 'Show a run with its steps',
  async print(operator, args) {
    const runId = parseId('id', args.id);
    const found = await operator.call('runs.get', { runId });
    const { items, after } = await operator.call('runs.listSteps', { runId });
    return showRun(found, items, after !== null);
  },
};

/** Formats a run and its steps; `more` is true when the run has further steps. Pure, for tests. */
export function showRun(found: AnyRun, steps: readonly StepSummary[], more: boolean): string {
  const { startedBy: by, error } = found;
  const actor = by.id === null ? by.name : `${by.type} ${by.id} (${by.name})`;
  return [
    `run ${found.id}  ${found.status}  ${programOf(found)}, workspace ${found.workspaceId}`,
    `started by ${actor}, created ${found.createdAt}, ${lasted(found)}`,
    `input   ${brief(found.input)}`,
    `output  ${brief(found.output)}`,
    ...(error
      ? [oneLine(`error   ${error.status} ${error.title}: ${error.detail} (${error.instance})`)]
      : []),
    '',
    steps.length ? stepTable(steps) : 'no steps yet',
    ...(more ? ['there are more steps: call runs.listSteps'] : []),
  ].join('\n');
}

function stepTable(steps: readonly StepSummary[]): string {
  const rows = steps.map((step) => [
    step.completedAt ? step.id : null,
    step.path,
    step.iteration || null,
    step.visit,
    step.attempt,
    step.status,
    step.completedAt
      ? duration(Date.parse(step.completedAt) - Date.parse(step.startedAt))
      : `since ${step.startedAt}`,
    step.error ? `${step.error.title}: ${step.error.detail}` : brief(step.output, 48),
  ]);
  return table(
    ['step', 'task', 'round', 'visit', 'attempt', 'status', 'took', 'output or error'],
    rows,
  );
}

function lasted({ startedAt, completedAt }: AnyRun): string {
  if (!startedAt) return 'not begun';
  if (!completedAt) return `begun ${startedAt}`;
  return `took ${duration(Date.parse(completedAt) - Date.parse(startedAt))}`;
}

/** Names the flow or the workflow of a run. */
const programOf = (run: AnyRun): string =>
  'flowId' in run
    ? `flow ${run.flowId} "${run.flowName}" version ${run.versionId}`
    : `workflow ${run.workflowId} "${run.workflowName}" ${run.draft ? 'draft' : 'revision'} ${run.revision}`;
