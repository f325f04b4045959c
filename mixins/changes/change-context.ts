import type { Context } from 'moleculer';
import type { Via } from '../../contract/audit.ts';
import { type Actor, actorOf, type Caller } from '../../contract/caller.ts';
import type { AuditRule } from '../../contract/contract.ts';
import type { ContractedAction, Locals, Meta } from '../../contract/contract-types.ts';
import type { EventType } from '../../contract/outgoing-event.ts';

/** The actor and the request of a change, for the store that writes the change. */
export interface ChangeContext {
  actor: Actor;
  via: Via;
  requestId: string | null;
  /** The action that makes the change, as in `issues.update`. */
  operation: string;
  audit: AuditRule;
  /** The outgoing event that the change is, where not the store tells of it. A change that is not audited is none. */
  outgoing?: { publish: string; type: EventType; snapshot: object } | undefined;
  /**
   * A time that is before the change, whatever the clock of this process says: that of other documents on which the change
   * rests.
   */
  after?: Date | undefined;
  /** The `If-Match` of the request. */
  ifMatch?: string | undefined;
  /** The id that a created resource gets. */
  reservedId?: number | undefined;
}

type ActionContext = Pick<
  Context<unknown, Meta & { caller: Caller }, Locals>,
  'action' | 'requestID' | 'meta' | 'locals'
>;

/**
 * The context of a change that an action makes, by the action's contract. Throws a `TypeError` when the
 * contract has no `audit`. `actor` makes the change; the caller does unless it is given.
 */
export function changeOf(
  { action, requestID, meta, locals }: ActionContext,
  actor: Actor = actorOf(meta.caller),
): ChangeContext {
  const { name, contract } = action as ContractedAction;
  const audit = contract?.().audit;
  if (!audit) throw new TypeError(`${name} does not say what the audit log records of it`);
  return {
    actor,
    via: viaOf(meta),
    requestId: requestID,
    operation: name,
    audit,
    ifMatch: locals.ifMatch,
    reservedId: locals.reservedId,
  };
}

/** The context of a change that a service makes of itself: in a sweep, or when it hears of an event. */
export const systemChange = (
  service: string,
  operation: string,
  audit: AuditRule,
): ChangeContext => ({
  actor: { type: 'system', id: null, name: service },
  via: 'system',
  requestId: null,
  operation,
  audit,
});

function viaOf({ caller, client, via }: Meta): Via {
  if (caller?.kind === 'run' || caller?.kind === 'system') return caller.kind;
  if (via) return via;
  return client && caller?.kind !== 'operator-console' ? 'http' : 'console';
}
