import { hash } from 'node:crypto';

/** Characters of a fingerprint. Two of a million ids in progress share one with a chance below 10^-17. */
const LENGTH = 16;

/**
 * What probes name an item by. Who knows the id of a call can forge the call's response, and a probe goes to
 * nodes that do not have the call.
 */
export const fingerprintOf = (id: string): string =>
  hash('sha256', id, 'base64url').slice(0, LENGTH);

/** A set of ids that is asked by fingerprint. An id that goes before the next question is never hashed. */
export class FingerprintedIds {
  readonly #unhashed = new Set<string>();
  readonly #fingerprints = new Set<string>();

  add(id: string): void {
    this.#unhashed.add(id);
  }

  delete(id: string): void {
    if (!this.#unhashed.delete(id)) this.#fingerprints.delete(fingerprintOf(id));
  }

  has(fingerprint: string): boolean {
    for (const id of this.#unhashed) this.#fingerprints.add(fingerprintOf(id));
    this.#unhashed.clear();
    return this.#fingerprints.has(fingerprint);
  }
}
