import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

export const AUTH_TYPES = [
  'NONE',
  'BASIC',
  'BEARER',
  'API_KEY',
  'OAUTH2_CLIENT_CREDENTIALS',
] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** Work on the credential that excludes other work until it ends. `token` names the worker. */
const hold = field.object({
  token: field.string,
  /** The time of the database's clock from which the hold no longer counts: its worker has crashed. */
  until: field.date,
});

const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  authType: field.stringOf<AuthType>(),
  /** The origins (scheme, host and port) that the secret may be sent to. Empty only for the type `NONE`. */
  allowedOrigins: field.list(field.string),
  /** The secret as JSON, sealed with the data key of the workspace (`services/connections/envelope/`); null for `NONE`. */
  sealedSecret: field.nullable(field.string),
  /** The number of the secret, raised by each new one. Access tokens of an older secret no longer count. */
  secretVersion: field.number,
  /** Writers of references that are under way: none deletes the credential meanwhile. Absent before the first one. */
  reservations: field.optional(field.list(hold)),
  /** The deletion that is under way: nobody references the credential anew meanwhile. */
  deletion: field.optional(hold),
  createdAt: field.date,
  /** The time of the last stored use. At most one use a minute is stored. */
  lastUsedAt: field.nullable(field.date),
  ...changedFields,
};
export type AuthCredentialDocument = DocumentOf<typeof fields>;

export const AuthCredentialModel = defineModel({
  name: 'AuthCredential',
  collection: 'auth_credentials',
  fields,
  indexes: [outboxIndex, [{ workspaceId: 1, _id: 1 }]],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'credentials name no person' },
  },
});
