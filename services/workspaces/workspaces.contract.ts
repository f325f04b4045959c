import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { auditActions } from './contract/audit.ts';
import { invitationActions } from './contract/invitations.ts';
import { publishEventsAction } from '../../contract/publish-events.ts';
import { lookupActions } from './contract/lookups.ts';
import { memberActions } from './contract/members.ts';
import { workspaceActions } from './contract/workspaces.ts';

export const workspacesContract = defineContract(
  'workspaces',
  'Workspaces, their members and what each of them may do',
  {
    ...workspaceActions,
    ...memberActions,
    ...invitationActions,
    ...auditActions,
    ...lookupActions,
    publishEvents: publishEventsAction,
    ...lifecycleActions,
  },
);
