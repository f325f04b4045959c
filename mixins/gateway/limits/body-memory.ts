import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import type { ActionContract } from '../../../contract/contract.ts';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import { FairCapacity } from '../../../support/fair-shares/fair-capacity.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { BODY_LIMIT } from '../body/read-body.ts';

/** Bytes of all bodies that a process holds at once. A request beyond them is 503. */
const CAPACITY_BYTES = 64 * 1024 * 1024;
/** Bytes of a small body. Only larger bodies are counted. */
const SMALL_BYTES = 16 * 1024;
/** The bytes that one network may hold, as a multiple of the free bytes. A network alone may hold three quarters. */
const NETWORK_FACTOR = 3;
/** The bytes that one caller may hold, as a part of the free bytes of its network. A caller alone may hold a quarter. */
const CALLER_FACTOR = 1 / 3;
/** Seconds after which a client may repeat a refused request. */
const RETRY_AFTER = 1;

/** The part of a request that decides on the memory of its body. */
interface Sender {
  headers: IncomingHttpHeaders;
  caller?: Caller;
  client: Client;
}

/** Shares the memory of request bodies between client networks, and of each between its callers. */
export class BodyMemory {
  readonly #capacity = new FairCapacity(CAPACITY_BYTES, NETWORK_FACTOR, CALLER_FACTOR);

  /** Holds memory for the body of a request while `serve` runs. Throws 503 where the share of the sender is used up. */
  async hold<T>(sender: Sender, contract: ActionContract, serve: () => Promise<T>): Promise<T> {
    const bytes = bytesOf(sender.headers, contract);
    if (bytes <= SMALL_BYTES) return serve();
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

/** The bytes that the body takes: its `Content-Length`, or the limit for a stream. 0 for a body that is not read. */
function bytesOf(headers: IncomingHttpHeaders, contract: ActionContract): number {
  if (!contract.body || contract.upload) return 0;
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
