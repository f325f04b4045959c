import { z } from 'zod';
import { isLoopbackHost } from './loopback.ts';

/** The mail server that an address names. */
export interface SmtpServer {
  host: string;
  port: number;
  /** Whether the connection starts with TLS (`smtps:`). Otherwise STARTTLS follows. */
  startsWithTls: boolean;
  /** Whether mails may go over a connection without TLS. So only on this machine. */
  mayBePlain: boolean;
  auth: { user: string; pass: string } | null;
}

/** The ports of message submission: RFC 6409 for STARTTLS, RFC 8314 for TLS from the start. */
const PORTS = { 'smtp:': 587, 'smtps:': 465 };

const FORM = 'smtp://user:password@host:port (STARTTLS) or smtps://user:password@host:port (TLS)';

/** Reads the address of a mail server; null for text of another form. */
export function readSmtpUrl(text: string): SmtpServer | null {
  if (/\s/.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return null;
  if (!hostname || port === '0' || !['', '/'].includes(pathname) || search || hash) return null;
  if ((username === '') !== (password === '')) return null;
  const [user, pass] = [decoded(username), decoded(password)];
  if (user === null || pass === null) return null;
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: port ? Number(port) : PORTS[protocol],
    startsWithTls: protocol === 'smtps:',
    mayBePlain: isLoopbackHost(host),
    auth: user ? { user, pass } : null,
  };
}

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? null : plain;
  } catch {
    return null; // a % without two hexadecimal digits
  }
}

export const smtpUrl = z
  .string()
  .transform(readSmtpUrl)
  .refine((server): server is SmtpServer => server !== null, { error: FORM });
