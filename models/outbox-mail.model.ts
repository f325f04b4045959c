import { type DocumentOf, defineModel, field } from './define-model.ts';

export type MailState = 'PENDING' | 'SENT' | 'FAILED';

/** A mail that is to be sent, or has been. */
const fields = {
  _id: field.number,
  to: field.string,
  toKey: field.string,
  subject: field.string,
  /** Absent once the mail is SENT or FAILED: it may hold a token. */
  text: field.optional(field.string),
  token: field.optional(field.nullable(field.string)),
  /** Absent in a mail of earlier data, which is never sent. */
  state: field.optional(field.stringOf<MailState>()),
  /** How often a process has begun to send the mail. The number names the lease of the last attempt. */
  attempts: field.optional(field.number),
  /** When the mail is due, or when the lease of an attempt under way ends. Absent unless PENDING. */
  nextAttemptAt: field.optional(field.date),
  /** The mail is useless from then on. */
  giveUpAt: field.optional(field.date),
  sentAt: field.optional(field.date),
  /** Why the last attempt failed, in the words of the transport. */
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
    [{ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS }],
  ],
});
