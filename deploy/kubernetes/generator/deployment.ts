import type { Service, Value } from './compose.ts';
import {
  CONTAINER_SECURITY,
  type Manifest,
  manifestOf,
  POD_SECURITY,
  podLabels,
  spreadOf,
} from './manifest.ts';
import { FIXED, METRICS_PORT, SETTINGS } from './settings.ts';

/** The port of a gateway in its container. */
export const GATEWAY_PORT = 3000;
/** Seconds from SIGTERM to SIGKILL. A process ends within 10 s, the notice of a gateway included. */
const GRACE_S = 20;
/** The Secret with the authority that has signed the certificates of NATS. */
export const NATS_CA = 'nats-ca';
const NATS_CA_FOLDER = '/etc/workspace-automation';

/**
 * Returns the Deployment of a service. It has no `replicas`: the HorizontalPodAutoscaler counts them, and an
 * `apply` would set them back.
 */
export function deploymentOf(service: Service): Manifest {
  const { name } = service;
  return manifestOf('apps/v1', 'Deployment', name, {
    spec: {
      revisionHistoryLimit: 5,
      minReadySeconds: 5,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: podLabels(name) },
      template: { metadata: { labels: podLabels(name) }, spec: podOf(service) },
    },
  });
}

const podOf = (service: Service) => ({
  serviceAccountName: service.name,
  automountServiceAccountToken: false,
  enableServiceLinks: false, // the cluster would set variables such as API_PORT
  terminationGracePeriodSeconds: GRACE_S,
  securityContext: POD_SECURITY,
  topologySpreadConstraints: spreadOf(service.name),
  containers: [containerOf(service)],
  volumes: [
    { name: 'secrets', secret: { secretName: service.name, defaultMode: 0o440 } },
    { name: 'nats-ca', secret: { secretName: NATS_CA, defaultMode: 0o444 } },
    { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
  ],
});

const containerOf = (service: Service) => ({
  name: service.name,
  image: service.image,
  imagePullPolicy: 'IfNotPresent',
  env: [
    ...Object.entries(service.environment).map(([name, value]) => variableOf(name, value)),
    { name: 'NATS_CA_FILE', value: `${NATS_CA_FOLDER}/ca.pem` },
  ],
  ports: [
    ...(service.name === 'api' ? [{ name: 'http', containerPort: GATEWAY_PORT }] : []),
    { name: 'metrics', containerPort: METRICS_PORT },
  ],
  ...probesOf(service),
  resources: {
    requests: { cpu: `${service.cpus * 500}m`, memory: service.memory },
    limits: { cpu: String(service.cpus), memory: service.memory },
  },
  securityContext: CONTAINER_SECURITY,
  volumeMounts: [
    { name: 'secrets', mountPath: '/run/secrets', readOnly: true },
    { name: 'nats-ca', mountPath: NATS_CA_FOLDER, readOnly: true },
    { name: 'tmp', mountPath: '/tmp' },
  ],
});

function variableOf(name: string, value: Value) {
  const fixed = FIXED[name];
  if (fixed !== undefined) return { name, value: fixed };
  if ('text' in value) return { name, value: value.text };
  return { name, valueFrom: { configMapKeyRef: { name: SETTINGS, key: value.setting } } };
}

/**
 * Ready is who can do its work now. Alive is who answers at all: a process that has lost its database or NATS waits
 * for it, and must not be restarted for it.
 */
function probesOf({ name }: Service) {
  if (name === 'api') {
    const ask = (path: string) => ({ httpGet: { path, port: 'http' }, timeoutSeconds: 5 });
    return {
      readinessProbe: { ...ask('/health/ready'), periodSeconds: 2, failureThreshold: 2 },
      livenessProbe: {
        ...ask('/health/live'),
        initialDelaySeconds: 30,
        periodSeconds: 15,
        failureThreshold: 4,
      },
    };
  }
  return {
    readinessProbe: {
      exec: { command: ['node', 'deploy/health.ts'] },
      periodSeconds: 15,
      timeoutSeconds: 10,
      failureThreshold: 3,
    },
    livenessProbe: {
      httpGet: { path: '/metrics', port: 'metrics' },
      initialDelaySeconds: 30,
      timeoutSeconds: 10,
      periodSeconds: 30,
      failureThreshold: 4,
    },
  };
}
