import { positionInTime, positionOf } from './page-position.ts';
import { cursorOf } from './pages.ts';

/** The order of a list. A cursor holds the values of the fields that order the list. */
export interface PageOrder<Row> {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** The condition of the rows after a cursor. The cursor of another list is answered 400. */
  readonly conditionOf: (after: string | undefined) => object;
  readonly cursorOf: (row: Row) => string;
}

type Numbered<K extends string> = Readonly<Record<K, number>>;

/** Orders a list by a field of positive numbers that no two rows of the list share, lowest first. */
export const ascendingBy = <K extends string>(field: K): PageOrder<Numbered<K>> => ({
  sort: { [field]: 1 },
  conditionOf: (after) => ({ [field]: { $gt: positionOf({ after }) } }),
  cursorOf: (row) => cursorOf(row[field]),
});

/** Orders a list by a field of positive numbers that no two rows of the list share, highest first. */
export const descendingBy = <K extends string>(field: K): PageOrder<Numbered<K>> => ({
  sort: { [field]: -1 },
  conditionOf(after) {
    const position = positionOf({ after });
    return position > 0 ? { [field]: { $lt: position } } : {};
  },
  cursorOf: (row) => cursorOf(row[field]),
});

/** A list's order by creation time, newest first; rows of the same time by id. */
const newestFirstOf = <Id extends number | string>(
  idType: 'number' | 'string',
): PageOrder<{ readonly createdAt: Date; readonly _id: Id }> => ({
  sort: { createdAt: -1, _id: -1 },
  conditionOf(after) {
    const position = positionInTime({ after }, idType);
    if (!position) return {};
    const { time: createdAt, id } = position;
    return {
      createdAt: { $lte: createdAt }, // bounds the index, which `$or` alone does not
      $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }],
    };
  },
  cursorOf: ({ createdAt, _id }) => cursorOf(createdAt.getTime(), _id),
});

/** Orders a list of rows with numbers as ids by creation time, newest first. */
export const newestFirst = newestFirstOf<number>('number');
/** Orders a list of rows with texts as ids by creation time, newest first. */
export const newestFirstByText = newestFirstOf<string>('string');
