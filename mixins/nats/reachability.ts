import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { ErrorCode, type NatsError } from 'nats';
import { upTopic } from './topics.ts';
import type { NatsTransporter } from './transporter.ts';

const ANSWERS_WITHIN_MS = 1_000;

const transporterOf = (broker: ServiceBroker) => broker.transit?.tx as NatsTransporter | undefined;

/** Whether NATS answers now; a connection that is still open does not say so. */
export async function isNatsUp(broker: ServiceBroker): Promise<boolean> {
  const { client, connected } = transporterOf(broker) ?? {};
  if (!client || !connected || client.isClosed()) return false;
  const silence = sleep(ANSWERS_WITHIN_MS, false, { ref: false });
  const answer = client.flush().then(
    () => true,
    () => false,
  );
  return Promise.race([answer, silence]);
}

/**
 * Whether NATS knows a process that asks for the service's calls. It knows at once whose socket is gone;
 * Moleculer finds out by heartbeats, up to 20 s later, and that one is silent, which NATS does not know.
 */
export async function hasResponder(broker: ServiceBroker, service: string): Promise<boolean> {
  const { client, prefix } = transporterOf(broker) ?? {};
  if (!client) return true;
  try {
    await client.request(upTopic(String(prefix), service), undefined, {
      timeout: ANSWERS_WITHIN_MS,
    });
    return true;
  } catch (error) {
    return (error as NatsError).code !== ErrorCode.NoResponders;
  }
}

/** Whether this process can do the work of its services; while it cannot, NATS gives it to others. */
export const setAcceptingCalls = async (broker: ServiceBroker, takes: boolean): Promise<void> => {
  await transporterOf(broker)?.setAcceptingCalls(takes);
};
