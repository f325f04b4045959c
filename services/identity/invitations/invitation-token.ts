import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Id } from '../../../contract/fields.ts';
import { derivedKey, presentKid } from '../sessions/derived-key.ts';

/** The content of an invitation's token. Single use is decided by the invitation itself. */
export interface InvitationTicket {
  invitationId: number;
  /** The version of the invitation that was mailed. */
  tokenVersion: number;
  /** The SHA-256 hash of the invited address. */
  addressHash: string;
}

const Payload = z.tuple([z.string(), Id, Id, z.string()]);

/** Makes the token of an invitation: its content and a MAC of it. No copy of the token is stored. */
export function mintInvitationToken(ticket: InvitationTicket): string {
  const kid = presentKid();
  const { invitationId, tokenVersion, addressHash } = ticket;
  const content = [kid, invitationId, tokenVersion, addressHash];
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  const mac = macOf(payload, kid);
  if (!mac) throw new TypeError('the present signing key is missing');
  return `${payload}.${mac.toString('base64url')}`;
}

/** Reads a token; null for a text that no process with one of the signing keys has made. */
export function readInvitationToken(token: string): InvitationTicket | null {
  const [payload = '', mac = '', ...rest] = token.split('.');
  const content = rest.length === 0 ? contentOf(payload) : null;
  if (!content) return null;
  const [kid, invitationId, tokenVersion, addressHash] = content;
  const expected = macOf(payload, kid);
  const given = Buffer.from(mac, 'base64url');
  if (!expected || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return null;
  }
  return { invitationId, tokenVersion, addressHash };
}

function macOf(payload: string, kid: string): Buffer | null {
  const key = derivedKey('invitation token', kid);
  return key && createHmac('sha256', key).update(payload).digest();
}

function contentOf(payload: string): z.output<typeof Payload> | null {
  try {
    return Payload.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  } catch {
    return null; // no JSON, or other JSON
  }
}
