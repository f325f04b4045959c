import type { ActionContract } from '../contract/contract.ts';
import type { EventContract } from '../contract/event.ts';
import { toolTermsOf } from '../contract/tool-rule.ts';
import type { ServiceName } from '../environment/process.ts';
import { type Actions, contracts, events } from './contracts.ts';
import { erasureActions } from './erasure-calls.ts';

type ActionName = keyof Actions & string;

/** What the access check asks wherever an action runs (`services/access-sources.ts`). */
const BY_ACCESS_CHECK = [
  'identity.accessToUser',
  'identity.isOwnAddress',
  'identity.roleOfServiceAccount',
  'workspaces.exists',
  'workspaces.roleOf',
] as const satisfies readonly ActionName[];

/** Called by services whose changes are outgoing events (`services/outgoing-events/`). */
const BY_EVENTS = ['events.record', 'events.wanted'] as const satisfies readonly ActionName[];

/** Asked by services that share work between owners (`services/share-owners/`). */
const BY_SHARES = [
  'identity.usersByIds',
  'workspaces.shareOwner',
] as const satisfies readonly ActionName[];

/**
 * The actions that a service's own code calls. NATS lets a process call nothing else
 * (`deploy/nats-users.ts`); a test compares the list with the code.
 */
const BY_CODE: Record<ServiceName, readonly ActionName[]> = {
  api: ['identity.authenticate', 'identity.authenticateKey'],
  identity: [
    ...BY_ACCESS_CHECK,
    'workspaces.autoJoin',
    'workspaces.countPending',
    'workspaces.namesUser',
    'workspaces.removePerson',
    'workspaces.recordAudit',
  ],
  workspaces: [
    ...BY_ACCESS_CHECK,
    ...BY_EVENTS,
    'identity.mailInvitation',
    'identity.memberLeft',
    'identity.readInvitationToken',
    'identity.subscriptionSwitchedOff',
    'identity.userByEmail',
    'identity.usersByIds',
    'identity.verifyInvited',
  ],
  issues: [...BY_ACCESS_CHECK, ...BY_EVENTS, 'identity.usersByIds', 'workspaces.recordAudit'],
  connections: [
    ...BY_ACCESS_CHECK,
    ...BY_SHARES,
    'configurations.storesUsing',
    'workspaces.recordAudit',
  ],
  configurations: [
    ...BY_ACCESS_CHECK,
    'connections.credentialsByIds',
    'connections.releaseCredentials',
    'connections.reserveCredentials',
    'flows.flowsByIds',
    'workspaces.recordAudit',
  ],
  flows: [
    ...BY_ACCESS_CHECK,
    ...BY_EVENTS,
    ...BY_SHARES,
    'runs.cancelFlowRuns',
    'runs.liveFlowRuns',
    'triggers.removeOfFlows',
    'workspaces.recordAudit',
  ],
  workflows: [
    ...BY_ACCESS_CHECK,
    ...BY_EVENTS,
    ...BY_SHARES,
    'dev-mode.followPublished',
    'dev-mode.removeBranches',
    'runs.cancelExecutions',
    'runs.liveExecutions',
    'workspaces.recordAudit',
  ],
  'dev-mode': [
    ...BY_ACCESS_CHECK,
    ...BY_SHARES,
    'workflows.published',
    'workflows.publish',
    'workflows.workflowsByIds',
    'workspaces.recordAudit',
  ],
  runs: [
    ...BY_ACCESS_CHECK,
    ...BY_EVENTS,
    ...BY_SHARES,
    'assistant.answerPrompt',
    'configurations.forRun',
    'connections.openSecrets',
    'connections.prepareCall',
    'connections.secretsToMask',
    'dev-mode.draftToRun',
    'flows.flowIdByName',
    'flows.flowsByIds',
    'flows.versionForRun',
    'flows.versionsToRun',
    'issues.raise',
    'issues.raiseForFailures',
    'workflows.published',
    'workflows.workflowsByIds',
    'workspaces.listActs',
    'workspaces.recordAudit',
    'workspaces.workspacesOf',
  ],
  triggers: [
    ...BY_ACCESS_CHECK,
    ...BY_SHARES,
    'configurations.forRun',
    'connections.openTexts',
    'connections.sealTexts',
    'flows.flowsByIds',
    'runs.startTriggered',
    'workspaces.recordAudit',
  ],
  events: [
    ...BY_ACCESS_CHECK,
    ...BY_SHARES,
    'connections.openTexts',
    'connections.sealTexts',
    'workspaces.recordAudit',
    'workspaces.subscriptionSwitchedOff',
  ],
  assistant: [...BY_ACCESS_CHECK, ...BY_SHARES, 'workspaces.recordAudit'],
  recordings: [...BY_ACCESS_CHECK, ...BY_SHARES, 'workspaces.recordAudit'],
};

type OneProcessEvent = Extract<
  (typeof events)[keyof typeof events][number],
  { delivery: 'one' }
>['name'];

/** The services that listen to each event of the delivery `one`; a test compares the list with the code. */
export const LISTENERS: Record<OneProcessEvent, readonly ServiceName[]> = {
  'user.verified': [
    'workspaces',
    'connections',
    'flows',
    'workflows',
    'dev-mode',
    'runs',
    'triggers',
    'events',
    'assistant',
    'recordings',
  ],
};

/**
 * The events that a service emits to one process of each service that listens, as `listener.event`.
 * Events of the delivery `broadcast` go to every process and need no right of their own.
 */
export const emittedBy = (service: ServiceName): string[] =>
  eventsOf(service)
    .filter(({ delivery }) => delivery === 'one')
    .flatMap(({ name }) =>
      LISTENERS[name as OneProcessEvent].map((listener) => `${listener}.${name}`),
    );

const eventsOf = (service: ServiceName): readonly EventContract[] =>
  Object.entries(events).find(([emitter]) => emitter === service)?.[1] ?? [];

/** Every action that a process with the service may call; the gateway calls what has a route as well. */
export function callsOf(service: ServiceName): ReadonlySet<string> {
  return new Set<string>([
    ...BY_CODE[service],
    ...(service === 'api' ? routedActions() : []),
    ...(service === 'assistant' ? toolActions() : []),
    ...erasedBy(service),
  ]);
}

/** The erasures that follow a deletion (`services/erasure-calls.ts`): of other services, since each may call itself. */
const erasedBy = (service: ServiceName): string[] => {
  const action = ERASURES_BY[service];
  return action ? erasureActions(action).filter((name) => !name.startsWith(`${service}.`)) : [];
};
const ERASURES_BY: Partial<Record<ServiceName, Parameters<typeof erasureActions>[0]>> = {
  workspaces: 'eraseWorkspace',
  identity: 'erasePerson',
};

const routedActions = (): string[] => actionsWith(({ route }) => route !== undefined);

/** The actions that models may call: a service that calls tools for them needs the right to each. */
export const toolActions = (): string[] =>
  actionsWith((contract) => toolTermsOf(contract) !== null);

const actionsWith = (matches: (contract: ActionContract) => boolean): string[] =>
  contracts.flatMap(({ name, actions }) =>
    Object.entries(actions as Record<string, ActionContract>)
      .filter(([, contract]) => matches(contract))
      .map(([action]) => `${name}.${action}`),
  );
