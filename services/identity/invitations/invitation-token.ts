import { z } from 'zod';
import { Id } from '../../../contract/fields.ts';
import { signedToken } from '../signed-token.ts';

/**
 * The token of an invitation: the id, the version of the invitation that was mailed, and the SHA-256 hash of the
 * invited address. Single use is decided by the invitation itself.
 */
export const invitationToken = signedToken('invitation token', z.tuple([Id, Id, z.string()]));

/** The content of an invitation's token; null for a text that is no such token. */
export function readInvitationToken(token: string) {
  const content = invitationToken.read(token);
  if (!content) return null;
  const [invitationId, tokenVersion, addressHash] = content;
  return { invitationId, tokenVersion, addressHash };
}
