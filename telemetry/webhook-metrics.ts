import { Counter, type Registry } from 'prom-client';
import { requestReceived } from '../services/triggers/triggers.diagnostics.ts';

/** Counts the requests to webhooks from the diagnostic events of this process. */
export function countWebhookRequests(registers: Registry[]): void {
  const requests = new Counter({
    name: 'webhook_requests_total',
    help: 'Requests to URLs of webhooks by what became of them; unknown: no webhook has the URL',
    labelNames: ['outcome'],
    registers,
  });
  requestReceived.subscribe(({ outcome }) => requests.inc({ outcome }));
}
