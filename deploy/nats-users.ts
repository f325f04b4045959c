import {
  inboxOf,
  probedSubject,
  tokenOf,
  upSubject,
} from '@workspace-automation/moleculer-nats/subjects';
import { SUBJECT_PREFIX } from '../environment/namespace.ts';
import type { ServiceName } from '../environment/process.ts';
import { callsOf, emittedBy } from '../services/service-calls.ts';
import { CONSOLE } from './nats-passwords.ts';
import type { NatsUser } from './nats-users-file.ts';

const subject = (...tokens: readonly string[]): string => [SUBJECT_PREFIX, ...tokens].join('.');

/** The subjects by which nodes find each other. All users publish and subscribe them. */
const DISCOVERY = ['DISCOVER', 'INFO', 'DISCONNECT', 'HEARTBEAT', 'PING'].map((kind) =>
  subject(kind),
);
/** The subjects of discovery and of events to one node. All users may publish them: an event says only that something has changed. */
const TO_ANY_NODE = ['DISCOVER', 'INFO', 'EVENT', 'PONG', 'PROBE'].map((kind) =>
  subject(kind, '>'),
);
/** The kinds of messages to one node, such as answers to its calls. Only the node's own user subscribes them. */
const TO_OWN_NODE = [
  ...['DISCOVER', 'INFO', 'EVENT', 'PING', 'PONG', 'REQ', 'RES', 'NOBODY'],
  ...['PROBE', 'STREAM'],
];

/**
 * Returns the users of a system, one for each process with its services, and the console's user. A user may call the
 * actions that the code of its services calls, and may answer the users that call its actions.
 */
export function natsUsers(processes: Readonly<Record<string, readonly ServiceName[]>>): NatsUser[] {
  const users = Object.entries(processes);
  const callersOf = (services: readonly ServiceName[]): string[] =>
    users
      .filter(([, others]) => actionsOf(others).some((action) => isOf(services, action)))
      .map(([name]) => name);
  const calleesOf = (services: readonly ServiceName[]): string[] =>
    users
      .filter(([, others]) => actionsOf(services).some((action) => isOf(others, action)))
      .map(([name]) => name);
  const gateways = users.filter(([, services]) => services.includes('api')).map(([name]) => name);
  return [
    ...users.map(([name, services]) =>
      userOf(name, services, {
        callers: callersOf(services),
        callees: calleesOf(services),
        gateways,
      }),
    ),
    consoleUser(processes),
  ];
}

const actionsOf = (services: readonly ServiceName[]): string[] => [
  ...new Set(services.flatMap((service) => [...callsOf(service)])),
];

const isOf = (services: readonly ServiceName[], action: string): boolean =>
  services.some((service) => action.startsWith(`${service}.`));

function userOf(
  name: string,
  services: readonly ServiceName[],
  { callers, callees, gateways }: Record<'callers' | 'callees' | 'gateways', readonly string[]>,
): NatsUser {
  const emitted = services.flatMap(emittedBy);
  return {
    name,
    publish: [
      ...DISCOVERY,
      ...TO_ANY_NODE,
      answersOf(name),
      ...actionsOf(services).map((action) => subject('REQB', action)),
      ...emitted.map((event) => subject('EVENTB', event)),
      ...[...callers, CONSOLE].map((caller) => subject('RES', tokenOf(caller), '>')),
      // A stream flows from a caller to a callee or back; its receiver gives credit.
      ...new Set([...callers, ...callees, CONSOLE].map(streamsTo)),
      // The subjects by which the gateway's readiness and a container's health check ask whether a process is up.
      ...(services.includes('api')
        ? [subject('UP', '>')]
        : [subject('UP', 'node', tokenOf(name), '>')]),
      ...new Set([name, ...gateways].map((asker) => `${inboxOf(asker)}.>`)),
    ],
    subscribe: [
      ...ownSubjects(name),
      ...services.flatMap((service) => [
        subject('REQB', service, '>'),
        subject('EVENTB', service, '>'),
        upSubject(SUBJECT_PREFIX, service),
      ]),
      subject('UP', 'node', tokenOf(name), '>'),
    ],
  };
}

const streamsTo = (user: string): string => subject('STREAM', tokenOf(user), '>');

/** Answers to probes: their subject names the user that answers, so that each user answers for its own nodes. */
const answersTo = (user: string): string =>
  probedSubject(SUBJECT_PREFIX, '*', `${tokenOf(user)}.>`);
const answersOf = (user: string): string => probedSubject(SUBJECT_PREFIX, tokenOf(user), '>');

const ownSubjects = (name: string): string[] => [
  ...DISCOVERY,
  answersTo(name),
  ...TO_OWN_NODE.map((kind) => subject(kind, tokenOf(name), '>')),
  `${inboxOf(name)}.>`,
];

const consoleUser = (processes: Readonly<Record<string, readonly ServiceName[]>>): NatsUser => ({
  name: CONSOLE,
  publish: [
    ...DISCOVERY,
    ...TO_ANY_NODE,
    answersOf(CONSOLE),
    ...new Set(
      Object.values(processes)
        .flat()
        .map((service) => subject('REQB', service, '>')),
    ),
    ...Object.keys(processes).map(streamsTo),
  ],
  subscribe: ownSubjects(CONSOLE),
});
