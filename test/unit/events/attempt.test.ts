import type { OutboundClient } from '@workspace-automation/outbound-http';
import { attempt } from '../../../services/events/delivering/attempt.ts';
import { randomWebhookSecret } from '../../../support/standard-webhooks.ts';

test.each([
  ['bytes that are no text', Buffer.alloc(4096, 0xff)],
  [
    'characters of four bytes, the last one cut',
    Buffer.from(`a${'😀'.repeat(1024)}`).subarray(0, 4096),
  ],
  ['NUL', Buffer.alloc(4096)],
])('an answer of %s is kept in 4 KiB at most', async (_name, body) => {
  const outbound = {
    send: async () => ({ status: 200, headers: {}, body }),
  } as unknown as OutboundClient;
  const message = {
    deliveryId: 1,
    url: 'https://a.test',
    body: '{}',
    secret: randomWebhookSecret(),
  };
  const options = { now: new Date(), signal: new AbortController().signal };
  const { outcome, response } = await attempt(message, outbound, options);
  expect(outcome).toBe('delivered');
  expect(Buffer.byteLength(response?.body ?? 'none')).toBeLessThanOrEqual(4096);
  expect(response?.body).not.toContain('\0');
});
