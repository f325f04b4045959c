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

/** A writer of references to the credential. While it holds, the credential is not deleted. */
const reservation = field.object({
  token: field.string,
  /** The time from which the reservation no longer counts: its writer has crashed. */
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
  /** Writers of references that are under way. Absent before the first reservation. */
  reservations: field.optional(field.list(reservation)),
  /** The time at which a deletion began. For a while the credential cannot be referenced anew. */
  deletingAt: field.optional(field.date),
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
