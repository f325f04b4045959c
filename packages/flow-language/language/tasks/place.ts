import type { Task } from '../../plan.ts';
import type { Context, Scope } from '../context.ts';
import type { Fields } from '../shape.ts';

/** The place of a task: its name, position, surrounding list and variables. */
export interface Place {
  name: string;
  /** JSON pointer of the task in the file. */
  path: string;
  /** The level of the task. 1 is a task of the top list. */
  level: number;
  /** The names of the tasks of the same list, to which `then` may jump. */
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

/** The fields that a kind of task has beside the fields of every task. */
export type TaskBody = WithoutBase<Task>;

/** Reads the fields of one kind of task. Returns undefined when a fault keeps the task from being planned. */
export type BodyReader = (fields: Fields, place: Place) => TaskBody | undefined;
