import type { JournalEntry, SentSecrets } from '../../../../../models/journal-entry.ts';

/** Versions of one credential's secrets that a run masks: the latest ones. Older versions are forgotten. */
export const MAX_VERSIONS = 8;
/** Characters of the sealed secrets that one call asks `connections` to open. Further secrets are another batch. */
const MAX_BATCH_CHARS = 256 * 1024;
/** Sealed secrets that one call asks `connections` to open. Further secrets are another batch. */
const MAX_BATCH_ITEMS = 500;

/** The secrets that earlier workers of a run have sent, as the journal has them: sealed. */
export class EarlierSecrets {
  /** The latest versions of each credential, in the order in which they were sent first. */
  #sealed: SentSecrets[] = [];
  readonly #versions = new Map<number, number>();
  /** Credentials whose secrets older versions of the service have sent, without a journal entry for the secrets. */
  readonly unsealedIds = new Set<number>();

  /** Takes the secrets of an entry. Entries come in the order of the journal. */
  load({ effect, sentSecrets }: Pick<JournalEntry, 'effect' | 'sentSecrets'>): void {
    if (sentSecrets) this.#add(sentSecrets);
    const id = effect?.credentialId;
    if (id !== undefined && !this.#versions.has(id)) this.unsealedIds.add(id);
  }

  /** Takes the secrets that a checkpoint keeps. */
  restore(sealed: readonly SentSecrets[], unsealedIds: readonly number[]): void {
    for (const sent of sealed) this.#add(sent);
    for (const id of unsealedIds) this.unsealedIds.add(id);
  }

  /** The sealed secrets in the order in which they were sent. */
  get sealed(): readonly SentSecrets[] {
    return this.#sealed;
  }

  #add(sent: SentSecrets): void {
    const { credentialId } = sent;
    const versions = (this.#versions.get(credentialId) ?? 0) + 1;
    this.#versions.set(credentialId, versions);
    this.#sealed.push(sent);
    if (versions <= MAX_VERSIONS) return;
    const oldest = this.#sealed.findIndex((earlier) => earlier.credentialId === credentialId);
    this.#sealed.splice(oldest, 1);
  }

  get isEmpty(): boolean {
    return this.#sealed.length === 0 && this.unsealedIds.size === 0;
  }

  /** Returns the sealed secrets in the order in which they were sent, in batches that fit into one call each. */
  batchSealed(): SentSecrets[][] {
    const batches: SentSecrets[][] = [];
    let chars = Number.POSITIVE_INFINITY;
    for (const sent of this.#sealed) {
      const batch = batches.at(-1);
      chars += sent.sealed.length;
      if (batch && chars <= MAX_BATCH_CHARS && batch.length < MAX_BATCH_ITEMS) batch.push(sent);
      else {
        batches.push([sent]);
        chars = sent.sealed.length;
      }
    }
    return batches;
  }

  /** The approximate bytes of memory that the sealed secrets take. */
  get weight(): number {
    return this.#sealed.reduce((bytes, { sealed }) => bytes + 100 + sealed.length, 0);
  }
}
