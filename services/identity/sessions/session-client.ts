import { isIP } from 'node:net';
import type { Client } from '../../../contract/client.ts';

/** Characters of a stored `User-Agent`; a longer one is cut. */
export const MAX_USER_AGENT_LENGTH = 200;
/** Control characters, lone surrogates, and characters that are invisible or turn text around. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;

/** The fields of a session that describe its client; null for what the client did not send in a printable form. */
export const describeClient = ({ address, userAgent }: Client) => ({
  address: isIP(address) ? address : null,
  userAgent: printable(userAgent ?? ''),
});

/** The text on one line, without unprintable characters, trimmed and cut; null when nothing is left. */
function printable(text: string): string | null {
  const line = text.replaceAll(UNPRINTABLE, ' ').replaceAll(/\s+/g, ' ').trim();
  return [...line].slice(0, MAX_USER_AGENT_LENGTH).join('').trimEnd() || null;
}
