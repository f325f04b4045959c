import { newestFirst } from '../../contract/page-order.ts';
import type { Page } from '../../contract/pages.ts';
import { readPage } from '../../mixins/database/read-page.ts';
import { RunModel } from '../../models/run.model.ts';
import type { Params } from '../contracts.ts';
import type { Run } from './contract/resources.ts';
import { SHOWN_FIELDS, type ShownRun, showRun } from './show-run.ts';

/** Lists the runs of a flow, newest first. */
export function listRuns({ flowId, ...position }: Params<'runs.list'>): Promise<Page<Run>> {
  const filter = { flowId };
  const query = { filter, order: newestFirst, position, projection: SHOWN_FIELDS, bytesOf };
  return readPage(RunModel, query, showRun);
}

const bytesOf = ({ input, output, error }: ShownRun): number =>
  input.length + (output?.length ?? 0) + (error?.length ?? 0);
