import { environment } from '../../../environment/environment.ts';
import type { UserDocument } from '../../../models/user.model.ts';

const DOMAINS = new Set(
  environment.OPERATOR_EMAIL_SUFFIXES.map((suffix) => suffix.replace(/^@/, '').toLowerCase()),
);

/** Whether the user's verified address has a configured domain, and no subdomain of it. */
export const isOperator = (user: Pick<UserDocument, 'emailKey' | 'emailVerified'>): boolean =>
  user.emailVerified && DOMAINS.has(user.emailKey.slice(user.emailKey.lastIndexOf('@') + 1));
