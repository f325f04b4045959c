import { timingSafeEqual } from 'node:crypto';
import { signatureOf } from '../../../support/standard-webhooks.ts';
import { signatureRefused } from '../triggers.problems.ts';

/** Seconds by which the timestamp of a request may differ from the present. */
const TOLERANCE_S = 5 * 60;
/** Characters of a `webhook-id`; a longer one is refused. */
const MAX_ID_LENGTH = 256;
/** Signatures of a header that are compared; further ones are not. A sender with two secrets sends two. */
const MAX_SIGNATURES = 10;

const VERSION = 'v1,';

/** A request as it was signed. */
export interface SignedRequest {
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/**
 * Throws 401 for a request without a valid signature (Standard Webhooks 1.0.0). The detail says what is missing or too
 * old, and tells nothing of the secret.
 */
export function assertSigned({ headers, body }: SignedRequest, secret: string, now: Date): void {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature');
  if (id.length > MAX_ID_LENGTH) throw signatureRefused('The header webhook-id is too long.');
  // The signed text is id, timestamp and body, separated by dots: a dot in the id would let it begin elsewhere.
  if (id.includes('.')) throw signatureRefused('The header webhook-id must have no dot.');
  assertTimely(timestamp, now);
  if (!isAmong(signatureOf({ id, timestamp, body }, secret), given)) {
    throw signatureRefused('No signature in webhook-signature fits the request.');
  }
}

function headerOf(headers: SignedRequest['headers'], name: string): string {
  const value = headers[name];
  if (value) return value;
  throw signatureRefused(`The header ${name} is missing.`);
}

function assertTimely(timestamp: string, now: Date): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw signatureRefused('The header webhook-timestamp must be a number of seconds.');
  }
  const age = now.getTime() / 1_000 - Number(timestamp);
  if (Math.abs(age) <= TOLERANCE_S) return;
  throw signatureRefused(
    `The request is too ${age > 0 ? 'old' : 'far in the future'}: webhook-timestamp may differ by ${TOLERANCE_S} seconds at most.`,
  );
}

/** Whether one of the signatures, which are separated by spaces, is the expected one. Compares in constant time. */
function isAmong(expected: Buffer, given: string): boolean {
  const signatures = given.split(' ', MAX_SIGNATURES).filter((each) => each.startsWith(VERSION));
  let isFound = false;
  for (const each of signatures) {
    const signature = Buffer.from(each.slice(VERSION.length), 'base64');
    const fits = signature.length === expected.length && timingSafeEqual(signature, expected);
    isFound = fits || isFound;
  }
  return isFound;
}
