import { z } from 'zod';
import { assistantVariables } from './assistant.ts';
import { connectionsVariables } from './connections.ts';
import { assertConsistent } from './consistency.ts';
import { databaseVariables } from './database.ts';
import { httpVariables } from './http.ts';
import { identityVariables } from './identity.ts';
import { natsVariables } from './nats.ts';
import { processVariables } from './process.ts';
import { quotaVariables } from './quotas.ts';
import { runsVariables } from './runs.ts';
import { withSecretFiles } from './secret-files.ts';
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
 * Reads an environment. Throws an Error with a message of one line: the variable's name, its value unless the value
 * is a secret, and its possible values.
 */
export function readEnvironment(given: Record<string, string | undefined>): Environment {
  const source = withSecretFiles(given, SECRET);
  const parsed = Variables.safeParse(source);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0]);
    const value = source[name] ?? '';
    const isShown = !SECRET.has(name) && !WITH_LOGIN.test(value);
    const was = isShown ? JSON.stringify(source[name]) : 'the value given';
    throw new Error(`${name}: ${was} is not possible; it may be ${issue?.message}.`);
  }
  assertConsistent(parsed.data);
  return parsed.data;
}
