import { newestFirst } from '../../contract/page-order.ts';
import type { Position } from '../../contract/page-position.ts';
import type { Page } from '../../contract/pages.ts';
import { readPage } from '../../mixins/database/read-page.ts';
import { RunModel } from '../../models/run.model.ts';
import type { Params } from '../contracts.ts';
import type { Execution, Run } from './contract/resources.ts';
import { SHOWN_FIELDS, type ShownRun, showExecution, showFlowRun } from './show-run.ts';

/** Lists the runs of a flow, newest first. */
export function listRuns({ flowId, ...position }: Params<'runs.list'>): Promise<Page<Run>> {
  const filter = { flowId };
  const query = { filter, order: newestFirst, position, projection: SHOWN_FIELDS, bytesOf };
  return readPage(RunModel, query, showFlowRun);
}

/** Lists the executions of a workflow, newest first. */
export function listExecutions(
  { id: workflowId, workspaceId }: { id: number; workspaceId: number },
  position: Position,
): Promise<Page<Execution>> {
  const filter = { workspaceId, 'execution.workflowId': workflowId };
  const query = { filter, order: newestFirst, position, projection: SHOWN_FIELDS, bytesOf };
  return readPage(RunModel, query, showExecution);
}

const bytesOf = ({ input, output, error }: ShownRun): number =>
  input.length + (output?.length ?? 0) + (error?.length ?? 0);
