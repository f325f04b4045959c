import { asConsole } from '../../contract/caller.ts';
import { parseId } from '../ids.ts';
import type { Command } from './command.ts';

/** `caller <userId>`: makes the following calls as that user, with that user's rights. */
export const actAs: Command = {
  command: 'caller [userId]',
  description: 'Act as a user from here on; `caller console` as the console again',
  async print(operator, { userId: typed }) {
    if (typed === undefined) return `calls go out as ${nameOf(operator.caller)}`;
    if (typed === 'console') operator.caller = asConsole.meta.caller;
    else {
      const userId = parseId('userId', typed);
      const { users } = await operator.ask('identity.usersByIds', { ids: [userId] });
      const [user] = users;
      if (!user) throw new Error(`There is no user ${userId}.`);
      const name = `${user.firstName} ${user.lastName}`.trim();
      // The caller has no session, so that "end all other sessions" ends every session of the user.
      operator.caller = Object.freeze({ kind: 'person', userId, name, sessionId: '' });
    }
    return `calls go out as ${nameOf(operator.caller)}`;
  },
};

const nameOf = (caller: { kind: string; userId?: number; name?: string }): string =>
  caller.kind === 'person' ? `user ${caller.userId} (${caller.name})` : 'the operator console';
