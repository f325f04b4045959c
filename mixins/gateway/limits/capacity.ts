import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import type { IdentifiedRequest } from '../gateway-request.ts';
import { BodyMemory } from './body-memory.ts';
import { downloadPlaces } from './downloads.ts';
import type { PlaceLimits, Places } from './places.ts';
import { uploadPlaces } from './uploads.ts';
import { asksToWait, waitingPlaces } from './waiting-requests.ts';

/** The limits of requests that take long. */
export interface CapacityLimits {
  waiting: PlaceLimits;
  uploads: PlaceLimits;
  downloads: PlaceLimits;
}

/** What requests hold of their process. Beyond the limits a request is refused with 429 or 503. */
export class Capacity {
  readonly #waiting: Places;
  readonly #uploads: Places;
  readonly #downloads: Places;
  readonly #bodies = new BodyMemory();

  constructor(limits: CapacityLimits, proxies: TrustedProxies) {
    this.#waiting = waitingPlaces(limits.waiting, proxies);
    this.#uploads = uploadPlaces(limits.uploads, proxies);
    this.#downloads = downloadPlaces(limits.downloads, proxies);
  }

  /**
   * Holds the memory of a request's body, and the request's place among those that wait, upload or
   * download, while `serve` runs. Null
   * for a request that takes long and whose client has gone.
   */
  hold<T>(request: IdentifiedRequest, serve: () => Promise<T>): Promise<T | null> {
    const { caller, client, response, route, query } = request;
    const { upload, format } = route.contract;
    if (upload) return this.#uploads.hold({ caller, client }, response, serve);
    if (format === 'file') return this.#downloads.hold({ caller, client }, response, serve);
    const serveBody = () =>
      this.#bodies.hold({ headers: request.http.headers, caller, client }, route.contract, serve);
    return asksToWait(route.contract, query) ? this.holdWaiting(request, serveBody) : serveBody();
  }

  /** Holds the place of a request that turns out to wait, while `call` runs. Null where the client has gone. */
  holdWaiting<T>(
    { caller, client, response }: IdentifiedRequest,
    call: () => Promise<T>,
  ): Promise<T | null> {
    return this.#waiting.hold({ caller, client }, response, call);
  }
}
