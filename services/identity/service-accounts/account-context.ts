import type { Role } from '../../../contract/access-rule.ts';
import type { CallContext } from '../call-context.ts';
import type { IdentityProvider } from './provider/identity-provider.ts';

/** The call of a use case of service accounts. */
export interface AccountContext extends Pick<CallContext, 'emit' | 'log'> {
  provider: IdentityProvider;
  /** The number of accounts that a workspace may have; null for no limit. */
  quota: number | null;
  /** The caller's role in the workspace; undefined for the system and its operator, whom no rule on roles limits. */
  role: Role | undefined;
}
