import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Verifier } from 'standardwebhooks';
import { EventReceiver, type ReceivedEvent } from '../../../helpers/event-receiver.ts';
import type { Fault } from '../../checks.ts';

/** The receivers: each is a path of one server, and a subscription. */
export const RECEIVERS = ['/steady', '/refusing', '/slow'] as const;
export type ReceiverPath = (typeof RECEIVERS)[number];

/** The part of the requests that `/refusing` answers 503. */
const REFUSED = 0.1;
/** Milliseconds that `/slow` takes for an answer, at most. */
const SLOWEST_MS = 150;

/** The resource of an event, and what the event tells of it. */
export interface Told {
  resource: string;
  text: string;
}

const toldBy = ({ body: { type, data } }: ReceivedEvent): Told => {
  const [kind = ''] = type.split('.');
  const shown = { issue: data.title, flow: data.versionId }[kind];
  return { resource: `${kind} ${data.id}`, text: shown === undefined ? type : `${type} ${shown}` };
};

/** Real receivers of events, which note what they have accepted and verify each signature. */
export class Receivers {
  readonly #receiver: EventReceiver;
  readonly #verifiers = new Map<string, Verifier>();
  /** The texts of the accepted events in their order, by receiver and resource. */
  readonly #accepted = new Map<string, string[]>();
  #faults: Fault[] = [];
  #random: () => number = Math.random;

  private constructor(receiver: EventReceiver) {
    this.#receiver = receiver;
    receiver.reply = (event, response) => this.#answer(event, response);
  }

  static async start(): Promise<Receivers> {
    return new Receivers(await EventReceiver.start());
  }

  stop(): Promise<void> {
    return this.#receiver.stop();
  }

  urlOf(path: ReceiverPath): string {
    return `${this.#receiver.origin}${path}`;
  }

  expectSecret(path: ReceiverPath, secret: string): void {
    this.#verifiers.set(path, new Verifier(secret));
  }

  /** Forgets what came, for a round with those random numbers. */
  begin(random: () => number): void {
    this.#accepted.clear();
    this.#faults = [];
    this.#receiver.received.length = 0;
    this.#random = random;
  }

  /** The first deliveries of the events of a resource, without repetitions. */
  firstOf(path: ReceiverPath, resource: string): string[] {
    return [...new Set(this.#accepted.get(`${path} ${resource}`))];
  }

  get count(): number {
    return this.#receiver.received.length;
  }

  /** Events without a good signature. */
  get faults(): readonly Fault[] {
    return this.#faults;
  }

  async #answer(event: ReceivedEvent, response: ServerResponse): Promise<void> {
    this.#verify(event);
    if (event.path === '/refusing' && this.#random() < REFUSED) {
      response.writeHead(503).end();
      return;
    }
    const { resource, text } = toldBy(event);
    const key = `${event.path} ${resource}`;
    this.#accepted.set(key, [...(this.#accepted.get(key) ?? []), text]);
    if (event.path === '/slow') await sleep(this.#random() * SLOWEST_MS);
    response.end();
  }

  #verify({ path, text, headers }: ReceivedEvent): void {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
    try {
      this.#verifiers.get(path)?.verify(text, signed);
    } catch (error) {
      this.#faults.push(`an event at ${path} has no good signature: ${error}`);
    }
  }
}
