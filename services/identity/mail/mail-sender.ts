import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import { logger } from '../../../support/logging.ts';
import { PermanentMailError } from './mail-failure.ts';
import type { MailTransport, OutgoingMail } from './mail-transport.ts';

/** Mails that one process sends at once. Further mails wait in the outbox. */
const CONCURRENCY = 4;
/** Milliseconds that one attempt may take; beyond it the attempt counts as failed. */
const SEND_TIMEOUT_MS = 30_000;
/** Milliseconds of a mail's lease: one attempt and a minute of clock skew. Beyond them another process may lease the mail. */
const LEASE_MS = SEND_TIMEOUT_MS + 60_000;
/** Milliseconds of backoff after the first failed attempt, doubled by each further one. */
const FIRST_BACKOFF_MS = 15_000;
/** Milliseconds of the longest backoff. Further failures do not increase the backoff. */
const MAX_BACKOFF_MS = 3600 * 1000;
/** Characters of a transport's error that are stored; the rest is cut off. */
const MAX_FAILURE = 300;

/** A mail with the lease of one attempt: `attempts` names the lease. */
interface LeasedMail extends OutgoingMail {
  attempts: number;
  giveUpAt: Date;
}

/**
 * Sends the mails of the outbox, each at least once. One conditional update leases a mail to a process for
 * an attempt, so that of several processes one sends it. A mail is sent twice only when a process ends, or
 * its database goes away, after the transport has accepted the mail and before that is written.
 */
export class MailSender {
  readonly #transport: MailTransport;
  #workers = 0;
  #wakes = 0;

  constructor(transport: MailTransport) {
    this.#transport = transport;
  }

  /** Starts a worker that sends due mails, unless `CONCURRENCY` workers are running. */
  wake(): void {
    this.#wakes++;
    if (this.#workers >= CONCURRENCY) return;
    this.#workers++;
    this.#sendDue()
      .catch((error: unknown) => {
        if (!isDatabaseAway(error)) logger.error({ err: error }, 'The mail outbox failed');
      })
      .finally(() => {
        this.#workers--;
      });
  }

  /** Sends due mails. A wake during the last query causes another query. */
  async #sendDue(): Promise<void> {
    for (;;) {
      const wakes = this.#wakes;
      const mail = await leaseMail();
      if (mail) {
        this.wake(); // another worker sends the next due mail
        await this.#send(mail);
      } else if (wakes === this.#wakes) return;
    }
  }

  async #send(mail: LeasedMail): Promise<void> {
    try {
      await sendInTime(this.#transport, mail);
    } catch (error) {
      return postpone(mail, error);
    }
    await endLease(mail, { state: 'SENT', sentAt: new Date() }, !this.#transport.keepsText);
  }
}

/** Leases the mail with the earliest due time; null when no mail is due. */
async function leaseMail(): Promise<LeasedMail | null> {
  for (;;) {
    const now = new Date();
    const mail = await OutboxMailModel.findOneAndUpdate(
      { nextAttemptAt: { $lte: now } },
      { $set: { nextAttemptAt: new Date(now.getTime() + LEASE_MS) }, $inc: { attempts: 1 } },
      { sort: { nextAttemptAt: 1 }, returnDocument: 'after' },
    )
      .lean()
      .exec();
    if (!mail) return null;
    const { _id: id, to, subject, text = '', attempts = 1, giveUpAt = now } = mail;
    const leased = { id, to, subject, text, attempts, giveUpAt };
    if (giveUpAt > now) return leased;
    await giveUp(leased, mail.failure ?? 'no process sent the mail in time');
  }
}

/** Sends a mail. The signal ends the attempt's connection, so that no attempt outlives its lease. */
async function sendInTime(transport: MailTransport, mail: LeasedMail): Promise<void> {
  const aborting = new AbortController();
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`the mail server did not answer within ${SEND_TIMEOUT_MS} ms`);
    aborting.abort(error);
    reject(error);
  }, SEND_TIMEOUT_MS);
  timer.unref();
  try {
    await Promise.race([transport.send(mail, aborting.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Schedules the next attempt. Ends the mail as FAILED after a permanent failure, and when the attempt would come after
 * `giveUpAt`.
 */
async function postpone(mail: LeasedMail, error: unknown): Promise<void> {
  const failure = String((error as Error)?.message ?? error).slice(0, MAX_FAILURE);
  const nextAttemptAt = new Date(Date.now() + backoff(mail.attempts));
  const isLast = error instanceof PermanentMailError || nextAttemptAt >= mail.giveUpAt;
  if (isLast) return giveUp(mail, failure);
  await OutboxMailModel.updateOne(ofLease(mail), { $set: { nextAttemptAt, failure } });
}

/** Milliseconds until the next attempt: exponential, with jitter of up to one half. */
function backoff(attempts: number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1));
  return full * (0.5 + Math.random() / 2);
}

/** Ends the mail as FAILED. Its text stays until `giveUpAt`, so that an operator can send the mail again. */
async function giveUp(mail: LeasedMail, failure: string): Promise<void> {
  await endLease(mail, { state: 'FAILED', failure }, mail.giveUpAt <= new Date());
  const { id: mailId, subject, attempts } = mail;
  logger.warn({ mailId, subject, attempts, failure }, 'A mail was given up');
}

/** Ends the work on a mail; its text goes with `dropsText`. Changes nothing after another process's lease. */
async function endLease(
  mail: LeasedMail,
  end: { state: 'SENT'; sentAt: Date } | { state: 'FAILED'; failure: string },
  dropsText: boolean,
): Promise<void> {
  await OutboxMailModel.updateOne(ofLease(mail), {
    $set: end,
    $unset: { nextAttemptAt: 1, ...(dropsText ? { text: 1, token: 1 } : {}) },
  });
}

const ofLease = ({ id, attempts }: LeasedMail) => ({ _id: id, attempts });
