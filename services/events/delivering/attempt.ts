import { type OutboundClient, OutboundError } from '@workspace-automation/outbound-http';
import type { EventDeliveryDocument } from '../../../models/event-delivery.model.ts';
import { signatureOf } from '../../../support/standard-webhooks.ts';

/** Milliseconds of an attempt, from the lookup of the name to the end of the answer. Beyond them it has failed. */
const ATTEMPT_MS = 15_000;
/** Bytes of an answer that are read and kept. The rest is cut off, and its connection closed. */
const ANSWER_BYTES = 4 * 1024;

/** What an attempt sends. */
export interface Message {
  deliveryId: number;
  url: string;
  body: string;
  secret: string;
}

/** The result of an attempt. `response` is null without an answer. */
export interface AttemptResult {
  outcome: 'delivered' | 'failed' | 'gone';
  response: EventDeliveryDocument['response'];
}

/** What became of a delivery in its turn. `expired`: nothing was sent, because the text of the event was removed. */
export type DeliveryResult = AttemptResult | { outcome: 'expired'; response: null };

/** The status by which a receiver says that it wants no further events. */
const GONE = 410;

/** Sends a message once. A redirection is not followed, and has failed as every answer that is not 2xx. */
export async function attempt(
  message: Message,
  outbound: OutboundClient,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<AttemptResult> {
  const startedAt = performance.now();
  try {
    const { status, body } = await outbound.send({
      method: 'POST',
      url: message.url,
      ownHeaders: { 'content-type': 'application/json', ...signatureHeaders(message, now) },
      body: message.body,
      timeoutMs: ATTEMPT_MS,
      maxBytes: ANSWER_BYTES,
      truncate: true,
      maxRedirects: 0,
      signal,
    });
    const durationMs = Math.round(performance.now() - startedAt);
    const response = { status, body: textOf(body), durationMs };
    return { outcome: outcomeOf(status), response };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { outcome: 'failed', response: null };
  }
}

const outcomeOf = (status: number): AttemptResult['outcome'] => {
  if (status >= 200 && status < 300) return 'delivered';
  return status === GONE ? 'gone' : 'failed';
};

/** The text of an answer without NUL, which no database text has to have. */
function textOf(body: Uint8Array): string {
  // Bytes that are no UTF-8 become characters of three bytes: the text is cut again.
  const text = Buffer.from(decode(body).replaceAll('\0', ''));
  return decode(text.subarray(0, ANSWER_BYTES));
}

/** Decodes UTF-8, without half a character at the end. */
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

/** The headers of Standard Webhooks. The id stays the same in each attempt, and the time is that of the attempt. */
function signatureHeaders(
  { deliveryId, body, secret }: Pick<Message, 'deliveryId' | 'body' | 'secret'>,
  now: Date,
): Record<string, string> {
  const id = `msg_${deliveryId}`;
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = signatureOf({ id, timestamp, body }, secret).toString('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
