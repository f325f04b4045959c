import type { ActionsOf, TypedContext } from '../contract/contract-types.ts';
import { implementWith } from '../contract/contract-types.ts';
import { apiContract } from './api/api.contract.ts';
import { flowsContract } from './flows/flows.contract.ts';
import { identityContract } from './identity/identity.contract.ts';
import { issuesContract } from './issues/issues.contract.ts';
import { runsContract } from './runs/runs.contract.ts';
import { workspacesContract } from './workspaces/workspaces.contract.ts';

/** Every contract of the system. A new service adds a line. */
export const contracts = [
  apiContract,
  identityContract,
  workspacesContract,
  issuesContract,
  flowsContract,
  runsContract,
] as const;

type Merge<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void
  ? I
  : never;
/** Every action of the system by its full name: its parameters and its result. */
export type Actions = Merge<ActionsOf<(typeof contracts)[number]>>;
/** The parameters of an action after their validation, as handlers and use cases get them. */
export type Params<N extends keyof Actions> = Actions[N]['validated'];
export type Ctx<Params = unknown> = TypedContext<Params, Actions>;
/** Makes a service's actions from its contract and a handler for each. */
export const implement = implementWith<Actions>();
