import type { ServiceBroker } from 'moleculer';
import type { Msg } from 'nats';
import { MAX_ITEMS, PeerMonitor, type ProbeAnswer, type ProbeQuestion } from './peer-monitor.ts';
import { PendingCallMonitor } from './pending-call-monitor.ts';
import { probedSubject, probeSubject, userOf } from './subjects.ts';

/** A node's metadata with this entry says that the node answers probes as this version asks them. */
const METADATA_KEY = 'answersFingerprints';

/** The part of the transporter that probes use. */
export interface ProbeTransporter {
  broker: ServiceBroker;
  prefix: string;
  upSince(): number | undefined;
  /** Sends a message in the order of all others. Without a subscriber, `onNoResponders` is called with the id. */
  publish(subject: string, data: Uint8Array, id?: string): void;
  /** Whether this process has the call or the stream with that fingerprint in progress. */
  holds(fingerprint: string): boolean;
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
        ask: (node, items, probeId) => this.#ask(node, items, probeId),
      },
      () => calls.update(),
    );
    const calls = new PendingCallMonitor(broker, this.monitor);
  }

  /** Subscribes a new connection to probes and to answers. */
  subscribe(listen: (subject: string, handle: (msg: Msg) => void) => void): void {
    const { prefix, broker } = this.#transporter;
    listen(probeSubject(prefix, broker.nodeID), (msg) => this.#answer(questionOf(msg)));
    const answers = probedSubject(prefix, '*', broker.nodeID);
    const userAt = probedSubject(prefix, '', '').split('.').length - 2;
    listen(answers, (msg) => {
      const answer = answerOf(msg);
      const user = msg.subject.split('.')[userAt];
      if (user === userOf(answer.node)) this.monitor.onAnswer(answer);
    });
  }

  #ask(node: string, items: string[], probeId: string): void {
    const { prefix, broker } = this.#transporter;
    const question: ProbeQuestion = { asker: broker.nodeID, items };
    this.#send(probeSubject(prefix, node), question, probeId);
  }

  /** A node whose connection is new answers when its held responses have been sent: they go first. */
  #answer({ asker, items }: ProbeQuestion): void {
    const { prefix, broker, upSince, holds } = this.#transporter;
    if (upSince() === undefined) return;
    const answer: ProbeAnswer = { node: broker.nodeID, held: [], missing: [] };
    for (const item of items) (holds(item) ? answer.held : answer.missing).push(item);
    this.#send(probedSubject(prefix, userOf(broker.nodeID), asker), answer);
  }

  #send(subject: string, content: ProbeQuestion | ProbeAnswer, id?: string): void {
    this.#transporter.publish(subject, Buffer.from(JSON.stringify(content)), id);
  }
}

/** Throws when the message is no question of this version. */
function questionOf(msg: Msg): ProbeQuestion {
  const { asker, items } = msg.json<Partial<ProbeQuestion> | null>() ?? {};
  if (typeof asker === 'string' && areItems(items)) return { asker, items };
  throw new TypeError('it is no probe');
}

/** Throws when the message is no answer of this version. */
function answerOf(msg: Msg): ProbeAnswer {
  const { node, held, missing } = msg.json<Partial<ProbeAnswer> | null>() ?? {};
  if (typeof node === 'string' && areItems(held) && areItems(missing)) {
    return { node, held, missing };
  }
  throw new TypeError('it is no answer to a probe');
}

const areItems = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= MAX_ITEMS &&
  value.every((item) => typeof item === 'string');
