import type { Scope } from './access-rule.ts';
import type { ACTOR_TYPES } from './audit.ts';

/** Who is calling. It travels with every call; a call that carries none is refused. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'person';
      readonly userId: number;
      readonly name: string;
      readonly sessionId: string;
    }
  /** An account for programs, which belongs to one workspace. */
  | {
      readonly kind: 'service-account';
      readonly accountId: number;
      readonly name: string;
      readonly workspaceId: number;
    }
  | {
      readonly kind: 'api-key';
      readonly keyId: number;
      readonly name: string;
      readonly workspaceId: number;
      readonly scopes: readonly Scope[];
    }
  /** A flow run: acts as its workspace, never as a person. */
  | { readonly kind: 'run'; readonly runId: number; readonly workspaceId: number }
  /** A service's own work. */
  | { readonly kind: 'system'; readonly service: string }
  /** An operator at the REPL. */
  | { readonly kind: 'operator-console' };

/** Who shows neither token nor key. */
export const ANONYMOUS: Caller = Object.freeze({ kind: 'anonymous' });

/** A caller for the log and for what is counted by caller, without anything that could be used to call. */
export function nameOfCaller(caller: Caller | undefined): string | undefined {
  if (caller?.kind === 'person') return `user:${caller.userId}`;
  if (caller?.kind === 'service-account') return `service-account:${caller.accountId}`;
  if (caller?.kind === 'api-key') return `api-key:${caller.keyId}`;
  if (caller?.kind === 'run') return `run:${caller.runId}`;
  if (caller?.kind === 'system') return `system:${caller.service}`;
  return caller?.kind === 'operator-console' ? caller.kind : undefined;
}

/** Who made something, as it is kept with what was made: `{type, id, name}`. */
export interface Actor {
  type: (typeof ACTOR_TYPES)[number];
  id: number | null;
  name: string;
}

/** The record of a caller in what it makes. */
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

/** Call options under which a service calls as itself: `ctx.call(name, params, asSystem('runs'))`. */
export const asSystem = (service: string): { meta: { caller: Caller } } => ({
  meta: { caller: Object.freeze({ kind: 'system', service }) },
});

/** Call options of the operator at the REPL. */
export const asConsole: { meta: { caller: Caller } } = {
  meta: { caller: Object.freeze({ kind: 'operator-console' }) },
};
