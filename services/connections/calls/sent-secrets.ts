import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Actions, Params } from '../../contracts.ts';
import type { CallRefusal, PreparedRequest } from '../contract/internal.ts';
import { openIfSealed } from '../envelope/foreign-texts.ts';
import type { FieldSealer, SealedPlace } from '../envelope/field-sealer.ts';
import { SealedTextError } from '../envelope/sealed-text-error.ts';

/** Characters of all sealed secrets in memory. Beyond them the least recently used ones are sealed again. */
const MAX_CHARS = 8 * 1024 * 1024;
/** Milliseconds for which sealed secrets stay in memory. */
const TTL_MS = 60_000;

const SecretTexts = z.array(z.string());

type PreparedCall = Actions['connections.prepareCall']['result'];
type Opened = Actions['connections.openSecrets']['result'];

/**
 * Seals the secrets of prepared calls for the journals of runs, and opens them for later workers. Calls with the same
 * secrets get the same sealed text for a while, because a data key has a limited number of nonces.
 */
export class SentSecretsSealer {
  readonly #sealer: FieldSealer;
  readonly #sealed = new LRUCache<string, string>({
    maxSize: MAX_CHARS,
    sizeCalculation: ({ length }) => length,
    ttl: TTL_MS,
    ttlResolution: 0,
  });

  constructor(sealer: FieldSealer) {
    this.#sealer = sealer;
  }

  /** Adds the sealed secrets to a prepared call. A call of a workspace that was deleted meanwhile is refused. */
  async sealCall(
    workspaceId: number,
    prepared: PreparedRequest | CallRefusal,
  ): Promise<PreparedCall> {
    if (!prepared.ok) return prepared;
    const { credentialId, secrets } = prepared;
    if (credentialId === null || secrets.length === 0) return { ...prepared, sealedSecrets: null };
    try {
      const sealedSecrets = await this.#seal({ workspaceId, credentialId }, secrets);
      return { ...prepared, sealedSecrets };
    } catch (error) {
      if (error instanceof SealedTextError) return DELETED;
      throw error;
    }
  }

  async #seal(credential: Credential, secrets: readonly string[]): Promise<string> {
    const text = JSON.stringify(secrets);
    const { workspaceId, credentialId } = credential;
    const digest = createHash('sha256').update(text).digest('base64');
    const key = `${workspaceId}/${credentialId}/${digest}`;
    const known = this.#sealed.get(key);
    if (known !== undefined) return known;
    const sealed = await this.#sealer.sealDerived(placeOf(credential), text);
    this.#sealed.set(key, sealed);
    return sealed;
  }

  /** Opens what journals of the workspace have, also for credentials that were changed or deleted. */
  async open({ workspaceId, sealed }: Params<'connections.openSecrets'>): Promise<Opened> {
    const opening = sealed.map((sent) => this.#open({ workspaceId, ...sent }, sent.sealed));
    return { opened: await Promise.all(opening) };
  }

  /** Opens one text; null where it was not sealed for this credential. */
  async #open(credential: Credential, sealed: string): Promise<string[] | null> {
    const text = await openIfSealed(this.#sealer, placeOf(credential), sealed);
    return text === null ? null : SecretTexts.parse(JSON.parse(text));
  }
}

const DELETED: CallRefusal = {
  ok: false,
  code: 'REFERENCE_NOT_FOUND',
  detail: 'The auth credential has been deleted.',
};

/** The credential whose secrets were sent. */
interface Credential {
  workspaceId: number;
  credentialId: number;
}

const placeOf = ({ workspaceId, credentialId: id }: Credential): SealedPlace => ({
  workspaceId,
  id,
  field: 'run-secrets',
});
