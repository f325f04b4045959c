import { randomUUID } from 'node:crypto';
import { noReference } from '../configurations.problems.ts';
import type { Directory } from './directory.ts';

/** The credentials of a pair. */
export const CREDENTIAL_FIELDS = ['sourceAuthCredentialId', 'destinationAuthCredentialId'] as const;
export type CredentialField = (typeof CREDENTIAL_FIELDS)[number];
/** A pair without its id. */
export type PairContent = { flowId: number } & Record<CredentialField, number | null>;

/** A reference of a request to a flow or a credential, and the field that holds it. */
interface Reference {
  field: string;
  id: number;
}

/** The names of a pair's fields in the request. `fieldOf(0, 'flowId')` is `flowCredentialPairs.0.flowId`. */
export type NameField = (at: number, field: 'flowId' | CredentialField) => string;

/**
 * Checks the references that a change adds to a store, and reserves its new credentials, so that none of them is
 * deleted before the change is written. A repeated check of the same change looks up no flow again, and reserves its
 * credentials anew: a change may wait longer than a reservation lasts.
 */
export class ReferenceCheck {
  readonly #directory: Directory;
  readonly #workspaceId: number;
  readonly #nameField: NameField;
  readonly #token = randomUUID();
  readonly #flows = new Set<number>();
  readonly #credentials = new Set<number>();

  constructor(directory: Directory, workspaceId: number, nameField: NameField) {
    this.#directory = directory;
    this.#workspaceId = workspaceId;
    this.#nameField = nameField;
  }

  /** Throws 400 for a reference that `before` lacks and the workspace as well. */
  async assertReferences(
    wanted: readonly PairContent[],
    before: readonly PairContent[],
  ): Promise<void> {
    const known = new Map(before.map((pair) => [pair.flowId, pair]));
    const flows: Reference[] = [];
    const credentials: Reference[] = [];
    for (const [at, pair] of wanted.entries()) {
      const old = known.get(pair.flowId);
      if (!old) flows.push({ field: this.#nameField(at, 'flowId'), id: pair.flowId });
      for (const name of CREDENTIAL_FIELDS) {
        const id = pair[name];
        if (id === null || id === old?.[name]) continue;
        credentials.push({ field: this.#nameField(at, name), id });
      }
    }
    await this.#assertFlows(flows);
    await this.#reserve(credentials);
  }

  /** Ends the reservations. One that cannot be ended expires. */
  async release(): Promise<void> {
    if (!this.#credentials.size) return;
    const ids = [...this.#credentials];
    await this.#directory.release(this.#workspaceId, ids, this.#token).catch(() => undefined);
  }

  async #assertFlows(references: readonly Reference[]): Promise<void> {
    const missing = references.filter(({ id }) => !this.#flows.has(id));
    if (!missing.length) return;
    const found = await this.#directory.flowsOf(this.#workspaceId, missing.map(idOf));
    for (const { field, id } of missing) {
      if (!found.has(id)) throw noReference(field, `flow ${id} is not in the workspace`);
      this.#flows.add(id);
    }
  }

  async #reserve(references: readonly Reference[]): Promise<void> {
    if (!references.length) return;
    const ids = references.map(idOf);
    const found = await this.#directory.reserve(this.#workspaceId, ids, this.#token);
    for (const id of found.keys()) this.#credentials.add(id);
    const fault = references.find(({ id }) => !found.has(id));
    if (fault) throw noReference(fault.field, `credential ${fault.id} is not in the workspace`);
  }
}

const idOf = ({ id }: Reference): number => id;
