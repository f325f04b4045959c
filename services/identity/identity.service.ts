import type { ServiceSchema } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { emit } from '../../contract/event.ts';
import { environment } from '../../environment/environment.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { ApiKeyModel } from '../../models/api-key.model.ts';
import { EmailDomainModel } from '../../models/email-domain.model.ts';
import { EmailTokenModel } from '../../models/email-token.model.ts';
import { KeyNoticeModel } from '../../models/key-notice.model.ts';
import { MailSlotModel } from '../../models/mail-slot.model.ts';
import { OutboxMailModel } from '../../models/outbox-mail.model.ts';
import { ProviderClientModel } from '../../models/provider-client.model.ts';
import { RefreshTokenModel } from '../../models/refresh-token.model.ts';
import { ResetTokenModel } from '../../models/reset-token.model.ts';
import { ServiceAccountModel } from '../../models/service-account.model.ts';
import { SessionModel } from '../../models/session.model.ts';
import { TokenBucketModel } from '../../models/token-bucket.model.ts';
import { UserModel } from '../../models/user.model.ts';
import { on } from '../contracts.ts';
import { apiKeys } from './api-keys/api-keys.store.ts';
import { eraseKeys } from './api-keys/erase-keys.ts';
import { sweepKeyNotices } from './api-keys/keys-of-former-member.ts';
import { emailDomains } from './email-domains/email-domains.store.ts';
import { apiKeyRevoked, signInUnlocked } from './identity.events.ts';
import { identityActions } from './identity-actions.ts';
import { dropExpiredTexts } from './mail/failed-mails.ts';
import { MailOutbox } from './mail/mail-outbox.ts';
import { MailSender } from './mail/mail-sender.ts';
import { mailTransport } from './mail/mail-transport.ts';
import { preparePasswords } from './passwords/password.ts';
import { eraseAccounts } from './service-accounts/erase-accounts.ts';
import { ExternalTokens } from './service-accounts/provider/external-token.ts';
import {
  identityProvider,
  oidcSettings,
} from './service-accounts/provider/provider-of-environment.ts';
import {
  type PatrolPosition,
  patrolClients,
  sweepDueClients,
} from './service-accounts/provider/sweep-clients.ts';
import { serviceAccounts } from './service-accounts/service-accounts.store.ts';
import { SignInLimits } from './sessions/sign-in-limits.ts';
import { signingKeys } from './sessions/signing-keys.ts';
import { finishDeletions } from './users/deletion/finish-deletions.ts';
import { membershipsOf } from './users/deletion/memberships.ts';
import { sweepExpiredAccounts } from './users/expired-accounts.ts';
import { EntryQuota } from './users/entry-quota.ts';
import { expiryHooksOf } from './users/expiry-hooks.ts';
import { users } from './users/users.store.ts';

/** Milliseconds between two wakes of the mail sender, for mails due again and mails with the lease of a killed process. */
const MAILS_EVERY_MS = 10_000;
/** Milliseconds between two sweeps of failed mails, whose texts go with their tokens' expiry. */
const FAILED_MAILS_EVERY_MS = 30_000;
/** Milliseconds between two sweeps of due notices about the keys of former members. */
const KEY_NOTICES_EVERY_MS = 60_000;
/** Milliseconds between two sweeps of deletions of users that were interrupted or wait for their last look. */
const DELETIONS_EVERY_MS = 15_000;
/** Milliseconds between two sweeps of expired accounts. */
const EXPIRY_EVERY_MS = 10 * 60_000;

/** Milliseconds between two sweeps of clients at the identity provider that a request has left. */
const CLIENTS_EVERY_MS = 2_000;
/** Milliseconds between two patrols of the next clients at the identity provider. */
const PATROL_EVERY_MS = 10_000;

/** The models of the service. The keys of a deleted workspace go first, its service accounts last. */
const MODELS = [
  ApiKeyModel,
  UserModel,
  SessionModel,
  RefreshTokenModel,
  ResetTokenModel,
  EmailTokenModel,
  KeyNoticeModel,
  EmailDomainModel,
  MailSlotModel,
  OutboxMailModel,
  TokenBucketModel,
  ServiceAccountModel,
  ProviderClientModel,
] as const;
const AS_IDENTITY = asSystem('identity');

/** The service of users, sessions and API keys, which authenticates callers. */
export function identityService(): ServiceSchema {
  signingKeys(); // throws without valid keys, so that the service does not start
  const transport = mailTransport();
  const sender = transport && new MailSender(transport);
  const mails = new MailOutbox(sender);
  const oidc = oidcSettings();
  const external = oidc && new ExternalTokens(oidc.issuer);
  const patrol: PatrolPosition = { after: '' };
  const limits = new SignInLimits(environment.SIGN_IN_LIMIT);
  const entryQuota = new EntryQuota(environment.DIRECTORY_ENTRIES_PER_DAY);
  const provider = identityProvider();
  const erasures = erasuresOf('identity', MODELS, ({ broker }) => ({
    hooks: {
      async api_keys({ targetId }) {
        const keyId = await eraseKeys(targetId);
        if (keyId !== null) await emit(broker, apiKeyRevoked, { keyId }, AS_IDENTITY);
        return true;
      },
      service_accounts: ({ targetId }) => eraseAccounts(targetId, provider),
    },
  }));
  return {
    name: 'identity',
    mixins: [
      erasures.mixin,
      Changes(apiKeys, emailDomains, serviceAccounts, users),
      Sweep(MAILS_EVERY_MS, async () => sender?.wake()),
      Sweep(FAILED_MAILS_EVERY_MS, dropExpiredTexts),
      Sweep(KEY_NOTICES_EVERY_MS, () => sweepKeyNotices(mails)),
      Sweep(DELETIONS_EVERY_MS, (broker) => finishDeletions(membershipsOf(broker))),
      Sweep(CLIENTS_EVERY_MS, sweepDueClients),
      Sweep(PATROL_EVERY_MS, () => patrolClients(patrol)),
      Sweep(EXPIRY_EVERY_MS, (broker) => sweepExpiredAccounts(expiryHooksOf(broker))),
    ],
    actions: identityActions({ limits, mails, provider, external, erasures, entryQuota }),
    events: { ...on(signInUnlocked, () => limits.forget()) },
    async started() {
      await preparePasswords();
    },
  };
}
