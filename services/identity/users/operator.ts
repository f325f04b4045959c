import { environment } from '../../../environment/environment.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { domainOf } from '../email-domains/domain-of-address.ts';

const DOMAINS = new Set(environment.OPERATOR_EMAIL_SUFFIXES.map(domainOf));

/** Whether the user's verified address has a configured domain, and no subdomain of it. */
export const isOperator = (user: Pick<UserDocument, 'emailKey' | 'emailVerified'>): boolean =>
  user.emailVerified && DOMAINS.has(domainOf(user.emailKey));
