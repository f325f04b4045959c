import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { derivedKey, type KeyPurpose, presentKid } from './sessions/derived-key.ts';

/** The `kid` of the signing key from which the MAC's key is derived, and the content. */
const Pair = z.tuple([z.string(), z.unknown()]);

/**
 * A kind of mailed token: its content and a MAC of the content. No copy of a token is stored, and the record that the
 * content names decides whether the token still counts.
 */
export function signedToken<T extends z.ZodType>(purpose: KeyPurpose, Content: T) {
  function contentOf(payload: string): { kid: string; content: z.output<T> } | null {
    try {
      const [kid, content] = Pair.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      return { kid, content: Content.parse(content) };
    } catch {
      return null; // no JSON, or other JSON
    }
  }

  function macOf(payload: string, kid: string): Buffer | null {
    const key = derivedKey(purpose, kid);
    return key && createHmac('sha256', key).update(payload).digest();
  }

  return {
    mint(content: z.input<T>): string {
      const kid = presentKid();
      const payload = Buffer.from(JSON.stringify([kid, content])).toString('base64url');
      const mac = macOf(payload, kid);
      if (!mac) throw new TypeError('the present signing key is missing');
      return `${payload}.${mac.toString('base64url')}`;
    },
    /** Reads a token; null for a text that no process with one of the signing keys has made. */
    read(token: string): z.output<T> | null {
      const [payload = '', mac = '', ...rest] = token.split('.');
      const found = rest.length === 0 ? contentOf(payload) : null;
      if (!found) return null;
      const expected = macOf(payload, found.kid);
      const given = Buffer.from(mac, 'base64url');
      const isOurs = expected?.length === given.length && timingSafeEqual(given, expected);
      return isOurs ? found.content : null;
    },
  };
}
