import type { RequestSummary, ResponseSummary } from '../../../../../models/exchange.ts';

/** The request that a call has sent last, and its answer, as steps show them. Both are null until they are known. */
export class Exchange {
  #request: RequestSummary | null;
  #response: ResponseSummary | null;

  constructor(request: RequestSummary | null = null, response: ResponseSummary | null = null) {
    this.#request = request;
    this.#response = response;
  }

  get request(): RequestSummary | null {
    return this.#request;
  }

  get response(): ResponseSummary | null {
    return this.#response;
  }

  /** Notes a request before it is sent. An earlier request of the call, whose token was refused, is forgotten. */
  noteRequest(request: RequestSummary): void {
    this.#request = request;
    this.#response = null;
  }

  noteResponse(response: ResponseSummary): void {
    this.#response = response;
  }

  /** The fields of a record, without a request or a response that is not known. */
  get fields(): { request?: RequestSummary; response?: ResponseSummary } {
    return {
      ...(this.#request ? { request: this.#request } : {}),
      ...(this.#response ? { response: this.#response } : {}),
    };
  }
}
