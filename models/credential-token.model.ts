import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The reasons why a credential has no access token. */
export type TokenFailureCode = 'TOKEN_REFUSED' | 'TOKEN_UNAVAILABLE';

/** How a client names itself to its token endpoint (RFC 6749, section 2.3.1): HTTP Basic, or fields of the form. */
export type ClientAuthentication = 'basic' | 'post';

/** An access token. All times are the database's. */
const token = field.object({
  /** A random id, which tells nothing of the token. */
  id: field.string,
  sealed: field.string,
  expiresAt: field.date,
  /** The time from which another token is fetched ahead of the expiry. */
  renewAt: field.date,
  /** Until then a server that refuses the token gets no other: the token has replaced a refused token. Null for others. */
  keepUntil: field.nullable(field.date),
});

const earlierToken = field.object({ sealed: field.string, expiresAt: field.date });

/** The right of one process to ask the token endpoint. */
const lease = field.object({ holder: field.string, until: field.date });

const failure = field.object({
  code: field.stringOf<TokenFailureCode>(),
  /** A sentence for a person, without secrets. */
  detail: field.string,
  /** Failures since the last token. */
  count: field.number,
  /** The time from which the token endpoint is asked again. */
  until: field.date,
});

/** The access token of an OAuth credential, which all processes share. */
const fields = {
  /** The credential's id. */
  _id: field.number,
  workspaceId: field.number,
  /** The number of the document's writes, from 1. */
  revision: field.number,
  /** The `secretVersion` of the credential. What another version has left does not count. */
  secretVersion: field.number,
  token: field.nullable(token),
  /** Replaced tokens that servers may still accept, the newest first. They are masked and never sent. */
  earlier: field.list(earlierToken),
  lease: field.nullable(lease),
  failure: field.nullable(failure),
  /** The kind of client authentication that the token endpoint took last. */
  authentication: field.stringOf<ClientAuthentication>(),
  /** The time from which the database may delete the document, which then has no valid token. */
  removeAt: field.date,
};
export type CredentialTokenDocument = DocumentOf<typeof fields>;

export const CredentialTokenModel = defineModel({
  name: 'CredentialToken',
  collection: 'credential_tokens',
  fields,
  indexes: [[{ removeAt: 1 }, { expireAfterSeconds: 0 }], [{ workspaceId: 1, _id: 1 }]],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'access tokens are those of a workspace' },
  },
});
