import { z } from 'zod';
import { SCOPES } from './access-rule.ts';
import type { ACTOR_TYPES } from './audit.ts';
import { Id } from './fields.ts';
import { Forbidden, Problem } from './problem.ts';

/** A person with a session. */
export const PersonCaller = z.strictObject({
  kind: z.literal('person'),
  userId: Id,
  name: z.string(),
  sessionId: z.string(),
});
export type PersonCaller = Readonly<z.output<typeof PersonCaller>>;

/** An API key, which belongs to one workspace. */
export const ApiKeyCaller = z.strictObject({
  kind: z.literal('api-key'),
  keyId: Id,
  name: z.string(),
  workspaceId: Id,
  scopes: z.array(z.enum(SCOPES)).readonly(),
});
export type ApiKeyCaller = Readonly<z.output<typeof ApiKeyCaller>>;

/** An account for programs, which belongs to one workspace. */
export const ServiceAccountCaller = z.strictObject({
  kind: z.literal('service-account'),
  accountId: Id,
  name: z.string(),
  workspaceId: Id,
});
export type ServiceAccountCaller = Readonly<z.output<typeof ServiceAccountCaller>>;

/** The caller of an action, which travels with every call. A call without a caller is refused. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | PersonCaller
  | ServiceAccountCaller
  | ApiKeyCaller
  /** A flow run: acts as its workspace, never as a person. */
  | { readonly kind: 'run'; readonly runId: number; readonly workspaceId: number }
  /** A service that does work of its own. */
  | { readonly kind: 'system'; readonly service: string }
  /** An operator at the REPL. */
  | { readonly kind: 'operator-console' };

/** The caller of a request without token and key. */
export const ANONYMOUS: Caller = Object.freeze({ kind: 'anonymous' });

/** The name of a caller in the log and as a key of counters: it contains no secret. Undefined without an identity. */
export function nameOfCaller(caller: Caller | undefined): string | undefined {
  if (caller?.kind === 'person') return `user:${caller.userId}`;
  if (caller?.kind === 'service-account') return `service-account:${caller.accountId}`;
  if (caller?.kind === 'api-key') return `api-key:${caller.keyId}`;
  if (caller?.kind === 'run') return `run:${caller.runId}`;
  if (caller?.kind === 'system') return `system:${caller.service}`;
  return caller?.kind === 'operator-console' ? caller.kind : undefined;
}

/** The record of a caller that is stored with each resource and each audit entry that the caller makes. */
export interface Actor {
  type: (typeof ACTOR_TYPES)[number];
  id: number | null;
  name: string;
}

/** The calling person; callers of other kinds get 403. */
export function personOf(caller: Caller): PersonCaller {
  if (caller.kind === 'person') return caller;
  throw new Problem(Forbidden, 'Only a person may do this.');
}

/** Makes the record of a caller. */
export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'person':
      return { type: 'person', id: caller.userId, name: caller.name };
    case 'service-account':
      return { type: 'service-account', id: caller.accountId, name: caller.name };
    case 'api-key':
      return { type: 'api-key', id: caller.keyId, name: caller.name };
    case 'run':
      return { type: 'run', id: caller.runId, name: 'run' };
    case 'system':
      return { type: 'system', id: null, name: caller.service };
    case 'operator-console':
      return { type: 'operator-console', id: null, name: 'operator console' };
    case 'anonymous':
      throw new TypeError('an anonymous caller makes nothing');
  }
}

/** The options of a call that a service makes in its own name: `ctx.call(name, params, asSystem('runs'))`. */
export const asSystem = (service: string): { meta: { caller: Caller } } => ({
  meta: { caller: Object.freeze({ kind: 'system', service }) },
});

/** The options of a call by the operator at the REPL. */
export const asConsole: { meta: { caller: Caller } } = {
  meta: { caller: Object.freeze({ kind: 'operator-console' }) },
};
