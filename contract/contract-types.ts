import type { Readable } from 'node:stream';
import type { ActionSchema, CallingOptions, Context, Service } from 'moleculer';
import type { z } from 'zod';
import type { Role } from './access-rule.ts';
import type { Caller } from './caller.ts';
import type { Client } from './client.ts';
import {
  type ActionContract,
  assertAudited,
  type Place,
  type ServiceContract,
  type Shape,
} from './contract.ts';
import { assertEtag } from './etag-rule.ts';
import type { ByteRange } from './file-answer.ts';
import { assertIdempotency } from './idempotency-rule.ts';
import type { FieldFault } from './problem.ts';
import { assertTool } from './tool-rule.ts';

type ShapeAt<C, P extends Place> = C extends Record<P, infer S extends Shape> ? S : unknown;
type AllShapes<C> = ShapeAt<C, 'path'> &
  ShapeAt<C, 'query'> &
  ShapeAt<C, 'body'> &
  ShapeAt<C, 'header'>;
/** The one flat object of an action's parameters, whatever places they come from. */
export type ParamsOf<C> = z.ZodObject<AllShapes<C> extends Shape ? AllShapes<C> : Shape>;

type ResultOf<C> = C extends { result: infer R extends z.ZodType } ? R : null;
type Answer<C> = ResultOf<C> extends z.ZodType ? z.output<ResultOf<C>> : null;
type Answered<C> = ResultOf<C> extends z.ZodType ? z.input<ResultOf<C>> : null;

/**
 * The types of each action of one service's contract, by the name `service.action`: the parameters that
 * a caller gives, the parameters that the handler gets, and the result.
 */
export type ActionsOf<C> =
  C extends ServiceContract<infer N, infer A>
    ? {
        [K in keyof A & string as `${N}.${K}`]: {
          params: z.input<ParamsOf<A[K]>>;
          validated: z.output<ParamsOf<A[K]>>;
          result: Answer<A[K]>;
        };
      }
    : never;

export type Call<Actions> = <N extends keyof Actions & string>(
  name: N,
  params: Actions[N] extends { params: infer P } ? P : never,
  opts?: CallingOptions,
) => Promise<Actions[N] extends { result: infer R } ? R : never>;

/** The values that a call carries beside its parameters. */
export interface Meta {
  caller?: Caller;
  /** The HTTP client of the request; absent in calls without an HTTP request. */
  client?: Client;
  /** A model makes the call, for the caller. Only the service's own code sets it, and nested calls inherit it. */
  via?: 'assistant';
  /** The one workspace in which the call may act. The access check refuses every other; nested calls are not bound. */
  onlyWorkspaceId?: number;
  /** The faults that the gateway found in the request. They are answered after the access check. */
  faults?: readonly FieldFault[];
  /** The `If-Match` of the request: the change is refused with 412 unless the resource has this ETag. */
  ifMatch?: string;
  /** The id that an `Idempotency-Key` reserved for the resource that the call creates. */
  reservedId?: number;
  /** Whether only the access check runs, as before the replay of an earlier answer. The handler is not called. */
  accessOnly?: true;
  /** Where a stream of events goes on, from the page before: the action may wait for the next event. */
  next?: string;
  /** Which bytes of a file the call asks for; without it a call asks for the description of the file. */
  byteRange?: ByteRange;
  /** Whether the client wants the answer as server-sent events, where the contract says `streamed`. */
  asEvents?: true;
  /** The trace of the call, as a `traceparent` header. */
  traceparent?: string;
}

/** The values that middlewares hand to the handler of an action. */
export interface Locals {
  /** The caller's role in the workspace, from the access check; absent for system callers and keys. */
  role?: Role;
  /** These four come from the meta of the call. Nested calls do not inherit them. */
  ifMatch?: string | undefined;
  reservedId?: number | undefined;
  byteRange?: ByteRange | undefined;
  asEvents?: true | undefined;
  /** The resource that the access check has loaded: the one of `within`, else the one of `in`. */
  resource?: unknown;
}

export type TypedContext<Params, Actions, L extends Locals = Locals> = Omit<
  Context<Params, Meta & { caller: Caller }, L>,
  'call'
> & { call: Call<Actions> };

type LoaderName<S> = S extends { loader: infer N extends string }
  ? N
  : S extends { resource: infer N extends string }
    ? N
    : never;
type SourceAt<C, K extends string> = C extends { access: Record<K, infer S> } ? S : never;
/** The loader of a resource that a parameter names within the workspace. */
type NamedLoaderName<S> = S extends { by: 'name' } ? LoaderName<S> : never;
/** The loader whose result an action's handler gets; `never` for an action without a resource. */
type LoaderOf<C> = [LoaderName<SourceAt<C, 'within'>>] extends [never]
  ? LoaderName<SourceAt<C, 'in'> | SourceAt<C, 'of'>>
  : LoaderName<SourceAt<C, 'within'>>;
type Sources<C> = SourceAt<C, 'in'> | SourceAt<C, 'within'> | SourceAt<C, 'of'>;
/** The names of the loaders that a service needs, and those of loaders by name. */
type LoaderNames<A> = { [K in keyof A]: LoaderName<Sources<A[K]>> }[keyof A];
type NamedLoaderNames<A> = { [K in keyof A]: NamedLoaderName<Sources<A[K]>> }[keyof A];
/** The loaders that a service needs. */
type LoadersOf<A> = Record<Exclude<LoaderNames<A>, NamedLoaderNames<A>>, Loader> &
  Record<NamedLoaderNames<A>, NamedLoader>;
type Loaded<L> = L extends (...args: never) => Promise<infer R>
  ? NonNullable<R>
  : L extends { byName: (...args: never) => Promise<infer R> }
    ? NonNullable<R>
    : unknown;
/** The locals of a handler. Its resource is never null, because the access check answers 404 first. */
type LoadedLocals<C, L> = [LoaderOf<C>] extends [never]
  ? Locals
  : Locals & { resource: LoaderOf<C> extends keyof L ? Loaded<L[LoaderOf<C>]> : unknown };

export type Handlers<A extends Record<string, ActionContract>, Actions, L = object> = {
  [K in keyof A]: (
    this: Service,
    ctx: TypedContext<z.output<ParamsOf<A[K]>>, Actions, LoadedLocals<A[K], L>>,
  ) => Promise<Answered<A[K]> | Streamed<A[K]>> | Answered<A[K]> | Streamed<A[K]>;
};

/** The stream that a handler may answer in place of the result, where the contract allows one. */
type Streamed<C> = C extends { format: 'file' } | { streamed: 'events' } ? Readable : never;

/** Finds a resource by its id; null when there is none. The parameters of the call are not validated yet. */
export type Loader = (
  id: number,
  params: Readonly<Record<string, unknown>>,
) => Promise<{ workspaceId: number } | { _id: number } | null>;

/** Finds a resource of a workspace by the name that a parameter holds; null when there is none. */
export interface NamedLoader {
  byName: (name: string, workspaceId: number) => Promise<{ workspaceId: number } | null>;
}

/** The part of an action's schema that middlewares read. */
export interface ContractedAction {
  name: string;
  contract?: () => ActionContract;
  loaders?: () => Record<string, Loader | NamedLoader>;
}

/** The calls that `packages/moleculer-nats/remote-calls.ts` may repeat. */
function repeatsOf({ idempotent }: ActionContract): Record<string, unknown> {
  if (idempotent === 'with-key') return { idempotentWith: 'reservedId' satisfies keyof Meta };
  return idempotent ? { idempotent } : {};
}

/** The argument `loaders` may be left out where the contract names no resource. */
type LoadersArgument<A, L> = [LoaderNames<A>] extends [never] ? [] : [loaders: L];

/**
 * Makes the `actions` of a service from its contract, a handler for each action and a loader for each
 * resource that the contract names. A handler gets what the loader returned as `ctx.locals.resource`.
 */
export function implementWith<Actions>() {
  return <N extends string, A extends Record<string, ActionContract>, L extends LoadersOf<A>>(
    contract: ServiceContract<N, A>,
    handlers: Handlers<A, Actions, L>,
    ...[loaders = {} as L]: LoadersArgument<A, L>
  ): Record<string, ActionSchema> =>
    Object.fromEntries(
      Object.entries(contract.actions).map(([name, action]) => {
        assertAudited(`${contract.name}.${name}`, action);
        assertEtag(`${contract.name}.${name}`, action);
        assertIdempotency(`${contract.name}.${name}`, action);
        assertTool(`${contract.name}.${name}`, action);
        const schema = {
          // A function survives Moleculer's deep clone and stays off the wire; a zod object does neither.
          contract: () => action,
          loaders: () => loaders,
          ...repeatsOf(action),
          ...(action.timeoutMs ? { timeout: action.timeoutMs } : {}),
          ...(action.waitParam ? { waitParam: action.waitParam } : {}),
          handler: handlers[name] as ActionSchema['handler'],
        };
        return [name, schema as ActionSchema];
      }),
    );
}
