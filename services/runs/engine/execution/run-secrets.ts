import { flowError, type Json, type Mask } from '@workspace-automation/flow-language';
import { createMask } from '../../../../support/masking/mask.ts';
import type { ConnectionsCalls } from './effects/effect.ts';

type AskSecrets = ConnectionsCalls['secretsToMask'];

/** Values of one credential that are masked: its present ones, and those before changes and renewed tokens. Older ones are forgotten. */
const MAX_VERSIONS = 8;
/** Credentials whose secrets a run masks. A call that would use one more fails with `RUN_TOO_LARGE`. */
const MAX_CREDENTIALS = 64;
/** Characters of all secrets that a run masks. A call that would exceed them fails with `RUN_TOO_LARGE`. */
const MAX_CHARS = 32 * 1024;
/** Approximate bytes of memory that a mask takes for each character of its secrets. */
const MASK_BYTES = 1_000;

/** The secrets of a credential at one time. */
interface Version {
  readonly secrets: readonly string[];
  readonly longest: number;
  /** Absent until something is masked, because making a mask takes CPU time. */
  mask?: Mask;
}

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
  #earlier: Version[] = [];
  /** The latest versions of each credential, the newest last. */
  readonly #versions = new Map<number, readonly Version[]>();
  /** All versions in the order in which they mask: a secret may be a part of a longer one. */
  #ordered: readonly Version[] = [];
  /** Characters of all secrets. */
  #chars = 0;

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
    this.#earlier = [...this.#earlier, ...versionsOf(secrets)];
    this.#order();
  }

  /** Adds the secrets of a credential, before the first request that contains them. */
  add(credentialId: number | null, secrets: readonly string[]): void {
    const known = this.#versions.get(credentialId ?? 0) ?? [];
    if (known.some((version) => secrets.every((secret) => version.secrets.includes(secret))))
      return;
    const versions = [...known, ...versionsOf(secrets)].slice(-MAX_VERSIONS);
    this.#versions.set(credentialId ?? 0, versions);
    this.#order();
  }

  #order(): void {
    const all = [...this.#earlier, ...[...this.#versions.values()].flat()];
    this.#ordered = all.sort((one, other) => other.longest - one.longest);
    const secrets = all.flatMap((version) => version.secrets);
    this.#chars = secrets.reduce((chars, { length }) => chars + length, 0);
  }

  /** The approximate bytes of memory that the masks take. */
  get weight(): number {
    return this.#chars * MASK_BYTES;
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
    return this.#masks().reduce((masked, mask) => mask.maskText(masked), text);
  }

  maskJson(value: Json): Json {
    return this.#masks().reduce((masked, mask) => mask.maskJson(masked), value);
  }

  #masks(): Mask[] {
    return this.#ordered.map((version) => {
      version.mask ??= createMask(version.secrets);
      return version.mask;
    });
  }
}

const versionsOf = (secrets: readonly string[]): Version[] =>
  secrets.length === 0
    ? []
    : [{ secrets, longest: Math.max(...secrets.map(({ length }) => length)) }];
