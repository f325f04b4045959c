import type { JournalEntry, SentSecrets } from '../../../../models/journal-entry.ts';

/** Versions of one credential's secrets that a run masks: the latest ones. Older versions are forgotten. */
export const MAX_VERSIONS = 8;
/** Characters of the sealed secrets of one question to `connections`. Further secrets are asked for by another one. */
const MAX_QUESTION_CHARS = 256 * 1024;
/** Sealed secrets of one question to `connections`. */
const MAX_QUESTION_ITEMS = 500;

/** The secrets that earlier workers of a run have sent, as the journal has them: sealed. */
export class EarlierSecrets {
  /** The latest versions of each credential, in the order in which they were sent first. */
  #sealed: SentSecrets[] = [];
  readonly #versions = new Map<number, number>();
  /** Credentials whose secrets older versions of the service have sent, without a journal entry for the secrets. */
  readonly unsealedIds = new Set<number>();

  /** Takes what an entry says of secrets. Entries come in the order of the journal. */
  load({ effect, sentSecrets }: JournalEntry): void {
    if (sentSecrets) this.#add(sentSecrets);
    const id = effect?.credentialId;
    if (id !== undefined && !this.#versions.has(id)) this.unsealedIds.add(id);
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

  /** The sealed secrets in the order in which they were sent, in parts that fit into one question each. */
  questions(): SentSecrets[][] {
    const parts: SentSecrets[][] = [];
    let chars = Number.POSITIVE_INFINITY;
    for (const sent of this.#sealed) {
      const part = parts.at(-1);
      chars += sent.sealed.length;
      if (part && chars <= MAX_QUESTION_CHARS && part.length < MAX_QUESTION_ITEMS) part.push(sent);
      else {
        parts.push([sent]);
        chars = sent.sealed.length;
      }
    }
    return parts;
  }

  /** The approximate bytes of memory that the sealed secrets take. */
  get weight(): number {
    return this.#sealed.reduce((bytes, { sealed }) => bytes + 100 + sealed.length, 0);
  }
}
