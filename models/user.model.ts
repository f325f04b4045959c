import type { Via } from '../contract/audit.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A network of a sign-in to the account. */
const knownNetworkFields = {
  hash: field.string,
  /** The time of the last write of the network, at most a day before the last sign-in from the network. */
  at: field.date,
};
export type KnownNetwork = DocumentOf<typeof knownNetworkFields>;
const knownNetwork = field.object(knownNetworkFields);

/** A deletion that was decided: the actor and the request of the deletion. */
const deletionFields = {
  at: field.date,
  actor,
  via: field.stringOf<Via>(),
  operation: field.string,
  requestId: field.nullable(field.string),
  /** The time at which the person's data were erased. Absent while the memberships end. */
  erasedAt: field.optional(field.date),
};
export type UserDeletion = DocumentOf<typeof deletionFields>;

/** A verified address that stays the account's until the present address is verified. */
const verifiedEmailFields = { email: field.string, emailKey: field.string };
export type VerifiedEmail = DocumentOf<typeof verifiedEmailFields>;

/** A verified address that the account has changed. The link that was mailed to the address restores it. */
const changedEmailFields = {
  ...verifiedEmailFields,
  /** The time of the first change of the address. The links name it. */
  since: field.date,
  /** The time from which the last link no longer counts, and another account may take the address. */
  until: field.date,
};
export type ChangedEmail = DocumentOf<typeof changedEmailFields>;

const fields = {
  _id: field.number,
  /** The address in its owner's spelling. */
  email: field.string,
  /** The address in the form for comparisons, unique among users. A tombstone has a text that is no address. */
  emailKey: field.string,
  emailVerified: field.boolean,
  /** Absent while `email` is verified, and in an account without any verified address before. */
  verifiedEmail: field.optional(field.object(verifiedEmailFields)),
  /** The changed addresses that a mailed link restores, in the order of their changes. */
  changedEmails: field.optional(field.list(field.object(changedEmailFields))),
  /** The keys of all addresses above. No two users have a key in common. */
  emailKeys: field.optional(field.list(field.string)),
  firstName: field.string,
  lastName: field.string,
  /** The argon2id hash; null for a directory entry, whose person has not registered. */
  passwordHash: field.nullable(field.string),
  /** The epoch of valid sessions. Sessions of an earlier epoch have ended. Absent for 0. */
  sessionEpoch: field.optional(field.number),
  /** The epoch of valid reset tokens, raised by a takeover by mail. Reset tokens of another epoch have ended. Absent for 0. */
  resetEpoch: field.optional(field.number),
  /** The networks of recent sign-ins, newest first. Each known network has a sign-in limit of its own. */
  knownNetworks: field.optional(field.list(knownNetwork)),
  /** The time from which the expiry sweep checks the account. Absent in a verified account and in a directory entry. */
  unverifiedUntil: field.optional(field.date),
  /** The time since which the account refuses sign-ins before its deletion. Verification of the address reopens the account. */
  closedAt: field.optional(field.date),
  /** The session that the change of an epoch left alive: valid with this id while the epoch is the present one. */
  carriedSession: field.optional(field.object({ id: field.string, epoch: field.number })),
  /** The times of the person's own changes of the address within the last hour. */
  addressChanges: field.optional(field.list(field.date)),
  /** The addresses that the user has given up, as `emailKey` makes them, newest last. The deletion erases them too. */
  formerEmailKeys: field.optional(field.list(field.string)),
  /** The deletion of the user, from its decision to the end of the erasure. */
  deletion: field.optional(field.object(deletionFields)),
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
    [{ emailKeys: 1 }, { unique: true, partialFilterExpression: { emailKeys: { $exists: true } } }],
    [{ unverifiedUntil: 1 }],
    [{ 'deletion.at': 1 }, { partialFilterExpression: { 'deletion.at': { $exists: true } } }],
    [{ closedAt: 1 }, { partialFilterExpression: { closedAt: { $exists: true } } }],
  ],
  lifecycle: {
    workspace: { keep: 'a user belongs to no workspace' },
    person: { rename: ['createdBy', 'deletion.actor'] },
  },
});

/** The database's names of the indexes that keep addresses unique. */
export const UNIQUE_EMAILS = ['emailKey_1', 'emailKeys_1'] as const;
