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
 * The presence of a service on NATS. `absent`: nats-server knows no process that takes calls for the service.
 * `silent`: nats-server knows one, or is away itself, and no answer came within a second.
 */
export type ServicePresence = 'answering' | 'silent' | 'absent';

/**
 * Asks NATS for a process that takes calls for the service. nats-server notices a closed socket at once;
 * Moleculer's heartbeats notice a frozen process as well, but only after 10 to 20 s.
 */
export async function probeService(
  broker: ServiceBroker,
  service: string,
): Promise<ServicePresence> {
  const { client, prefix } = transporterOf(broker) ?? {};
  if (!client) return 'silent';
  try {
    const subject = upSubject(String(prefix), service);
    await client.request(subject, undefined, { timeout: ANSWER_TIMEOUT_MS });
    return 'answering';
  } catch (error) {
    return (error as NatsError).code === ErrorCode.NoResponders ? 'absent' : 'silent';
  }
}

/** Says whether this process can do the work of its services. While it cannot, NATS asks other processes. */
export const setAcceptingCalls = async (
  broker: ServiceBroker,
  isAccepting: boolean,
): Promise<void> => {
  await transporterOf(broker)?.setAcceptingCalls(isAccepting);
};
