import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { EmailAlreadyVerified, UserNotRegistered } from '../identity.problems.ts';

/** The sign-in limits of an account, by the origin of the attempts that they count. */
const LimitOf = z.enum(['unknown networks', 'known network', 'session', 'address', 'forgot']);

/** A counter of attempts that was reset. */
const ResetCounter = z.strictObject({
  of: LimitOf,
  /** Attempts that the counter had counted and not yet forgotten. */
  attempts: z.int().nonnegative(),
  /** Whether the next attempt would have been refused. */
  locked: z.boolean(),
});
export type ResetCounter = z.output<typeof ResetCounter>;

/** Actions for operators at the console; they have no route. */
export const operatorActions = {
  verifyUser: action({
    summary: 'Verify the address of a user on the word of an operator',
    description:
      'Without `keepPassword` the account is taken over for the owner of the address: its password, its ' +
      'sessions and its API keys end, and a mail for a new password goes to the address.',
    access: { who: 'internal' },
    audit: { resource: 'user' },
    body: { userId: Id, keepPassword: z.boolean().default(false) },
    result: z.strictObject({
      email: z.string(),
      /** Whether a mail for a new password was stored. */
      mailed: z.boolean(),
    }),
    errors: [NotFound, EmailAlreadyVerified, UserNotRegistered],
  }),
  unlockUser: action({
    summary: 'Reset the counters of attempts to sign in to an account',
    description:
      'With `address` the counters of that client address too: of its attempts at any account, and of ' +
      'its requests for a new password of this one.',
    access: { who: 'internal' },
    body: { userId: Id, address: z.union([z.ipv4(), z.ipv6()]).optional() },
    result: z.strictObject({ counters: z.array(ResetCounter) }),
    errors: [NotFound],
    audit: { none: 'the counters forget by themselves; the security log has it' },
  }),
};
