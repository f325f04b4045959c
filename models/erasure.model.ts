import type { Model } from 'mongoose';
import { SERVICE_NAMES, type ServiceName } from '../environment/process.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

export type ErasureKind = 'workspace' | 'person';

/** The removal of what a service stores of a deleted workspace or person. It is deleted once it is complete. */
const fields = {
  /** `workspace/<id>` or `person/<id>`. */
  _id: field.string,
  kind: field.stringOf<ErasureKind>(),
  /** The id of the workspace or the person. */
  targetId: field.number,
  /** The addresses of the person, as `emailKey` makes them; empty for a workspace. */
  addresses: field.list(field.string),
  requestedAt: field.date,
  /** The number of the pass, from 0. Each pass looks at every collection. */
  pass: field.number,
  /** The name of the step within the pass; null for the first step. */
  step: field.nullable(field.string),
  /** The id of the last document that the step has looked at; null at the beginning of a step. */
  after: field.nullable(field.mixed<number | string>()),
  /** The time at which the next work is due, or the lease of a process ends. */
  dueAt: field.date,
  /** The lease of the process that works on the erasure; null without such a process. */
  lease: field.nullable(field.string),
  /** The number of failures in a row. */
  failures: field.number,
};
export type ErasureDocument = DocumentOf<typeof fields>;

const modelOf = (service: ServiceName): Model<ErasureDocument> =>
  defineModel({
    name: `${service}Erasure`,
    collection: `${service.replaceAll('-', '_')}_erasures`,
    fields,
    indexes: [[{ dueAt: 1 }]],
    lifecycle: {
      workspace: { keep: 'an erasure is deleted once it is complete' },
      person: { keep: 'an erasure is deleted once it is complete' },
    },
  });

/** The erasures of each service, in a collection of its own. */
export const ERASURES: Readonly<Record<ServiceName, Model<ErasureDocument>>> = Object.fromEntries(
  SERVICE_NAMES.map((service) => [service, modelOf(service)]),
) as Record<ServiceName, Model<ErasureDocument>>;
