import type { ServiceBroker } from 'moleculer';
import type { Msg } from 'nats';
import { PeerMonitor, type ProbeAnswer, type ProbeQuestion } from './peer-monitor.ts';
import { PendingCallMonitor } from './pending-call-monitor.ts';
import { probedSubject, probeSubject } from './subjects.ts';

/** A node's metadata with this entry says that the node answers probes. */
const METADATA_KEY = 'answersProbes';

/** The part of the transporter that probes use. */
export interface ProbeTransporter {
  broker: ServiceBroker;
  prefix: string;
  upSince(): number | undefined;
  /** Sends a message in the order of all others. Without a subscriber, `onNoResponders` is called with the id. */
  publish(subject: string, data: Uint8Array, id?: string): void;
  /** Whether this process has the call or the stream in progress. */
  holds(id: string): boolean;
}

/** Asks other nodes which calls and streams they have in progress, and answers the same question. */
export class PeerProbes {
  readonly monitor: PeerMonitor;
  readonly #transporter: ProbeTransporter;

  constructor(transporter: ProbeTransporter) {
    const { broker } = transporter;
    this.#transporter = transporter;
    broker.metadata[METADATA_KEY] = true;
    this.monitor = new PeerMonitor(
      {
        upSince: () => transporter.upSince(),
        isProbeable: (node) => broker.registry.nodes.get(node)?.metadata?.[METADATA_KEY] === true,
        ask: (node, ids, probeId) => this.#ask(node, ids, probeId),
      },
      () => calls.update(),
    );
    const calls = new PendingCallMonitor(broker, this.monitor);
  }

  /** Subscribes a new connection to probes and to answers. */
  subscribe(listen: (subject: string, handle: (msg: Msg) => void) => void): void {
    const { prefix, broker } = this.#transporter;
    listen(probeSubject(prefix, broker.nodeID), (msg) => this.#answer(msg.json<ProbeQuestion>()));
    listen(probedSubject(prefix, broker.nodeID), (msg) =>
      this.monitor.onAnswer(msg.json<ProbeAnswer>()),
    );
  }

  #ask(node: string, ids: string[], probeId: string): void {
    const { prefix, broker } = this.#transporter;
    const question: ProbeQuestion = { asker: broker.nodeID, ids };
    this.#send(probeSubject(prefix, node), question, probeId);
  }

  /** A node whose connection is new answers when its held responses have been sent: they go first. */
  #answer({ asker, ids }: ProbeQuestion): void {
    const { prefix, broker, upSince, holds } = this.#transporter;
    if (upSince() === undefined) return;
    const answer: ProbeAnswer = { node: broker.nodeID, held: [], missing: [] };
    for (const id of ids) (holds(id) ? answer.held : answer.missing).push(id);
    this.#send(probedSubject(prefix, asker), answer);
  }

  #send(subject: string, content: ProbeQuestion | ProbeAnswer, id?: string): void {
    this.#transporter.publish(subject, Buffer.from(JSON.stringify(content)), id);
  }
}
