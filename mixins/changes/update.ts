import type { mongo } from 'mongoose';
import type { ChangedDocument, OutboxEntry } from '../../models/changed-document.ts';
import type { AuditedResource, OutboxMessage } from './outbox.ts';

/** The fields that a change sets and unsets, and its messages. The store sets `updatedAt` and `revision`. */
export interface Update<T> {
  set?: Partial<Omit<T, '_id' | 'revision' | 'updatedAt' | 'outbox' | 'removedAt'>>;
  unset?: readonly (keyof T & string)[];
  /** Elements that are added to lists which lack them. */
  addToSet?: ElementsOf<T>;
  /** Elements that are taken from lists. */
  pull?: ElementsOf<T>;
  messages?: readonly OutboxMessage[];
  /** The fields that the audit log names; those of `set` and `unset` that are not hidden, unless given. */
  changed?: readonly string[];
  /** The resource that the audit log names, where that is not the document. */
  resource?: AuditedResource;
}

/** An element for each field that is a list. */
type ElementsOf<T> = {
  [K in keyof T as NonNullable<T[K]> extends readonly unknown[] ? K : never]?: NonNullable<
    T[K]
  > extends readonly (infer E)[]
    ? E
    : never;
};

/** The fields that an update writes. */
export const fieldsOf = <T>({ set, unset = [], addToSet, pull }: Update<T>): string[] => [
  ...Object.keys({ ...set }),
  ...unset,
  ...Object.keys({ ...addToSet, ...pull }),
];

/** The update as MongoDB takes it, with the next revision and the entries of the outbox. */
export const operatorsOf = <T>(
  { set, unset = [], addToSet, pull }: Update<T>,
  at: Date,
  entries: readonly OutboxEntry[],
): mongo.UpdateFilter<ChangedDocument> =>
  ({
    $set: { ...set, updatedAt: at },
    $inc: { revision: 1 },
    ...(unset.length ? { $unset: Object.fromEntries(unset.map((name) => [name, ''])) } : {}),
    ...(addToSet ? { $addToSet: addToSet } : {}),
    ...(pull ? { $pull: pull } : {}),
    ...(entries.length ? { $push: { outbox: { $each: entries } } } : {}),
  }) as mongo.UpdateFilter<ChangedDocument>;
