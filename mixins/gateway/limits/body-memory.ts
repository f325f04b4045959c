import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import type { ActionContract } from '../../../contract/contract.ts';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import { FairCapacity } from '../../../support/fair-shares/fair-capacity.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { BODY_LIMIT } from '../body/read-body.ts';

/** Bytes of all bodies that a process holds at once; beyond them a request is 503. */
const CAPACITY = 64 * 1024 * 1024;
/** Bytes of a body that is not counted. */
const SMALL = 16 * 1024;
/** Of what is free, how many times as much one network may hold: alone, three quarters. */
const NETWORK_FACTOR = 3;
/** Of what its network leaves free, which part one caller may hold: alone, a quarter. */
const CALLER_FACTOR = 1 / 3;
/** Seconds after which a client may try again. */
const RETRY_AFTER = 1;

/** A request, as far as its body's memory is concerned. */
interface Sender {
  headers: IncomingHttpHeaders;
  caller?: Caller;
  client: Client;
}

/** Shares the memory of request bodies between client networks, and of each between its callers. */
export class BodyMemory {
  readonly #capacity = new FairCapacity(CAPACITY, NETWORK_FACTOR, CALLER_FACTOR);

  /** Reads and serves a request within the memory of its body; throws 503 where there is none. */
  async hold<T>(sender: Sender, contract: ActionContract, serve: () => Promise<T>): Promise<T> {
    const bytes = bytesOf(sender.headers, contract);
    if (bytes <= SMALL) return serve();
    const share = shareOf(sender);
    if (!this.#capacity.mayAdd(share, bytes)) throw noMemory();
    this.#capacity.add(share, bytes);
    try {
      return await serve();
    } finally {
      this.#capacity.add(share, -bytes);
    }
  }
}

/** Bytes that may be read of the body: as declared, or the limit; none where it is not read. */
function bytesOf(headers: IncomingHttpHeaders, contract: ActionContract): number {
  if (!contract.body) return 0;
  const limit = contract.bodyLimit ?? BODY_LIMIT;
  if (headers['transfer-encoding'] !== undefined) return limit;
  const declared = Number(headers['content-length'] ?? 0);
  return declared > limit ? 0 : declared; // refused with 413, unread
}

const shareOf = ({ caller, client }: Sender): Share => ({
  owner: networkOf(client.address),
  tenant: nameOfCaller(caller) ?? 'anonymous',
});

const noMemory = () =>
  new Problem(Unavailable, 'Too many large bodies are under way.', { retryAfter: RETRY_AFTER });
