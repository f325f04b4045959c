import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { actorOf, asSystem, type Caller } from '../../contract/caller.ts';
import { emit } from '../../contract/event.ts';
import { NotFound, Problem } from '../../contract/problem.ts';
import { environment } from '../../environment/environment.ts';
import { Database } from '../../mixins/database/database.ts';
import { logSecurityEvent } from '../../mixins/security-log.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../models/api-key.model.ts';
import { EmailTokenModel } from '../../models/email-token.model.ts';
import { KeyNoticeModel } from '../../models/key-notice.model.ts';
import { MailSlotModel } from '../../models/mail-slot.model.ts';
import { OutboxMailModel } from '../../models/outbox-mail.model.ts';
import { RefreshTokenModel } from '../../models/refresh-token.model.ts';
import { ResetTokenModel } from '../../models/reset-token.model.ts';
import { SessionModel } from '../../models/session.model.ts';
import { UserModel } from '../../models/user.model.ts';
import { implement } from '../contracts.ts';
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from './api-keys/api-keys.ts';
import { authenticateKey } from './api-keys/authenticate-key.ts';
import { mailKeysOfFormerMember, sweepKeyNotices } from './api-keys/keys-of-former-member.ts';
import { type CallContext, callContextOf } from './call-context.ts';
import { verifyEmail } from './email-verification/verify-email.ts';
import { identityContract } from './identity.contract.ts';
import { sessionRevoked } from './identity.events.ts';
import { MailOutbox } from './mail/mail-outbox.ts';
import { MailSender } from './mail/mail-sender.ts';
import { mailTransport } from './mail/mail-transport.ts';
import { listOutbox } from './mail/outbox.ts';
import { changePassword } from './passwords/change-password.ts';
import { forgotPassword } from './passwords/forgot-password.ts';
import { preparePasswords } from './passwords/password.ts';
import { resetPassword } from './passwords/reset-password.ts';
import { authenticate } from './sessions/authenticate.ts';
import { refreshSession } from './sessions/refresh-session.ts';
import { signIn } from './sessions/sign-in.ts';
import { SignInLimits } from './sessions/sign-in-limits.ts';
import { signOut } from './sessions/sign-out.ts';
import { publicKeys, signingKeys } from './sessions/signing-keys.ts';
import { type AccountOutlook, sweepExpiredAccounts } from './users/expired-accounts.ts';
import { register } from './users/register.ts';
import {
  createUser,
  findByEmail,
  findUsers,
  getUser,
  isOwnAddress,
  showKnownUser,
  showMe,
  showUser,
} from './users/users.ts';

const actionsOf = (parts: Pick<CallContext, 'limits' | 'mails'>) =>
  implement(
    identityContract,
    {
      register: (ctx) => register(ctx.params, callContextOf(ctx, parts)),
      signIn: (ctx) => signIn(ctx.params, callContextOf(ctx, parts)),
      refresh: (ctx) => refreshSession(ctx.params.refreshToken, callContextOf(ctx, parts)),
      async signOut(ctx) {
        await signOut(ctx.params.refreshToken, callContextOf(ctx, parts));
        return null;
      },
      me: async (ctx) => showMe(await getUser(personOf(ctx.meta.caller).userId)),
      async changePassword(ctx) {
        await changePassword(personOf(ctx.meta.caller), ctx.params, callContextOf(ctx, parts));
        return null;
      },
      forgotPassword(ctx) {
        forgotPassword(ctx.params.email, callContextOf(ctx, parts));
        return null;
      },
      async resetPassword(ctx) {
        await resetPassword(ctx.params, callContextOf(ctx, parts));
        return null;
      },
      async verifyEmail(ctx) {
        await verifyEmail(ctx.params, callContextOf(ctx, parts));
        return null;
      },
      jwks: () => ({ keys: publicKeys() }),

      getUser: async (ctx) => showUser(await getUser(personOf(ctx.meta.caller).userId)),
      createUser: async (ctx) => showUser(await createUser(ctx.params, actorOf(ctx.meta.caller))),

      createApiKey: (ctx) =>
        createApiKey(ctx.params, actorOf(ctx.meta.caller), callContextOf(ctx, parts)),
      listApiKeys: (ctx) => listApiKeys(ctx.params),
      async revokeApiKey(ctx) {
        await revokeApiKey(ctx.locals.resource as ApiKeyDocument, callContextOf(ctx, parts));
        return null;
      },

      authenticate: async (ctx) => ({ caller: await authenticate(ctx.params.token) }),
      authenticateKey: async (ctx) => ({ caller: await authenticateKey(ctx.params.key) }),
      isOwnAddress: async (ctx) => ({
        own: await isOwnAddress(ctx.params.userId, ctx.params.email),
      }),
      usersByIds: async (ctx) => ({ users: (await findUsers(ctx.params.ids)).map(showKnownUser) }),
      async userByEmail(ctx) {
        const user = await findByEmail(ctx.params.email);
        return { user: user && showKnownUser(user) };
      },

      async memberLeft(ctx) {
        await mailKeysOfFormerMember(ctx.params, parts.mails);
        return null;
      },

      listOutbox: (ctx) => listOutbox(ctx.params),
    },
    { 'API key': findApiKey },
  );

/** Operations about oneself are for those who are a user. */
function personOf(caller: Caller): Extract<Caller, { kind: 'person' }> {
  if (caller.kind === 'person') return caller;
  throw new Problem(NotFound, 'The caller is not a user.');
}

/** Milliseconds between two looks for mails that are due again, or that a killed process had leased. */
const MAILS_EVERY_MS = 10_000;
/** Milliseconds between two looks for OWNERs who are owed a mail about keys. */
const KEY_NOTICES_EVERY_MS = 60_000;
/** Milliseconds between two looks for accounts that have expired. */
const EXPIRY_EVERY_MS = 10 * 60_000;

const AS_IDENTITY = asSystem('identity');
const outlookOf = (broker: ServiceBroker): AccountOutlook => ({
  async hasMemberships(userId) {
    const params = { userId };
    const { named } = await broker.call<{ named: boolean }, typeof params>(
      'workspaces.namesUser',
      params,
      AS_IDENTITY,
    );
    return named;
  },
  onClosed: (userId) => emit(broker, sessionRevoked, { userId }),
  onDeleted: (userId) => logSecurityEvent('account.expired', AS_IDENTITY, { userId }),
});

/** Users, sessions, API keys: who is calling. */
export function identityService(): ServiceSchema {
  signingKeys(); // without keys there is no start
  const transport = mailTransport();
  const sender = transport && new MailSender(transport);
  const mails = new MailOutbox(sender);
  const limits = new SignInLimits(environment.SIGN_IN_LIMIT);
  return {
    name: 'identity',
    mixins: [
      Database(
        UserModel,
        SessionModel,
        RefreshTokenModel,
        ResetTokenModel,
        EmailTokenModel,
        KeyNoticeModel,
        MailSlotModel,
        OutboxMailModel,
        ApiKeyModel,
      ) as ServiceSchema,
      Sweep(KEY_NOTICES_EVERY_MS, () => sweepKeyNotices(mails)) as ServiceSchema,
      ...(sender ? [Sweep(MAILS_EVERY_MS, async () => sender.wake()) as ServiceSchema] : []),
      Sweep(EXPIRY_EVERY_MS, (broker) => sweepExpiredAccounts(outlookOf(broker))) as ServiceSchema,
    ],
    actions: actionsOf({ limits, mails }),
    async started() {
      await preparePasswords();
    },
  };
}
