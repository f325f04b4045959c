import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NATS_IMAGE } from './compose.ts';
import {
  CONTAINER_SECURITY,
  type Manifest,
  manifestOf,
  POD_SECURITY,
  podLabels,
  spreadOf,
} from './manifest.ts';
import { NATS_PORT, NATS_ROUTE_PORT } from './network.ts';

/** The servers of the cluster by the names that services and servers call them. */
export const NATS_HOSTS = [0, 1, 2].map((index) => `nats-${index}.nats`);
/** The Secret with the passwords of the users, and the certificate of the servers. */
export const NATS_SECRET = 'nats';
/** The ConfigMap with the configuration. */
const NATS_CONFIG = 'nats';
/** The ConfigMap with the users, which `deploy/nats/kustomization.yaml` makes of `users.conf`. */
export const NATS_USERS = 'nats-users';
const FOLDER = '/etc/nats';

/** Returns the configuration of `deploy/nats/cluster` with the hosts of this cluster. */
function configuration(): string {
  const text = readFileSync(
    join(import.meta.dirname, '../../nats/cluster/nats-server.conf'),
    'utf8',
  );
  return NATS_HOSTS.reduce(
    (changed, host, index) => changed.replaceAll(`nats-${index + 1}.example.com`, host),
    text,
  );
}

/** The name by which each server has an address of its own, which it has before it is ready: routes need it. */
const headless = (): Manifest =>
  manifestOf('v1', 'Service', 'nats', {
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: podLabels('nats'),
      ports: [
        { name: 'client', port: NATS_PORT, targetPort: 'client' },
        { name: 'route', port: NATS_ROUTE_PORT, targetPort: 'route' },
      ],
    },
  });

const files = (): Manifest =>
  manifestOf('v1', 'ConfigMap', NATS_CONFIG, {
    data: { 'nats-server.conf': configuration() },
  });

const servers = (): Manifest =>
  manifestOf('apps/v1', 'StatefulSet', 'nats', {
    spec: {
      serviceName: 'nats',
      replicas: NATS_HOSTS.length,
      podManagementPolicy: 'Parallel',
      minReadySeconds: 5,
      selector: { matchLabels: podLabels('nats') },
      template: { metadata: { labels: podLabels('nats') }, spec: pod() },
    },
  });

const pod = () => ({
  serviceAccountName: 'nats',
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  terminationGracePeriodSeconds: 30,
  securityContext: POD_SECURITY,
  topologySpreadConstraints: spreadOf('nats'),
  containers: [
    {
      name: 'nats',
      image: NATS_IMAGE,
      command: ['nats-server', '--config', `${FOLDER}/nats-server.conf`],
      ports: [
        { name: 'client', containerPort: NATS_PORT },
        { name: 'route', containerPort: NATS_ROUTE_PORT },
      ],
      // The monitoring port is for this container alone.
      readinessProbe: {
        exec: { command: ['wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:8222/healthz'] },
        periodSeconds: 5,
        timeoutSeconds: 5,
      },
      livenessProbe: {
        tcpSocket: { port: 'client' },
        initialDelaySeconds: 10,
        periodSeconds: 10,
        timeoutSeconds: 5,
      },
      resources: {
        requests: { cpu: '250m', memory: '256Mi' },
        limits: { cpu: '1', memory: '256Mi' },
      },
      securityContext: CONTAINER_SECURITY,
      volumeMounts: [{ name: 'configuration', mountPath: FOLDER, readOnly: true }],
    },
  ],
  volumes: [
    {
      name: 'configuration',
      projected: {
        defaultMode: 0o440,
        sources: [
          { configMap: { name: NATS_CONFIG } },
          { configMap: { name: NATS_USERS } },
          { secret: { name: NATS_SECRET } },
        ],
      },
    },
  ],
});

/** The objects of nats-server. */
export const natsManifests = (): Manifest[] => [headless(), files(), servers()];
