import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '../../..');
export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

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
