import type {
  ExchangeRecord,
  RequestSummary,
  ResponseSummary,
} from '../../../../../models/exchange.ts';

/**
 * The request that a call has sent last, and its answer, as steps show them; for a call of an agent, its tool calls. Each
 * is absent until it is known.
 */
export class Exchange {
  #known: ExchangeRecord;

  constructor(known: ExchangeRecord = {}) {
    this.#known = known;
  }

  /** Notes a request before it is sent. An earlier request of the call, whose token was refused, is forgotten. */
  noteRequest(request: RequestSummary): void {
    this.#known = { request };
  }

  noteResponse(response: ResponseSummary): void {
    this.#known = { ...this.#known, response };
  }

  /** Notes the tool calls of an agent, as JSON text. */
  noteTranscript(transcript: string): void {
    this.#known = { transcript };
  }

  /** The fields of a record, without those that are not known. */
  get fields(): ExchangeRecord {
    return this.#known;
  }
}
