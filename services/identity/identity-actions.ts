import { asSystem } from '../../contract/caller.ts';
import { environment } from '../../environment/environment.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import type { Erasures } from '../../mixins/lifecycle/erasures.ts';
import { type Ctx, implement } from '../contracts.ts';
import { apiKeys } from './api-keys/api-keys.store.ts';
import { listApiKeys, revokeApiKey } from './api-keys/api-keys.ts';
import { authenticateKey } from './api-keys/authenticate-key.ts';
import { createApiKey } from './api-keys/create-key.ts';
import { mailKeysOfFormerMembers } from './api-keys/keys-of-former-member.ts';
import { rotateApiKey } from './api-keys/rotate-key.ts';
import { type CallContext, callContextOf } from './call-context.ts';
import { emailDomains } from './email-domains/email-domains.store.ts';
import {
  createEmailDomain,
  listEmailDomains,
  removeEmailDomain,
  showEmailDomain,
  updateEmailDomain,
  type WorkspaceExists,
} from './email-domains/email-domains.ts';
import { verifyByOperator } from './email-verification/verify-by-operator.ts';
import { verifyEmail } from './email-verification/verify-email.ts';
import { identityContract } from './identity.contract.ts';
import { mailInvitations } from './invitations/invitation-mail.ts';
import { readInvitationToken } from './invitations/invitation-token.ts';
import { verifyInvited } from './invitations/verify-invited.ts';
import { listFailedMails, resendMail } from './mail/failed-mails.ts';
import { mailSwitchedOff } from './mail/switched-off-mail.ts';
import { listOutbox } from './mail/outbox.ts';
import { changePassword } from './passwords/change-password.ts';
import { forgotPassword } from './passwords/forgot-password.ts';
import { resetPassword } from './passwords/reset-password.ts';
import type { AccountContext } from './service-accounts/account-context.ts';
import {
  removeServiceAccount,
  rotateSecret,
  updateServiceAccount,
} from './service-accounts/change-account.ts';
import { createServiceAccount } from './service-accounts/create-account.ts';
import { findRoleOfAccount } from './service-accounts/find-account.ts';
import { issueToken } from './service-accounts/issue-token.ts';
import type { ExternalTokens } from './service-accounts/provider/external-token.ts';
import type { IdentityProvider } from './service-accounts/provider/identity-provider.ts';
import { serviceAccounts } from './service-accounts/service-accounts.store.ts';
import { listServiceAccounts, showServiceAccount } from './service-accounts/show-account.ts';
import { authenticate } from './sessions/authenticate.ts';
import { endSession, listSessions } from './sessions/own-sessions.ts';
import { refreshSession } from './sessions/refresh-session.ts';
import { signIn } from './sessions/sign-in.ts';
import { signOut } from './sessions/sign-out.ts';
import { unlockUser } from './sessions/unlock-user.ts';
import { publicKeys } from './sessions/signing-keys.ts';
import { showCaller } from './show-caller.ts';
import { handleAddressChanges } from './users/address-changed.ts';
import { deleteUser } from './users/deletion/delete-user.ts';
import { membershipsOf } from './users/deletion/memberships.ts';
import type { EntryQuota } from './users/entry-quota.ts';
import { register } from './users/register.ts';
import { undoAddressChange } from './users/undo-address-change.ts';
import { updateUser } from './users/update-user.ts';
import {
  createUser,
  findAccess,
  findUsers,
  findUserWithEmail,
  getCallingUser,
  isOwnAddress,
  showKnownUser,
  showUser,
} from './users/users.ts';

/** The parts of the service that its actions share. */
type IdentityParts = Pick<CallContext, 'limits' | 'mails'> & {
  provider: IdentityProvider;
  erasures: Erasures;
  entryQuota: EntryQuota;
  /** The access tokens of another identity provider; null without one. */
  external: ExternalTokens | null;
};

/** The actions of the service `identity`, made with the sign-in limits and the mail outbox. */
export function identityActions(parts: IdentityParts) {
  const callOf = (ctx: Ctx): CallContext => callContextOf(ctx, parts);
  const accountContextOf = (ctx: Ctx): AccountContext => ({
    ...callOf(ctx),
    provider: parts.provider,
    quota: environment.SERVICE_ACCOUNTS_PER_WORKSPACE,
    role: ctx.locals.role,
  });
  return implement(
    identityContract,
    {
      ...parts.erasures.handlers,
      register: (ctx) => register(ctx.params, callOf(ctx)),
      signIn: (ctx) => signIn(ctx.params, callOf(ctx)),
      refresh: (ctx) => refreshSession(ctx.params.refreshToken, callOf(ctx)),
      signOut: (ctx) => withoutResult(signOut(ctx.params.refreshToken, callOf(ctx))),
      listSessions: (ctx) => listSessions(ctx.params, callOf(ctx)),
      endSession: (ctx) => withoutResult(endSession(ctx.params.sessionId, callOf(ctx))),
      me: (ctx) => showCaller(ctx),
      changePassword: (ctx) => withoutResult(changePassword(ctx.params, callOf(ctx))),
      async forgotPassword(ctx) {
        await forgotPassword(ctx.params.email, callOf(ctx));
        return null;
      },
      resetPassword: (ctx) => withoutResult(resetPassword(ctx.params, callOf(ctx))),
      verifyEmail: (ctx) => withoutResult(verifyEmail(ctx.params, callOf(ctx))),
      undoAddressChange: (ctx) => withoutResult(undoAddressChange(ctx.params.token, callOf(ctx))),
      jwks: () => ({ keys: publicKeys() }),

      getUser: async (ctx) => showUser(await getCallingUser(ctx.meta.caller)),
      updateUser: (ctx) => updateUser(ctx.params, callOf(ctx)),
      removeUser: (ctx) =>
        withoutResult(deleteUser(ctx.params.id, callOf(ctx), membershipsOf(ctx.broker))),
      createUser: async (ctx) => {
        await parts.entryQuota.admit(ctx.meta.caller);
        return showUser(await createUser(ctx.params, changeOf(ctx)));
      },

      createApiKey: (ctx) => createApiKey(ctx.params, changeOf(ctx), callOf(ctx)),
      listApiKeys: (ctx) => listApiKeys(ctx.params),
      rotateApiKey: (ctx) =>
        rotateApiKey(ctx.locals.resource, ctx.params.graceMs, changeOf(ctx), callOf(ctx)),
      revokeApiKey: (ctx) =>
        withoutResult(revokeApiKey(ctx.locals.resource, changeOf(ctx), callOf(ctx))),

      createServiceAccount: (ctx) =>
        createServiceAccount(ctx.params, changeOf(ctx), accountContextOf(ctx)),
      listServiceAccounts: (ctx) => listServiceAccounts(ctx.params),
      getServiceAccount: (ctx) => showServiceAccount(ctx.locals.resource),
      updateServiceAccount: (ctx) =>
        updateServiceAccount(ctx.locals.resource, ctx.params, changeOf(ctx)),
      removeServiceAccount: (ctx) =>
        withoutResult(
          removeServiceAccount(ctx.locals.resource, changeOf(ctx), accountContextOf(ctx)),
        ),
      rotateServiceAccountSecret: (ctx) =>
        rotateSecret(ctx.locals.resource, changeOf(ctx), accountContextOf(ctx)),
      token: (ctx) =>
        issueToken(ctx.params, { ...callOf(ctx), issuer: parts.external?.issuer ?? null }),
      roleOfServiceAccount: async (ctx) => ({
        role: await findRoleOfAccount(ctx.params.accountId, ctx.params.workspaceId),
      }),

      createEmailDomain: (ctx) =>
        createEmailDomain(ctx.params, changeOf(ctx), workspaceExists(ctx)),
      listEmailDomains: (ctx) => listEmailDomains(ctx.params),
      getEmailDomain: (ctx) => showEmailDomain(ctx.locals.resource),
      updateEmailDomain: (ctx) =>
        updateEmailDomain(ctx.locals.resource, ctx.params, changeOf(ctx), workspaceExists(ctx)),
      removeEmailDomain: (ctx) =>
        withoutResult(removeEmailDomain(ctx.locals.resource, changeOf(ctx))),

      authenticate: async (ctx) => ({
        caller: await authenticate(ctx.params.token, parts.external),
      }),
      authenticateKey: async (ctx) => ({ caller: await authenticateKey(ctx.params.key) }),
      accessToUser: (ctx) => findAccess(ctx.params.userId, ctx.params.subjectId),
      isOwnAddress: async (ctx) => ({
        own: await isOwnAddress(ctx.params.userId, ctx.params.email),
      }),
      usersByIds: async (ctx) => ({ users: (await findUsers(ctx.params.ids)).map(showKnownUser) }),
      userByEmail: async (ctx) => ({ user: await findUserWithEmail(ctx.params.email) }),
      addressChanged: (ctx) => withoutResult(handleAddressChanges(ctx.params.entries, parts.mails)),
      memberLeft: (ctx) => withoutResult(mailKeysOfFormerMembers(ctx.params.entries, parts.mails)),
      subscriptionSwitchedOff: (ctx) =>
        withoutResult(mailSwitchedOff(ctx.params.entries, parts.mails)),

      mailInvitation: (ctx) => withoutResult(mailInvitations(ctx.params.entries, parts.mails)),
      readInvitationToken: (ctx) => ({ ticket: readInvitationToken(ctx.params.token) }),
      verifyInvited: (ctx) => withoutResult(verifyInvited(ctx.params.entries)),

      listOutbox: (ctx) => listOutbox(ctx.params),
      listFailedMails: (ctx) => listFailedMails(ctx.params),
      verifyUser: (ctx) => verifyByOperator(ctx.params, changeOf(ctx), callOf(ctx)),
      unlockUser: (ctx) => unlockUser(ctx.params, callOf(ctx)),
      resendMail: (ctx) => withoutResult(resendMail(ctx.params.mailId, parts.mails)),
    },
    {
      'API key': apiKeys.find,
      'service account': serviceAccounts.find,
      'e-mail domain': emailDomains.find,
    },
  );
}

const workspaceExists =
  (ctx: Pick<Ctx, 'call'>): WorkspaceExists =>
  async (workspaceId) =>
    (await ctx.call('workspaces.exists', { workspaceId }, asSystem('identity'))).exists;

/** Answers null, for an action without a result in its contract. */
const withoutResult = (done: Promise<void>): Promise<null> => done.then(() => null);
