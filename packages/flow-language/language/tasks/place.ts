import type { Task } from '../../plan.ts';
import type { Context, Scope } from '../context.ts';
import type { Fields } from '../shape.ts';

/** Where a task stands: all that its own text doesn't say. */
export interface Place {
  name: string;
  /** JSON pointer of the task in the file. */
  path: string;
  /** 1 for a task of the top list. */
  level: number;
  /** The names of its list: what `then` may say. */
  siblings: ReadonlySet<string>;
  scope: Scope;
  context: Context;
}

type BaseKey =
  | 'name'
  | 'path'
  | 'if'
  | 'inputFrom'
  | 'outputAs'
  | 'exportAs'
  | 'timeoutMs'
  | 'then';

type WithoutBase<T> = T extends Task ? Omit<T, BaseKey> : never;

/** What a kind of task adds to what all tasks have. */
export type TaskBody = WithoutBase<Task>;

/** Reads what is special to one kind; undefined when a fault leaves nothing to plan. */
export type BodyReader = (fields: Fields, place: Place) => TaskBody | undefined;
