import { domainToASCII } from 'node:url';
import { Problem } from '../../../contract/problem.ts';
import { environment } from '../../../environment/environment.ts';
import type { OutboxMessage } from '../../../mixins/changes/outbox.ts';
import { EmailDomainModel } from '../../../models/email-domain.model.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { DomainNotAllowed, RegistrationClosed } from '../identity.problems.ts';
import { emailDomains, type StoredEmailDomain } from './email-domains.store.ts';

/** The domain of an address in the form in which domains are compared: the whole domain, ASCII, lower case. */
export const domainOf = (email: string): string =>
  domainToASCII(
    email
      .slice(email.lastIndexOf('@') + 1)
      .trim()
      .normalize('NFC')
      .toLowerCase(),
  );

/** The listed domain of an address; null for an address of another domain, subdomains included. */
const findDomainOf = (email: string): Promise<StoredEmailDomain | null> =>
  EmailDomainModel.findOne({ domain: domainOf(email) }, emailDomains.projection)
    .lean<StoredEmailDomain>()
    .exec();

/** Throws 403 when `REGISTRATION` does not admit a new account with the address. */
export async function assertMayRegister(email: string): Promise<void> {
  if (environment.REGISTRATION === 'closed') {
    throw new Problem(RegistrationClosed, 'Nobody can register here.');
  }
  await assertDomainAdmitted(email);
}

/** Throws 403 when `REGISTRATION=domains` and the domain of the address is not listed. */
export async function assertDomainAdmitted(email: string): Promise<void> {
  if (environment.REGISTRATION !== 'domains' || (await findDomainOf(email))) return;
  throw new Problem(DomainNotAllowed, 'Addresses of this e-mail domain are not admitted here.');
}

/** The call that follows the verification of an address of a listed domain: the user joins the domain's workspace. */
export async function autoJoinMessages({
  _id: userId,
  email,
  emailKey,
}: Pick<UserDocument, '_id' | 'email' | 'emailKey'>): Promise<OutboxMessage[]> {
  const domain = await findDomainOf(email);
  if (!domain?.autoJoinWorkspaceId) return [];
  const { autoJoinWorkspaceId: workspaceId, autoJoinRole: role } = domain;
  return [{ call: 'workspaces.autoJoin', params: { userId, workspaceId, role, emailKey } }];
}
