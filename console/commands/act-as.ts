import { asConsole, nameOfCaller } from '../../contract/caller.ts';
import type { Console } from '../console.ts';
import { parseId } from '../ids.ts';
import type { Command } from './command.ts';

/** `caller <userId>`: makes the following calls as that user, with that user's rights. */
export const actAs: Command = {
  command: 'caller [userId]',
  description: 'Act as a user from here on; `caller console` as the console again',
  async print(operator, { userId: typed }) {
    if (typed === 'console') operator.setCaller(asConsole.meta.caller);
    else if (typed !== undefined) await actAsUser(operator, parseId('userId', typed));
    const { caller } = operator;
    const name = caller.kind === 'person' ? ` (${caller.name})` : '';
    return `calls go out as ${nameOfCaller(caller)}${name}`;
  },
};

async function actAsUser(operator: Console, userId: number): Promise<void> {
  const { users } = await operator.ask('identity.usersByIds', { ids: [userId] });
  const [user] = users;
  if (!user) throw new Error(`There is no user ${userId}.`);
  const name = `${user.firstName} ${user.lastName}`.trim();
  // The caller has no session, so that "end all other sessions" ends every session of the user.
  operator.setCaller(Object.freeze({ kind: 'person', userId, name, sessionId: '' }));
}
