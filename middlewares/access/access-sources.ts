import type { Role } from '../../contract/access-rule.ts';

/** The questions of the access check to services. */
export interface AccessSources {
  /** The role of a person in a workspace; null for none. */
  roleOf: (userId: number, workspaceId: number) => Promise<Role | null>;
  /** The role of a service account, read from the store at each call; null for none. */
  roleOfServiceAccount: (accountId: number, workspaceId: number) => Promise<Role | null>;
  /** Whether a workspace exists, for API keys, which have no role. */
  workspaceExists: (workspaceId: number) => Promise<boolean>;
  /** Whether an address is the person's own, for the rule `self`. */
  isOwnAddress: (userId: number, email: string) => Promise<boolean>;
  /** Whether the person is an operator, and whether a user has the id, for the rule `self-or-operator`. */
  accessToUser: (
    userId: number | null,
    subjectId: number,
  ) => Promise<{ operator: boolean; exists: boolean }>;
}
