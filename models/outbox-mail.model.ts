import { type DocumentOf, defineModel, field } from './define-model.ts';

export type MailState = 'PENDING' | 'SENT' | 'FAILED';

/** A mail to send, or a mail whose sending has ended. */
const fields = {
  _id: field.number,
  /** Tells the mail from all others, so that a repeated call stores one mail. Absent in a mail that no call repeats. */
  key: field.optional(field.string),
  to: field.string,
  toKey: field.string,
  subject: field.string,
  /** The text, which may contain a token. Absent once the mail is SENT, but for development's outbox, and in a FAILED mail after `giveUpAt`. */
  text: field.optional(field.string),
  token: field.optional(field.nullable(field.string)),
  /** The state of the mail. */
  state: field.stringOf<MailState>(),
  /** The number of attempts to send the mail. The number identifies the lease of the last attempt. */
  attempts: field.optional(field.number),
  /** The time at which the mail is due, or the lease of an attempt in flight ends. Absent unless PENDING. */
  nextAttemptAt: field.optional(field.date),
  /** The time from which the mail is useless and no further attempt is made. */
  giveUpAt: field.optional(field.date),
  sentAt: field.optional(field.date),
  /** The transport's error message of the last failed attempt. */
  failure: field.optional(field.string),
  createdAt: field.date,
};
export type OutboxMailDocument = DocumentOf<typeof fields>;

const KEPT_SECONDS = 7 * 24 * 3600;

export const OutboxMailModel = defineModel({
  name: 'OutboxMail',
  collection: 'outbox_mails',
  fields,
  indexes: [
    [{ toKey: 1, createdAt: -1, _id: -1 }],
    [{ nextAttemptAt: 1 }, { partialFilterExpression: { nextAttemptAt: { $exists: true } } }],
    [{ state: 1, createdAt: -1, _id: -1 }],
    [{ key: 1 }, { unique: true, partialFilterExpression: { key: { $exists: true } } }],
    [{ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS }],
  ],
  lifecycle: {
    workspace: { keep: 'a mail belongs to an address, not to a workspace' },
    person: { removeByAddress: ['toKey'] },
  },
});

/** The database's name of the index that keeps keys unique. */
export const UNIQUE_MAIL_KEY = 'key_1';
