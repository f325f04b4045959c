import { flowError, type Json, type Mask } from '@workspace-automation/flow-language';
import { createMask } from '../../../../support/masking/mask.ts';
import type { ConnectionsCalls } from './effects/effect.ts';

type AskSecrets = ConnectionsCalls['secretsToMask'];

/** Values of one credential that are masked: its present ones, and those before changes and renewed tokens. Older ones are forgotten. */
const MAX_VERSIONS = 8;
/** Values of one credential that are masked although the secrets of the run exceed `MAX_CHARS`. */
const MIN_VERSIONS = 2;
/** Credentials whose secrets a run masks. A call that would use one more fails with `RUN_TOO_LARGE`. Each takes some milliseconds of CPU time to mask. */
const MAX_CREDENTIALS = 32;
/** Characters of all secrets that a run masks. A call that would exceed them fails with `RUN_TOO_LARGE`. */
const MAX_CHARS = 16 * 1024;
/** Approximate bytes of memory that the mask takes for each credential. */
const MASK_BYTES = 400_000;

/**
 * The secrets of the credentials that a run has used. No result of a call may show them, because called servers may
 * repeat what they were sent. The secrets stay in memory, for as long as this process executes the run.
 */
export class RunSecrets implements Mask {
  readonly #workspaceId: number;
  readonly #ask: AskSecrets;
  /** Credentials that earlier workers used, whose secrets this worker has not asked for. */
  readonly #unknown: Set<number>;
  /** The secrets that earlier workers sent. */
  #earlier: readonly string[] = [];
  /** The secrets of each credential: the latest values, the newest last. */
  readonly #versions = new Map<number, readonly (readonly string[])[]>();
  /** The mask of all secrets; null until something is masked, because making a mask takes CPU time. */
  #mask: Mask | null = null;

  constructor(workspaceId: number, usedIds: Iterable<number>, ask: AskSecrets) {
    this.#workspaceId = workspaceId;
    this.#ask = ask;
    this.#unknown = new Set(usedIds);
  }

  /** Whether the secrets of all credentials are known that the run has used. */
  get isComplete(): boolean {
    return this.#unknown.size === 0;
  }

  /** Asks for the secrets of credentials that earlier workers used. */
  async complete(): Promise<void> {
    const credentialIds = [...this.#unknown];
    const { secrets } = await this.#ask({ workspaceId: this.#workspaceId, credentialIds });
    for (const id of credentialIds) this.#unknown.delete(id);
    this.#earlier = [...this.#earlier, ...secrets];
    this.#mask = null;
  }

  /** Adds the secrets of a credential, before the first request that contains them. */
  add(credentialId: number | null, secrets: readonly string[]): void {
    const known = this.#versions.get(credentialId ?? 0) ?? [];
    const isKnown = known.some((version) => secrets.every((secret) => version.includes(secret)));
    if (isKnown || secrets.length === 0) return;
    let versions = [...known, secrets].slice(-MAX_VERSIONS);
    this.#versions.set(credentialId ?? 0, versions);
    while (this.#chars > MAX_CHARS && versions.length > MIN_VERSIONS) {
      versions = versions.slice(1);
      this.#versions.set(credentialId ?? 0, versions);
    }
    this.#mask = null;
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
