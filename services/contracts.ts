import type { ActionsOf, TypedContext } from '../contract/contract-types.ts';
import { implementWith } from '../contract/contract-types.ts';
import { listenWith } from '../contract/event.ts';
import { apiContract } from './api/api.contract.ts';
import * as apiEvents from './api/api.events.ts';
import { assistantContract } from './assistant/assistant.contract.ts';
import { configurationsContract } from './configurations/configurations.contract.ts';
import { connectionsContract } from './connections/connections.contract.ts';
import { devModeContract } from './dev-mode/dev-mode.contract.ts';
import { eventsContract } from './events/events.contract.ts';
import * as eventsEvents from './events/events.events.ts';
import { flowsContract } from './flows/flows.contract.ts';
import { identityContract } from './identity/identity.contract.ts';
import * as identityEvents from './identity/identity.events.ts';
import { issuesContract } from './issues/issues.contract.ts';
import * as processEvents from './process/process.events.ts';
import { recordingsContract } from './recordings/recordings.contract.ts';
import { runsContract } from './runs/runs.contract.ts';
import * as runsEvents from './runs/runs.events.ts';
import { triggersContract } from './triggers/triggers.contract.ts';
import { workflowsContract } from './workflows/workflows.contract.ts';
import { workspacesContract } from './workspaces/workspaces.contract.ts';
import * as workspacesEvents from './workspaces/workspaces.events.ts';

/** Every contract of the system. A new service adds a line. */
export const contracts = [
  apiContract,
  identityContract,
  workspacesContract,
  issuesContract,
  connectionsContract,
  configurationsContract,
  flowsContract,
  workflowsContract,
  devModeContract,
  runsContract,
  triggersContract,
  eventsContract,
  assistantContract,
  recordingsContract,
] as const;

/** Every event of the system, by the service that emits it. A service's first event adds a line. */
export const events = {
  api: Object.values(apiEvents),
  events: Object.values(eventsEvents),
  identity: Object.values(identityEvents),
  process: Object.values(processEvents),
  runs: Object.values(runsEvents),
  workspaces: Object.values(workspacesEvents),
};

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
/** Lets a service listen to an event: `events: { ...on(userVerified, (ctx) => …) }`. */
export const on = listenWith<Actions>();
