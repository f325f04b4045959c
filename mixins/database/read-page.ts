import type { Model, QueryFilter } from 'mongoose';
import type { PageOrder } from '../../contract/page-order.ts';
import type { Position } from '../../contract/page-position.ts';
import { type Page, pageFrom } from '../../contract/pages.ts';
import { readInBatches } from './row-cursor.ts';

/** Bytes of values beyond which no further row of a page is read. A page holds as many bytes of JSON. */
const MAX_PAGE_BYTES = 512 * 1024;
/** Rows of one reply of the database for rows so large that few of them fill a page. */
const LARGE_ROWS_BATCH = 50;

export interface RowsQuery<T, Row> {
  /** With the order `newestFirst` the filter may have no `$or`, because the condition of the order has one. */
  filter: QueryFilter<T>;
  order: PageOrder<Row>;
  /** The page that the rows are read for; without a position all rows are read. */
  position?: Position;
  projection?: Readonly<Record<string, 0 | 1>>;
  /** The fewest bytes of JSON that a row takes in a page. Reading stops when the rows fill the page. */
  bytesOf?: (row: Row) => number;
}

/**
 * Reads the rows of a page in their order, and one row more when there are further rows. It reads fewer
 * when the bytes of the rows fill the page.
 */
export async function readRows<T, Row>(
  model: Model<T>,
  { filter, order, position, projection = {}, bytesOf }: RowsQuery<T, Row>,
): Promise<Row[]> {
  const conditions = { ...filter, ...order.conditionOf(position?.after) };
  const query = model
    .find(conditions, projection)
    .sort(order.sort)
    .limit(position ? position.limit + 1 : 0)
    .lean<Row[]>();
  if (!bytesOf) return query.exec();
  return takePage(readInBatches<Row>(query, LARGE_ROWS_BATCH), bytesOf);
}

async function takePage<Row>(
  cursor: AsyncIterable<Row>,
  bytesOf: (row: Row) => number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let bytes = 0;
  for await (const row of cursor) {
    rows.push(row);
    bytes += bytesOf(row);
    if (rows.length > 1 && bytes > MAX_PAGE_BYTES) break;
  }
  return rows;
}

/** Whether rows that `readRows` has read fill a page, so that it may have left rows unread. */
export const fillPage = <Row>(rows: readonly Row[], bytesOf: (row: Row) => number): boolean =>
  rows.length > 1 && rows.reduce((bytes, row) => bytes + bytesOf(row), 0) > MAX_PAGE_BYTES;

/** Reads one page of a list, each row as `show` makes it. */
export async function readPage<T, Row, Shown>(
  model: Model<T>,
  query: RowsQuery<T, NoInfer<Row>> & { position: Position },
  show: (row: Row) => Shown,
): Promise<Page<Shown>> {
  const rows = await readRows(model, query);
  return pageFrom(rows, query.position.limit, show, query.order.cursorOf);
}
