import type { Model, QueryFilter } from 'mongoose';
import type { PageOrder } from '../../contract/page-order.ts';
import type { Position } from '../../contract/page-position.ts';
import { type Page, pageFrom } from '../../contract/pages.ts';

/** Bytes of values beyond which no further row of a page is read. A page holds as many bytes of JSON. */
const MAX_PAGE_BYTES = 512 * 1024;
/** Rows of the first reply of the database where few rows may fill a page, and the fewest of the later ones. */
const FIRST_ROWS = 50;
/** How many times as many rows as the reply before a reply has at most: the rows that follow may be larger. */
const MOST_TIMES_MORE = 4;

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
  const find = (after: string | undefined, limit: number) =>
    model
      .find({ ...filter, ...order.conditionOf(after) }, projection)
      .sort(order.sort)
      .limit(limit)
      .setOptions(limit ? { batchSize: limit } : {}) // in one reply
      .lean<Row[]>();
  if (!position) return find(undefined, 0).exec();
  if (!bytesOf) return find(position.after, position.limit + 1).exec();
  return takePage(find, order, position, bytesOf);
}

/**
 * Reads rows until they fill a page, in a few replies of the database: the mean size of the rows so far says how many the
 * next reply has, within the bounds.
 */
async function takePage<Row>(
  find: (after: string | undefined, limit: number) => { exec(): Promise<Row[]> },
  order: PageOrder<Row>,
  { limit, after }: Position,
  bytesOf: (row: Row) => number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let bytes = 0;
  for (let wanted = FIRST_ROWS; ; ) {
    const asked = Math.min(wanted, limit + 1 - rows.length);
    const last = rows.at(-1);
    const reply = await find(last ? order.cursorOf(last) : after, asked).exec();
    for (const row of reply) {
      rows.push(row);
      bytes += bytesOf(row);
      if (rows.length > 1 && bytes > MAX_PAGE_BYTES) return rows;
    }
    if (reply.length < asked || rows.length > limit) return rows;
    const fitting = Math.ceil(((MAX_PAGE_BYTES - bytes) * rows.length) / bytes) + 1;
    wanted = Math.min(Math.max(fitting, FIRST_ROWS), MOST_TIMES_MORE * asked);
  }
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
