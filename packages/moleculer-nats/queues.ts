import { hostname } from 'node:os';
import type { ServiceBroker } from 'moleculer';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { upSubject, upSubjectOfHost } from './subjects.ts';

/** A queue group of NATS that this process takes messages from. */
interface Queue {
  name: string;
  /** The Moleculer packet that the messages are, or `UP` for questions whether a process takes calls. */
  command: 'REQ' | 'EVENT' | 'UP';
}

/** The part of the transporter that queues use. */
export interface QueueTransporter {
  broker: ServiceBroker;
  prefix: string;
  /** The NATS user of this process. */
  user: string | undefined;
  receive(command: string, data: Buffer): unknown;
}

/** The queue groups that this process is a member of on its present connection. */
export class Queues {
  readonly #transporter: QueueTransporter;
  readonly #members = new Map<string, Subscription>();
  #isAcceptingCalls = true;

  constructor(transporter: QueueTransporter) {
    this.#transporter = transporter;
  }

  /** A process that accepts no calls wants no queue: NATS asks other processes or reports "no responders". */
  setAcceptingCalls(isAccepting: boolean): void {
    this.#isAcceptingCalls = isAccepting;
  }

  /** Forgets the queues of a lost connection. */
  clear(): void {
    this.#members.clear();
  }

  /**
   * Subscribes to the queues of this process's services and drains all others, without losing a message.
   * Resolves when the drained queues have handed their messages over.
   */
  async update(client: NatsConnection): Promise<void> {
    const wanted = this.#wanted();
    const unwanted = [...this.#members].filter(([subject]) => !wanted.has(subject));
    for (const [subject, queue] of wanted) {
      if (!this.#members.has(subject))
        this.#members.set(subject, this.#subscribe(client, subject, queue));
    }
    for (const [subject] of unwanted) this.#members.delete(subject);
    await Promise.all(unwanted.map(([, subscription]) => subscription.drain()));
  }

  #subscribe(client: NatsConnection, subject: string, { name, command }: Queue): Subscription {
    const callback = (error: unknown, msg: Msg) => {
      if (error) return; // a missing permission: `ConnectionLog` has it
      if (command === 'UP') msg.respond();
      else void this.#transporter.receive(command, Buffer.from(msg.data));
    };
    return client.subscribe(subject, { queue: name, callback });
  }

  #wanted(): Map<string, Queue> {
    const wanted = new Map<string, Queue>();
    if (!this.#isAcceptingCalls) return wanted;
    const { broker, prefix, user } = this.#transporter;
    // Other processes never call the services that each process has for itself, such as `$node`.
    const services = broker.getLocalNodeInfo().services.filter(({ name }) => !name.startsWith('$'));
    for (const { name, actions, events } of services) {
      for (const action of Object.keys(actions ?? {})) {
        wanted.set(`${prefix}.REQB.${action}`, { name: action, command: 'REQ' });
      }
      for (const event of Object.keys(events ?? {})) {
        wanted.set(`${prefix}.EVENTB.${name}.${event}`, { name, command: 'EVENT' });
      }
      // After its actions: a service that is said to be up has their subscriptions.
      wanted.set(upSubject(prefix, name), { name, command: 'UP' });
    }
    if (services.length) {
      wanted.set(upSubjectOfHost(prefix, user, hostname()), { name: 'node', command: 'UP' });
    }
    return wanted;
  }
}
