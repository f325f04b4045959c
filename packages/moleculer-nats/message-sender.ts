import { ErrorCode, type NatsConnection, NatsError } from 'nats';
import { type Message, SendBuffer } from './send-buffer.ts';

/** A subject to send to. The client writes subjects into its protocol as they are, and other nodes name themselves. */
const SUBJECT = /^[^\s*>]+$/;

/** The part of the transporter that the sender uses. */
export interface SenderTransporter {
  client(): NatsConnection | null;
  /** The subject below which nats-server reports a message without a responder. */
  noRespondersSubject(): string;
  /** The message has not left this process. The caller may send an unsent call again at once. */
  onUnsent(message: Message, error: Error): void;
}

/** Sends messages through the transporter's present connection, and none that nats-server would refuse. */
export class MessageSender {
  readonly #transporter: SenderTransporter;
  readonly #buffer: SendBuffer;

  constructor(transporter: SenderTransporter) {
    this.#transporter = transporter;
    this.#buffer = new SendBuffer({
      publish: (message) => this.#publishNow(message),
      onUnsent: (message, error) => transporter.onUnsent(message, error),
    });
  }

  /** With an id, nats-server reports a message without responder. Throws when this nats-server refuses the size. */
  publish(subject: string, data: Uint8Array, id?: string): void {
    if (!SUBJECT.test(subject)) {
      const error = NatsError.errorForCode(ErrorCode.BadSubject);
      this.#transporter.onUnsent({ subject, data, id }, error);
      return;
    }
    if (data.length > (this.#transporter.client()?.info?.max_payload ?? Infinity)) {
      throw NatsError.errorForCode(ErrorCode.MaxPayloadExceeded);
    }
    this.#buffer.add({ subject, data, id });
  }

  /** Publishes the messages of this turn of the event loop now. */
  flush(): void {
    this.#buffer.flush();
  }

  #publishNow({ subject, data, id }: Message): void {
    const client = this.#transporter.client();
    if (!client) throw NatsError.errorForCode(ErrorCode.ConnectionClosed);
    const noResponders = this.#transporter.noRespondersSubject();
    client.publish(subject, data, id === undefined ? {} : { reply: `${noResponders}.${id}` });
  }
}
