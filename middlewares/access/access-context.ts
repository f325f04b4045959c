import type { Context } from 'moleculer';
import type { Role } from '../../contract/access-rule.ts';
import type { Locals, Meta } from '../../contract/contract-types.ts';

/** The context of a call whose parameters are not validated yet. */
export type AccessContext = Context<Record<string, unknown>, Meta, Locals>;

/** What the access check asks services for. */
export interface AccessSources {
  /** The role of a person in a workspace; null for none. */
  roleOf: (userId: number, workspaceId: number) => Promise<Role | null>;
  /** The role of a service account, read from the store at each call; null for none. */
  roleOfServiceAccount: (accountId: number, workspaceId: number) => Promise<Role | null>;
  /** Whether an address is the person's own, for the rule `self`. */
  isOwnAddress: (userId: number, email: string) => Promise<boolean>;
}
