import { environment, isLocalDevelopment } from '../../environment/environment.ts';
import { contractOf } from '../contract-index.ts';
import { explain } from '../explain.ts';
import { parseId } from '../ids.ts';
import { unknownAction } from './call.ts';
import type { Command } from './command.ts';

/** `explain <userId> <action> <workspaceId>`: explains whether the user may call the action in the workspace. */
export const explainCommand: Command = {
  command: 'explain <userId> <action> <workspaceId>',
  description: 'Whether a user may call an action in a workspace, and why',
  async print(operator, args) {
    const userId = parseId('userId', args.userId);
    const workspaceId = parseId('workspaceId', args.workspaceId);
    const action = String(args.action);
    const contract = contractOf(action);
    if (!contract) throw new Error(unknownAction(action));
    const { users } = await operator.ask('identity.usersByIds', { ids: [userId] });
    if (!users.length) throw new Error(`There is no user ${userId}.`);
    const { role } = await operator.ask('workspaces.roleOf', { userId, workspaceId });
    const settings = { isLocalDevelopment, REGISTRATION: environment.REGISTRATION };
    const { allowed, why } = explain(contract, { userId, workspaceId, role }, settings);
    return `${allowed ? 'ALLOWED' : 'NOT ALLOWED'}  ${action}: ${why}`;
  },
};
