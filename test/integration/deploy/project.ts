import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { GROUPS } from '../../../deploy/secrets.ts';

export const ROOT = join(import.meta.dirname, '../../..');
export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A folder that goes after the tests of the file, or of a `describe`. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The settings of a service, where new secrets are in place of the settings that name their files. */
export function withSecrets(
  service: string,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const made: Record<string, string> = Object.assign({}, ...GROUPS.map((group) => group.make()));
  const secrets: Record<string, string | undefined> = {
    MONGODB_URI: made[`mongodb-uri-${service}`],
    NATS_URL: made[`nats-url-${service}`],
    CREDENTIALS_MASTER_KEYS: made['credentials-master-keys'],
    JWT_PRIVATE_KEYS: made['jwt-private-keys.json'],
    SMTP_URL: 'smtps://service:secret@mail.example.com',
  };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (!name.endsWith('_FILE')) return [name, value];
      const secret = name.replace(/_FILE$/, '');
      return [secret, secrets[secret] ?? ''];
    }),
  );
}

/** The part of a container's description that the tests look at. */
export interface Container {
  image: string;
  build?: { context: string; args?: Record<string, string> };
  pull_policy?: string;
  scale?: string;
  init?: boolean;
  profiles?: string[];
  user?: string;
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  tmpfs?: string[];
  stop_grace_period?: string;
  pids_limit?: number;
  logging?: { options: Record<string, string> };
  cpus?: number;
  mem_limit?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  environment?: Record<string, string>;
  command?: string[];
  ports?: string[];
  volumes?: string[];
  networks?: string[];
  network_mode?: string;
  container_name?: string;
  depends_on?: unknown;
  secrets?: (string | { source: string; target: string })[];
}

export interface ComposeFile {
  services: Record<string, Container>;
  networks: Record<string, { internal?: boolean }>;
  secrets: Record<string, { file: string }>;
  configs: Record<string, { file: string }>;
}

export const composeFile = (path = 'docker-compose.yml'): ComposeFile =>
  parse(textOf(path), { merge: true });

/** The file as Compose reads it on a bare machine: variables are put in, and then have a type. */
export const interpolated = (file: ComposeFile): unknown =>
  JSON.parse(JSON.stringify(file), (key, value) => {
    if (typeof value !== 'string') return value;
    return key === 'scale' ? Number(withDefaults(value)) : withDefaults(value);
  });

/** `${NAME:-value}` becomes `value`, any other `${NAME…}` nothing: what Compose makes of it on a bare machine. */
export const withDefaults = (text: string): string =>
  text.replace(/\$\{\w+(?::-([^}]*))?[^}]*\}/g, (_, value) => value ?? '');
