import { defineContract } from '../../contract/contract.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { apiKeyActions } from './contract/api-keys.ts';
import { authenticationActions } from './contract/authentication.ts';
import { emailDomainActions } from './contract/email-domains.ts';
import { invitationActions } from './contract/invitations.ts';
import { lookupActions } from './contract/lookups.ts';
import { operatorActions } from './contract/operations.ts';
import { outboxActions } from './contract/outbox.ts';
import { serviceAccountActions } from './contract/service-accounts.ts';
import { sessionActions } from './contract/sessions.ts';
import { tokenActions } from './contract/token.ts';
import { userActions } from './contract/users.ts';

export const identityContract = defineContract(
  'identity',
  'Users, their sessions, and the service accounts and API keys of workspaces',
  {
    ...authenticationActions,
    ...sessionActions,
    ...userActions,
    ...apiKeyActions,
    ...serviceAccountActions,
    ...tokenActions,
    ...invitationActions,
    ...emailDomainActions,
    ...lookupActions,
    ...outboxActions,
    ...operatorActions,
    ...lifecycleActions,
  },
);
