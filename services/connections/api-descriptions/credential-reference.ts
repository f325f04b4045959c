import { randomUUID } from 'node:crypto';
import type { UrlTemplate } from '@workspace-automation/outbound-http';
import { invalidField } from '../../../contract/problem.ts';
import {
  authCredentials,
  type StoredAuthCredential,
} from '../auth-credentials/auth-credentials.store.ts';
import { isAllowedTarget } from '../auth-credentials/origins/origins.ts';
import {
  releaseCredentials,
  reserveCredentials,
} from '../auth-credentials/references/reservations.ts';

/** The wanted credential of a description, and the field of the request that names the credential. */
export interface WishedCredential {
  id: number;
  field: 'authCredentialId' | 'authCredentials.id';
}

interface Wish {
  authCredentialId?: number | undefined;
  authCredentials?: { id: number } | undefined;
}

/** The wanted credential; null without both fields. `authCredentials` counts without `authCredentialId`. */
export function wishedCredential({
  authCredentialId: id,
  authCredentials: shown,
}: Wish): WishedCredential | null {
  if (id === undefined) return shown ? { id: shown.id, field: 'authCredentials.id' } : null;
  if (shown && shown.id !== id) {
    const why = 'names another credential than authCredentials';
    throw invalidField('authCredentialId', 'contradiction', why);
  }
  return { id, field: 'authCredentialId' };
}

/** Throws a 400 unless the credential may be used for the template's origin. */
export function assertOriginAllowed(
  credential: Pick<StoredAuthCredential, 'name' | 'authType' | 'allowedOrigins'>,
  { origin }: UrlTemplate,
  field: WishedCredential['field'] = 'authCredentialId',
): void {
  const { name, allowedOrigins } = credential;
  if (isAllowedTarget(credential, new URL(origin))) return;
  throw invalidField(
    field,
    'origin_not_allowed',
    `the credential "${name}" is not sent to ${origin}, only to ${allowedOrigins.join(', ')}`,
  );
}

/** Reserves credentials while references to them are written, so that a deletion waits for the writer. */
export class CredentialReservation {
  readonly #workspaceId: number;
  readonly #token = randomUUID();
  readonly #reserved = new Set<number>();

  constructor(workspaceId: number) {
    this.#workspaceId = workspaceId;
  }

  /**
   * Reserves the credential, or prolongs its reservation. Throws a 400 that names the field when the workspace has no
   * such credential.
   */
  async reserve({ id, field }: WishedCredential): Promise<StoredAuthCredential> {
    const workspaceId = this.#workspaceId;
    const { credentials } = await reserveCredentials({
      workspaceId,
      ids: [id],
      token: this.#token,
    });
    if (credentials.length > 0) this.#reserved.add(id);
    const credential = credentials.length > 0 ? await authCredentials.find(id) : null;
    if (!credential) {
      throw invalidField(field, 'not_found', `the workspace has no auth credential ${id}`);
    }
    return credential;
  }

  /** Ends the reservations. A reservation that cannot be ended expires, and the written reference counts. */
  async release(): Promise<void> {
    if (this.#reserved.size === 0) return;
    const ids = [...this.#reserved];
    const reserved = { workspaceId: this.#workspaceId, ids, token: this.#token };
    await releaseCredentials(reserved).catch(() => undefined);
  }
}

/** Does the work with a reservation, which ends with the work. */
export async function withReservation<T>(
  workspaceId: number,
  work: (reservation: CredentialReservation) => Promise<T>,
): Promise<T> {
  const reservation = new CredentialReservation(workspaceId);
  try {
    return await work(reservation);
  } finally {
    await reservation.release();
  }
}
