import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { SERVICE_NAMES, type ServiceName } from '../../../environment/process.ts';

/** The part of `docker-compose.yml` that the manifests repeat. */
interface ComposeFile {
  services: Record<string, Container>;
  secrets: Record<string, { file: string }>;
}
interface Container {
  image: string;
  command?: string[];
  cpus: number;
  mem_limit: string;
  environment?: Record<string, string>;
  networks?: string[];
  secrets?: (string | { source: string; target: string })[];
}

/** A value of a container's environment: the same everywhere, or a setting of the operator with its default. */
export type Value = { text: string } | { setting: string; byDefault: string };

/** A service as its container in `docker-compose.yml` is described. */
export interface Service {
  name: ServiceName;
  image: string;
  cpus: number;
  /** Such as `512Mi`. */
  memory: string;
  environment: Readonly<Record<string, Value>>;
  /** The files of `deploy/secrets` by the name under which the service reads each in `/run/secrets`. */
  secrets: Readonly<Record<string, string>>;
  /** Whether the service calls systems outside of the cluster. */
  callsOutside: boolean;
}

const file: ComposeFile = parse(
  readFileSync(join(import.meta.dirname, '../../../docker-compose.yml'), 'utf8'),
  { merge: true },
);

/** The image of nats-server that the Compose file names. */
export const NATS_IMAGE = containerOf('nats').image;

/** The services in the order of their names in the code. */
export const SERVICES: readonly Service[] = SERVICE_NAMES.map(serviceOf);

function containerOf(name: string): Container {
  const container = file.services[name];
  if (!container) throw new Error(`docker-compose.yml has no service ${name}`);
  return container;
}

function serviceOf(name: ServiceName): Service {
  const container = containerOf(name);
  return {
    name,
    image: container.image.replace(/:.*/, ''),
    cpus: container.cpus,
    memory: memoryOf(container.mem_limit),
    environment: Object.fromEntries(
      Object.entries(container.environment ?? {}).map(([key, text]) => [key, readValue(text)]),
    ),
    secrets: Object.fromEntries((container.secrets ?? []).map(secretOf)),
    // The gateway is in that network of Compose only so that its port can be published.
    callsOutside: name !== 'api' && (container.networks ?? []).includes('outside'),
  };
}

/** `512m` of Compose is `512Mi` of Kubernetes, where `512m` would be half a byte. */
function memoryOf(limit: string): string {
  return limit.replace('m', 'Mi').replace('g', 'Gi');
}

function readValue(text: string): Value {
  const [, setting, byDefault = ''] = /^\$\{(\w+):-(.*)\}$/.exec(text) ?? [];
  return setting ? { setting, byDefault } : { text };
}

function secretOf(
  secret: string | { source: string; target: string },
): [target: string, path: string] {
  const { source, target } =
    typeof secret === 'string' ? { source: secret, target: secret } : secret;
  return [target, basename(file.secrets[source]?.file ?? source)];
}
