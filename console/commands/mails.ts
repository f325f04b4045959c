import type { FailedMail } from '../../services/identity/contract/outbox.ts';
import { parseId } from '../ids.ts';
import { table } from '../table.ts';
import type { Command } from './command.ts';

/** `mails` lists the mails that were given up. */
export const mails: Command = {
  command: 'mails',
  description: 'List the mails that were given up, newest first',
  options: [{ option: '--limit <limit>', description: 'how many, 1 to 1000 (20)' }],
  async print(operator, { options }) {
    const limit = String(options.limit ?? 20);
    const { items } = await operator.ask('identity.listFailedMails', { limit });
    return showMails(items);
  },
};

/** Formats the failed mails. Pure, for tests. */
export const showMails = (items: readonly FailedMail[]): string =>
  items.length
    ? table(
        ['mail', 'to', 'subject', 'attempts', 'created', 'failure'],
        items.map((mail) => [
          mail.id,
          mail.to,
          mail.subject,
          mail.attempts,
          mail.createdAt,
          mail.failure,
        ]),
      )
    : 'no failed mails';

/** `resend <id>`: sends a failed mail again. */
export const resend: Command = {
  command: 'resend <id>',
  description: 'Send a mail again that was given up',
  async print(operator, args) {
    const mailId = parseId('id', args.id);
    await operator.ask('identity.resendMail', { mailId });
    return `mail ${mailId} is sent again; if that fails for good, \`mails\` lists it again`;
  },
};
