import { flowError, type Json, type Mask } from '@workspace-automation/flow-language';
import { createMask } from '../../../../support/masking/mask.ts';
import type { ConnectionsCalls } from './effects/effect.ts';
import { type EarlierSecrets, MAX_VERSIONS } from './journal/earlier-secrets.ts';

type AskSecrets = Pick<ConnectionsCalls, 'openSecrets' | 'secretsToMask'>;

/** Values of one credential that are masked although the secrets of the run exceed `MAX_CHARS`. */
const MIN_VERSIONS = 2;
/**
 * Credentials whose secrets a run masks. A call that would use one more fails with `RUN_TOO_LARGE`, as does every later
 * call of the run. Each credential takes some milliseconds of CPU time to mask.
 */
const MAX_CREDENTIALS = 32;
/**
 * Characters of all secrets that a run masks. A call that would exceed them fails with `RUN_TOO_LARGE`,
 * as do later calls, until shorter secrets replace the oldest.
 */
const MAX_CHARS = 16 * 1024;
/** Approximate bytes of memory that the mask takes for each credential. */
const MASK_BYTES = 400_000;

/** Thrown where secrets that a run has sent cannot be opened: answers could not be masked by them. */
export class UnknownSecretsError extends Error {
  override readonly name = 'UnknownSecretsError';

  constructor(credentialId: number) {
    super(`the secrets of the auth credential ${credentialId} that the run has sent do not open`);
  }
}

/**
 * The secrets of the credentials that a run has used. No result of a call may show them, because called servers may
 * repeat what they were sent. The secrets stay in memory, for as long as this process executes the run; the journal
 * has them sealed.
 */
export class RunSecrets implements Mask {
  readonly #workspaceId: number;
  readonly #ask: AskSecrets;
  /** The secrets that earlier workers sent, until this worker knows them; null afterwards. */
  #unknown: EarlierSecrets | null;
  /** The secrets of credentials that workers of an older version used, as they are now. */
  #earlier: readonly string[] = [];
  /** The secrets of each credential: the latest values, the newest last. */
  readonly #versions = new Map<number, readonly (readonly string[])[]>();
  /** The mask of all secrets; null until something is masked, because making a mask takes CPU time. */
  #mask: Mask | null = null;

  constructor(workspaceId: number, earlier: EarlierSecrets, ask: AskSecrets) {
    this.#workspaceId = workspaceId;
    this.#ask = ask;
    this.#unknown = earlier.isEmpty ? null : earlier;
  }

  /** Whether all secrets are known that the run has sent. */
  get isComplete(): boolean {
    return this.#unknown === null;
  }

  /** Asks for the secrets that earlier workers sent. Throws `UnknownSecretsError` where they cannot be opened. */
  async complete(): Promise<void> {
    const unknown = this.#unknown;
    if (!unknown) return;
    const [opened, present] = await Promise.all([
      this.#openSealed(unknown),
      this.#askPresent([...unknown.unsealedIds]),
    ]);
    for (const { credentialId, secrets } of opened) this.add(credentialId, secrets);
    this.#earlier = present;
    this.#mask = null;
    this.#unknown = null;
  }

  async #openSealed(earlier: EarlierSecrets) {
    const workspaceId = this.#workspaceId;
    const opened: { credentialId: number; secrets: readonly string[] }[] = [];
    for (const sealed of earlier.batchSealed()) {
      const answer = await this.#ask.openSecrets({ workspaceId, sealed });
      for (const [at, { credentialId }] of sealed.entries()) {
        const secrets = answer.opened[at];
        if (!secrets) throw new UnknownSecretsError(credentialId);
        opened.push({ credentialId, secrets });
      }
    }
    return opened;
  }

  async #askPresent(credentialIds: number[]): Promise<readonly string[]> {
    if (credentialIds.length === 0) return [];
    const workspaceId = this.#workspaceId;
    return (await this.#ask.secretsToMask({ workspaceId, credentialIds })).secrets;
  }

  /**
   * Adds the secrets of a credential, before the first request that contains them. Returns whether they are another
   * version than the known ones, so that the journal needs them.
   */
  add(credentialId: number | null, secrets: readonly string[]): boolean {
    const known = this.#versions.get(credentialId ?? 0) ?? [];
    const isKnown = known.some((version) => secrets.every((secret) => version.includes(secret)));
    if (isKnown || secrets.length === 0) return false;
    let versions = [...known, secrets].slice(-MAX_VERSIONS);
    this.#versions.set(credentialId ?? 0, versions);
    while (this.#chars > MAX_CHARS && versions.length > MIN_VERSIONS) {
      versions = versions.slice(1);
      this.#versions.set(credentialId ?? 0, versions);
    }
    this.#mask = null;
    return true;
  }

  /** All secrets, each once. */
  get #secrets(): string[] {
    return [...new Set([...this.#earlier, ...[...this.#versions.values()].flat(2)])];
  }

  /** Characters of all secrets. */
  get #chars(): number {
    return this.#secrets.reduce((sum, { length }) => sum + length, 0);
  }

  /** The approximate bytes of memory that the mask takes. */
  get weight(): number {
    return this.#secrets.length * MASK_BYTES;
  }

  /** Throws before a request whose answer would take too much to mask. */
  assertMaskable(): void {
    if (this.#versions.size <= MAX_CREDENTIALS && this.#chars <= MAX_CHARS) return;
    const detail = `a run may use ${MAX_CREDENTIALS} credentials, with ${MAX_CHARS} characters of secrets together`;
    throw flowError('runtime', 'RUN_TOO_LARGE', detail);
  }

  /** Whether a text shows a secret in any spelling. */
  isShownIn(text: string): boolean {
    return this.maskText(text) !== text;
  }

  maskText(text: string): string {
    return this.#present()?.maskText(text) ?? text;
  }

  maskJson(value: Json): Json {
    const mask = this.#present();
    return mask ? mask.maskJson(value) : value;
  }

  /** The mask of all secrets; null without secrets. */
  #present(): Mask | null {
    if (this.#versions.size === 0 && this.#earlier.length === 0) return null;
    this.#mask ??= createMask(this.#secrets);
    return this.#mask;
  }
}
