import type { ResetCounter } from '../../services/identity/contract/operations.ts';
import type { Console } from '../console.ts';
import { parseId } from '../ids.ts';
import { table } from '../table.ts';
import type { Command } from './command.ts';

/** `verify <user>`: verifies the address of a user, whose password, sessions and API keys end with it. */
export const verify: Command = {
  command: 'verify <user>',
  description: 'Verify the address of a user, by id or address; whoever used the account loses it',
  options: [
    {
      option: '--keep-password',
      description: 'you know that the owner of the address registered: the account stays as it is',
    },
  ],
  async print(operator, { user, options }) {
    const userId = await findUserId(operator, user);
    const keepPassword = options.keepPassword === true;
    const { email, mailed } = await operator.ask('identity.verifyUser', { userId, keepPassword });
    const verified = `user ${userId} (${email}) is verified`;
    if (keepPassword) return `${verified}; password, sessions and API keys stay`;
    const next = mailed
      ? 'a mail for a new password is on its way'
      : 'no mail could be stored: the user asks for a new password by POST /auth/password/forgot';
    return `${verified}; the password, all sessions and API keys have ended, and ${next}`;
  },
};

/** `unlock <user>`: resets the counters of attempts to sign in to the account. */
export const unlock: Command = {
  command: 'unlock <user>',
  description: 'Let a user try again to sign in, by id or address; says what was locked',
  options: [
    {
      option: '--address <ip>',
      description: 'reset the counters of this client address too, for all accounts',
    },
  ],
  async print(operator, { user, options: { address } }) {
    const userId = await findUserId(operator, user);
    const { counters } = await operator.ask('identity.unlockUser', {
      userId,
      ...(address === undefined ? {} : { address: String(address) }),
    });
    return showUnlocked(userId, counters);
  },
};

/** Formats the reset counters. Pure, for tests. */
export function showUnlocked(userId: number, counters: readonly ResetCounter[]): string {
  if (!counters.length) return `user ${userId} was not locked: no attempt was counted`;
  const isLocked = counters.some(({ locked }) => locked);
  const rows = counters.map(({ of, attempts, locked }) => [of, attempts, locked ? 'yes' : 'no']);
  return [
    isLocked
      ? `user ${userId} is unlocked`
      : `user ${userId} was not locked; the counters are reset`,
    table(['attempts from', 'counted', 'locked'], rows),
  ].join('\n');
}

/** Finds the user by a typed id or e-mail address. */
async function findUserId(operator: Console, typed: unknown): Promise<number> {
  const text = String(typed);
  if (!text.includes('@')) return parseId('user', typed);
  const { user } = await operator.ask('identity.userByEmail', { email: text });
  if (!user) throw new Error(`There is no user with the address ${text}.`);
  return user.id;
}
