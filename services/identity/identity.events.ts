import { z } from 'zod';
import { defineEvent } from '../../contract/event.ts';
import { Id } from '../../contract/fields.ts';

/** Sessions of the user have ended. Subscribers drop cached sessions of the user. */
export const sessionRevoked = defineEvent({
  name: 'session.revoked',
  payload: z.strictObject({ userId: Id }),
  delivery: 'broadcast',
});

/** The key was revoked, or a rotation has replaced it. Subscribers drop cached keys. */
export const apiKeyRevoked = defineEvent({
  name: 'api-key.revoked',
  payload: z.strictObject({ keyId: Id }),
  delivery: 'broadcast',
});

/** A service account has a new secret, or is gone. Subscribers drop its cached role and its cached tokens. */
export const serviceAccountChanged = defineEvent({
  name: 'service-account.changed',
  payload: z.strictObject({ accountId: Id, workspaceId: Id }),
  delivery: 'broadcast',
});

/** An operator has reset the counters of attempts at the user's account. Processes forget which counters refuse. */
export const signInUnlocked = defineEvent({
  name: 'sign-in.unlocked',
  payload: z.strictObject({ userId: Id }),
  delivery: 'broadcast',
});

/** The user's address is verified: by a mailed token, an invitation, or an operator. */
export const userVerified = defineEvent({
  name: 'user.verified',
  payload: z.strictObject({ userId: Id }),
  delivery: 'one',
});
