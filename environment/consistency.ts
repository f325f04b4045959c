import { resolve, sep } from 'node:path';
import { asksForTls, hasCredentials } from '@workspace-automation/moleculer-nats/address';
import { type Fault, fault } from './fault.ts';
import { SERVICE_NAMES, type ServiceName } from './process.ts';
import { isLoopbackHost } from './values/loopback.ts';
import type { Environment } from './variables.ts';

/** Whether a folder is another folder, or lies within it. */
const isWithin = (folder: string, other: string): boolean =>
  `${resolve(folder)}${sep}`.startsWith(`${resolve(other)}${sep}`);

type Name = keyof Environment & string;

interface Rule {
  /** The variables without whose values the rule cannot be judged. */
  reads: readonly Name[];
  check(env: Environment): Fault | undefined;
}

/** A rule over several variables: the fault of the first of them, where `isBroken` says so. */
function rule<const N extends Name>(
  variables: readonly [N, ...N[]],
  isBroken: (env: Pick<Environment, N>) => boolean,
  textOf: string | ((env: Pick<Environment, N>) => string),
): Rule {
  const [variable] = variables;
  return {
    reads: variables,
    check: (env) =>
      isBroken(env)
        ? fault(variable, typeof textOf === 'string' ? textOf : textOf(env))
        : undefined,
  };
}

/** Production demands the variable, of processes with that service alone where one is given. */
const requiredInProduction = (variable: Name, service?: ServiceName): Rule =>
  rule(
    [variable, 'NODE_ENV', 'SERVICES'],
    (env) =>
      env.NODE_ENV === 'production' &&
      (service === undefined || env.SERVICES.includes(service)) &&
      !env[variable],
    service
      ? `unset, but required of the service ${service} when NODE_ENV=production.`
      : 'unset, but required when NODE_ENV=production.',
  );

const RULES: readonly Rule[] = [
  requiredInProduction('MONGODB_URI'),
  requiredInProduction('JWT_PRIVATE_KEYS', 'identity'),
  requiredInProduction('CREDENTIALS_MASTER_KEYS', 'connections'),
  requiredInProduction('SMTP_URL', 'identity'), // production has no outbox to read mails in
  requiredInProduction('MAIL_FROM', 'identity'),
  rule(
    ['NATS_URL', 'NODE_ENV'],
    ({ NODE_ENV, NATS_URL }) =>
      NODE_ENV === 'production' && NATS_URL !== undefined && !hasCredentials(NATS_URL),
    'has no user:password@ or token@, but they are required when NODE_ENV=production: whoever connects may call everything.',
  ),
  rule(
    ['NATS_CA', 'NATS_URL'],
    ({ NATS_CA, NATS_URL }) => NATS_CA !== undefined && !(NATS_URL && asksForTls(NATS_URL)),
    'of no use, because no address of NATS_URL begins with tls://.',
  ),
  rule(
    ['HOST', 'NODE_ENV', 'DEVELOPMENT_ON_NETWORK'],
    ({ HOST, NODE_ENV, DEVELOPMENT_ON_NETWORK }) =>
      NODE_ENV !== 'production' && !isLoopbackHost(HOST) && DEVELOPMENT_ON_NETWORK !== '1',
    ({ HOST }) =>
      `${JSON.stringify(HOST)} is not a loopback address; in development set DEVELOPMENT_ON_NETWORK=1 to listen on it.`,
  ),
  rule(
    ['MAIL_FROM', 'SMTP_URL'],
    ({ MAIL_FROM, SMTP_URL }) => SMTP_URL !== undefined && !MAIL_FROM,
    'unset, but required with SMTP_URL.',
  ),
  rule(
    ['IDP_ISSUER', 'IDP_REGISTRATION_URL'],
    ({ IDP_ISSUER, IDP_REGISTRATION_URL }) => !IDP_ISSUER !== !IDP_REGISTRATION_URL,
    'must be set where IDP_REGISTRATION_URL is, and only there.',
  ),
  rule(
    ['AGENT_MODEL', 'AGENT_BASE_URL'],
    ({ AGENT_MODEL, AGENT_BASE_URL }) => !AGENT_BASE_URL !== !AGENT_MODEL,
    'must be set where AGENT_BASE_URL is, and only there.',
  ),
  rule(
    ['AGENT_BASE_URL', 'AGENT_API_KEY'],
    ({ AGENT_BASE_URL, AGENT_API_KEY }) => AGENT_API_KEY !== undefined && !AGENT_BASE_URL,
    'unset, but required with AGENT_API_KEY.',
  ),
  rule(
    ['BACKUP_EVERY_MS', 'BACKUP_DIR'],
    ({ BACKUP_EVERY_MS, BACKUP_DIR }) => !BACKUP_DIR !== !BACKUP_EVERY_MS,
    'must be set where BACKUP_DIR is, and only there.',
  ),
  rule(
    ['BACKUP_DIR', 'MONGODB_URI'],
    ({ BACKUP_DIR, MONGODB_URI }) => BACKUP_DIR !== undefined && MONGODB_URI !== undefined,
    'is for the embedded database, which does not run with MONGODB_URI: back up that MongoDB instead.',
  ),
  rule(
    ['BACKUP_DIR', 'DATA_DIR'],
    ({ BACKUP_DIR, DATA_DIR }) => BACKUP_DIR !== undefined && isWithin(BACKUP_DIR, DATA_DIR),
    'lies within DATA_DIR, with which the copies would be lost.',
  ),
  rule(
    ['NATS_URL', 'SERVICES'],
    ({ NATS_URL, SERVICES }) => !NATS_URL && SERVICES.length < SERVICE_NAMES.length,
    'unset, but required when SERVICES leaves a service out.',
  ),
];

/** The variables that contradict each other. A rule that reads a variable in `unreadable` is not judged. */
export const contradictions = (env: Environment, unreadable: ReadonlySet<string>): Fault[] =>
  RULES.filter(({ reads }) => !reads.some((name) => unreadable.has(name))).flatMap(
    ({ check }) => check(env) ?? [],
  );
