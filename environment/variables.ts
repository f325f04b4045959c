import { z } from 'zod';
import { assistantVariables } from './assistant.ts';
import { connectionsVariables } from './connections.ts';
import { contradictions } from './consistency.ts';
import { databaseVariables } from './database.ts';
import { EnvironmentError, type Fault, fault } from './fault.ts';
import { httpVariables } from './http.ts';
import { identityVariables } from './identity.ts';
import { natsVariables } from './nats.ts';
import { processVariables } from './process.ts';
import { quotaVariables } from './quotas.ts';
import { runsVariables } from './runs.ts';
import { type Source, withSecretFiles } from './secret-files.ts';
import { type SimilarName, similarNames } from './similar-names.ts';
import { telemetryVariables } from './telemetry.ts';

/**
 * Every variable of the service, with its default and its possible values. The exporter of spans reads further
 * `OTEL_EXPORTER_OTLP_*` variables by itself.
 */
const Variables = z.object({
  ...httpVariables,
  ...databaseVariables,
  ...natsVariables,
  ...processVariables,
  ...identityVariables,
  ...connectionsVariables,
  ...telemetryVariables,
  ...runsVariables,
  ...quotaVariables,
  ...assistantVariables,
});

export type Environment = z.output<typeof Variables>;

/** The variables with secrets. No message contains such a value, and `<NAME>_FILE` may name a file with the value. */
const SECRET = new Set([
  'AGENT_API_KEY',
  'CREDENTIALS_MASTER_KEYS',
  'IDP_INITIAL_ACCESS_TOKEN',
  'JWT_PRIVATE_KEYS',
  'MONGODB_URI',
  'NATS_CA', // no secret, but a text of many lines
  'NATS_URL',
  'SMTP_URL',
]);

/** An address with a user, and probably with a password. No message contains it. */
const WITH_LOGIN = /\/\/[^/]*@/;

/** Every name of a variable that the service reads. */
export const VARIABLE_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(Variables.shape),
  ...[...SECRET].map((name) => `${name}_FILE`),
]);

/**
 * Reads an environment. Throws an `EnvironmentError` whose message has one line for each bad variable: its name, its
 * value unless the value is a secret, and its possible values; then a line for each name that is probably misspelt.
 * Rules over several variables are judged where each of them can be read.
 */
export function readEnvironment(given: Source): Environment {
  const { source, faults: fileFaults } = withSecretFiles(given, SECRET);
  const valueFaults = faultsOfValues(source);
  const unreadable = new Set([
    ...fileFaults.map(({ secret }) => secret),
    ...valueFaults.map(({ variable }) => variable),
  ]);
  // Defaults stand for the unreadable ones, which no rule then looks at.
  const readable = Object.entries(source).filter(([name]) => !unreadable.has(name));
  const env = Variables.parse(Object.fromEntries(readable));
  const faults = [...fileFaults, ...valueFaults, ...contradictions(env, unreadable)];
  if (faults.length > 0) throw new EnvironmentError(faults, misspeltNames(given).map(hintOf));
  return env;
}

function faultsOfValues(source: Source): Fault[] {
  const issues = Variables.safeParse(source).error?.issues ?? [];
  return issues.map(({ path: [key], message }) => {
    const name = String(key);
    const value = source[name] ?? '';
    const isShown = !SECRET.has(name) && !WITH_LOGIN.test(value);
    const was = isShown ? JSON.stringify(source[name]) : 'the value given';
    return fault(name, `${was} is not possible; it may be ${message}.`);
  });
}

/** The variables that have no effect, and whose names resemble that of one that would have. */
export const misspeltNames = (given: Source): SimilarName[] =>
  similarNames(
    Object.keys(given).filter((name) => given[name]),
    VARIABLE_NAMES,
  );

const hintOf = ({ given, known }: SimilarName): string =>
  `${given}: not a variable of the service, without effect; ${known} is one.`;
