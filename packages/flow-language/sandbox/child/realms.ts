import type { Script } from 'node:vm';
import { REALMS_PER_CHILD } from '../limits.ts';
import { Realm } from './realm.ts';

/** The realms of a child, one for each tenant. Beyond `REALMS_PER_CHILD`, the least recently used is dropped. */
export class Realms {
  /** The realms by tenant, the least recently used first: a Map keeps the order of insertion. */
  readonly #known = new Map<string, Realm>();
  readonly #script: Script;
  #spare: Realm | null = null;

  constructor(script: Script) {
    this.#script = script;
  }

  of(tenant: string): Realm {
    const realm = this.#known.get(tenant) ?? this.#takeSpare();
    this.#known.delete(tenant);
    this.#known.set(tenant, realm);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= REALMS_PER_CHILD) break;
      this.#known.delete(oldest);
    }
    return realm;
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  has(tenant: string): boolean {
    return this.#known.has(tenant);
  }

  get hasSpare(): boolean {
    return this.#spare !== null;
  }

  /** Makes a realm ahead for the next tenant without a realm. */
  prepare(): void {
    this.#spare ??= new Realm(this.#script);
  }

  /** Drops all realms, which can be made again. */
  clear(): void {
    this.#known.clear();
    this.#spare = null;
  }

  #takeSpare(): Realm {
    const realm = this.#spare ?? new Realm(this.#script);
    this.#spare = null;
    return realm;
  }
}
