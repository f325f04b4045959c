import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../../helpers/http.ts';
import { NOWHERE } from '../../helpers/system.ts';

/** Milliseconds between two checks of a gateway, and the longest that a check may take. One failure is enough. */
const CHECK_EVERY_MS = 1_000;

/**
 * A load balancer as `docs/operations.md` asks for: new requests go in turn to the gateways whose `/health/ready`
 * answered 200 at the last check. Where none did, they go to all gateways, as those of Envoy and AWS do.
 */
export class Balancer {
  readonly #gateways: () => readonly string[];
  readonly #checks: Promise<void>;
  #ready: readonly string[];
  #turn = 0;
  #stopped = false;

  /** @param gateways returns those that are configured now; the balancer reads the list at each check */
  constructor(gateways: () => readonly string[]) {
    this.#gateways = gateways;
    this.#ready = gateways();
    this.#checks = this.#check();
  }

  /** The gateway for the next request. */
  next(): string {
    return this.#ready[this.#turn++ % this.#ready.length] ?? NOWHERE;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#checks;
  }

  async #check(): Promise<void> {
    while (!this.#stopped) {
      const gateways = this.#gateways();
      const rest = sleep(CHECK_EVERY_MS);
      const states = await Promise.all(gateways.map(isReady));
      const ready = gateways.filter((_, n) => states[n]);
      this.#ready = ready.length ? ready : gateways;
      await rest;
    }
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(CHECK_EVERY_MS);
    return (await request(url, 'GET', '/health/ready', { signal })).status === 200;
  } catch {
    return false; // no connection, or no answer in time
  }
}
