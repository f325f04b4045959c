import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A network from which somebody signed in to the account. */
const knownNetworkFields = {
  hash: field.string,
  /** When the network was stored last: at most a day before the last sign-in from it. */
  at: field.date,
};
export type KnownNetwork = DocumentOf<typeof knownNetworkFields>;
const knownNetwork = field.object(knownNetworkFields);

const fields = {
  _id: field.number,
  /** The address as its owner writes it. */
  email: field.string,
  /** The address as it is compared. No two users share one. A tombstone has a text that is no address. */
  emailKey: field.string,
  emailVerified: field.boolean,
  firstName: field.string,
  lastName: field.string,
  /** argon2id; null for a directory entry, whose person has not registered. */
  passwordHash: field.nullable(field.string),
  /** Sessions of an earlier epoch have ended: one update ends them all. Absent for 0. */
  sessionEpoch: field.optional(field.number),
  /** Reset tokens of another epoch have ended: a takeover by mail ends them all. Absent for 0. */
  resetEpoch: field.optional(field.number),
  /** The newest first. Sign-ins from them are limited apart from those of strangers. */
  knownNetworks: field.optional(field.list(knownNetwork)),
  /** When the expiry sweep looks at the account. Absent in a verified account and in a directory entry. */
  unverifiedUntil: field.optional(field.date),
  /** Set when the account is about to be deleted and refuses sign-ins. Verification opens it again. */
  closedAt: field.optional(field.date),
  createdBy: actor,
  createdAt: field.date,
  ...changedFields,
};
export type UserDocument = DocumentOf<typeof fields>;

export const UserModel = defineModel({
  name: 'User',
  collection: 'users',
  fields,
  indexes: [
    outboxIndex,
    [{ emailKey: 1 }, { unique: true }],
    [{ unverifiedUntil: 1 }],
    [{ closedAt: 1 }, { partialFilterExpression: { closedAt: { $exists: true } } }],
  ],
});

/** The index that keeps addresses unique, as the database names it. */
export const UNIQUE_EMAIL = 'emailKey_1';
