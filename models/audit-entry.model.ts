import { type AuditEntry, WORKSPACE_REMOVAL } from '../contract/audit.ts';
import { actor } from './actor.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** An entry of the audit log. */
const fields = {
  /** The id of the entry, in order of time. A repeated recording of an entry has the same id. */
  _id: field.string,
  at: field.date,
  /** Null for a resource that belongs to no workspace. */
  workspaceId: field.nullable(field.number),
  actor,
  via: field.stringOf<AuditEntry['via']>(),
  operation: field.string,
  resource: field.object({ type: field.string, id: field.mixed<AuditEntry['resource']['id']>() }),
  changed: field.list(field.string),
  requestId: field.nullable(field.string),
};
export type AuditEntryDocument = DocumentOf<typeof fields>;

export const AuditEntryModel = defineModel({
  name: 'AuditEntry',
  collection: 'audit_entries',
  fields,
  indexes: [
    [{ workspaceId: 1, _id: -1 }],
    [{ workspaceId: 1, 'resource.id': 1, _id: -1 }],
    // The entries of an actor: in a workspace for the list, in all workspaces for the erasure of a person.
    [{ 'actor.id': 1, 'actor.type': 1, workspaceId: 1, _id: -1 }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId', except: { operation: WORKSPACE_REMOVAL } },
    person: { renameFound: ['actor'] },
  },
});
