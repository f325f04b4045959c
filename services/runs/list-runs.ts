import type { QueryFilter } from 'mongoose';
import { positionInTime } from '../../contract/page-position.ts';
import { cursorOf, type Page, pageFrom } from '../../contract/pages.ts';
import { type RunDocument, RunModel } from '../../models/run.model.ts';
import type { Run } from './contract/resources.ts';
import { SHOWN_FIELDS, type ShownRun, showRun } from './show-run.ts';

/** Values of more bytes than a page may hold are not worth reading on for. */
const MAX_PAGE_BYTES = 512 * 1024;

/** The runs of a flow, newest first. */
export async function listRuns(params: {
  flowId: number;
  limit: number;
  after?: string | undefined;
}): Promise<Page<Run>> {
  const rows = await readRuns(
    { flowId: params.flowId, ...positionFilter(params.after) },
    params.limit,
  );
  return pageFrom(rows, params.limit, showRun, ({ createdAt, _id }) =>
    cursorOf(createdAt.getTime(), _id),
  );
}

/** One more row than the page holds, or fewer when their values alone fill it. */
async function readRuns(filter: QueryFilter<RunDocument>, limit: number): Promise<ShownRun[]> {
  const rows: ShownRun[] = [];
  let bytes = 0;
  const cursor = RunModel.find(filter, SHOWN_FIELDS)
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .lean<ShownRun>()
    .cursor({ batchSize: 50 });
  for await (const row of cursor as AsyncIterable<ShownRun>) {
    rows.push(row);
    bytes += row.input.length + (row.output?.length ?? 0) + (row.error?.length ?? 0);
    if (rows.length > 1 && bytes > MAX_PAGE_BYTES) break;
  }
  return rows;
}

function positionFilter(after: string | undefined): QueryFilter<RunDocument> {
  const from = positionInTime({ after });
  if (!from) return {};
  const { time: createdAt, id } = from;
  return {
    createdAt: { $lte: createdAt },
    $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }],
  };
}
