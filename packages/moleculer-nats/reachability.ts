import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { ErrorCode, type NatsError } from 'nats';
import { upSubject } from './subjects.ts';
import type { NatsTransporter } from './transporter.ts';

/** Milliseconds that nats-server has to answer. Beyond them NATS counts as down. */
const ANSWER_TIMEOUT_MS = 1_000;

const transporterOf = (broker: ServiceBroker) => broker.transit?.tx as NatsTransporter | undefined;

/** Whether nats-server answers now. An open connection alone does not prove that. */
export async function isNatsUp(broker: ServiceBroker): Promise<boolean> {
  const { client, connected } = transporterOf(broker) ?? {};
  if (!client || !connected || client.isClosed()) return false;
  const timeout = sleep(ANSWER_TIMEOUT_MS, false, { ref: false });
  const answer = client.flush().then(
    () => true,
    () => false,
  );
  return Promise.race([answer, timeout]);
}

/**
 * Whether nats-server knows a process that takes calls for the service. nats-server notices a closed
 * socket at once; Moleculer's heartbeats take up to 20 s, and notice a frozen process as well.
 */
export async function hasResponder(broker: ServiceBroker, service: string): Promise<boolean> {
  const { client, prefix } = transporterOf(broker) ?? {};
  if (!client) return true;
  try {
    await client.request(upSubject(String(prefix), service), undefined, {
      timeout: ANSWER_TIMEOUT_MS,
    });
    return true;
  } catch (error) {
    return (error as NatsError).code !== ErrorCode.NoResponders;
  }
}

/** Says whether this process can do the work of its services. While it cannot, NATS asks other processes. */
export const setAcceptingCalls = async (
  broker: ServiceBroker,
  isAccepting: boolean,
): Promise<void> => {
  await transporterOf(broker)?.setAcceptingCalls(isAccepting);
};
