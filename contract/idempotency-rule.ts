import type { z } from 'zod';
import type { ActionContract } from './contract.ts';

/** The effect of an `Idempotency-Key` on a POST whose contract names no rule is a record of its reply. */
export type IdempotencyRule =
  /** The action creates a resource; a record reserves the resource's id from this sequence. */
  | { sequence: string }
  /**
   * The body may have secrets that the validation drops. A record is then made of the validated parameters, or of the
   * faults of an invalid request, so that it depends on no secret.
   */
  | { hasSecrets: true }
  /** The reason why the action ignores the header. */
  | { none: string };

/** Whether a repeat of the action with the same `Idempotency-Key` gets the stored reply: every POST without a reason. */
export const takesIdempotencyKey = ({
  route,
  idempotency,
}: Pick<ActionContract, 'route' | 'idempotency'>): boolean =>
  isPost(route) && !(idempotency && 'none' in idempotency);

/** The sequence of the ids that records reserve; null for an action that creates no resource with an id. */
export const sequenceOf = ({ idempotency }: Pick<ActionContract, 'idempotency'>): string | null =>
  idempotency && 'sequence' in idempotency ? idempotency.sequence : null;

/** Whether a body may have secrets that the validation drops. */
export const hasSecrets = ({ idempotency }: Pick<ActionContract, 'idempotency'>): boolean =>
  idempotency !== undefined && 'hasSecrets' in idempotency;

const isPost = (route: ActionContract['route']): boolean => route?.startsWith('POST ') ?? false;

/**
 * Throws for an action whose rule contradicts its route, status or result: a rule on another method, a public POST
 * that takes keys of nobody, an upload that takes keys, a creation without a sequence, and a secret that a repeat could not omit.
 */
export function assertIdempotency(name: string, contract: ActionContract): void {
  const { route, access, status, idempotency, shownOnce, upload } = contract;
  const reasons = [
    upload && takesIdempotencyKey(contract) && 'an upload ignores an Idempotency-Key',
    idempotency && !isPost(route) && 'only a POST takes an Idempotency-Key',
    takesIdempotencyKey(contract) &&
      access.who === 'public' &&
      'a POST of anonymous callers has to say why it ignores an Idempotency-Key',
    takesIdempotencyKey(contract) &&
      status === 201 &&
      !idempotency &&
      'a POST that creates has to name the sequence of its ids',
    ...(shownOnce ?? []).map((field) => !isNullable(contract, field) && `${field} cannot be null`),
  ];
  const reason = reasons.find((found) => found);
  if (reason) throw new TypeError(`${name}: ${reason}`);
}

/** Whether the result may have null in a field that is shown once. */
function isNullable({ result }: ActionContract, field: string): boolean {
  const { shape } = (result ?? {}) as Partial<z.ZodObject>;
  const type = shape?.[field] as z.ZodType | undefined;
  return type?.safeParse(null).success ?? false;
}
