import { stringify } from 'yaml';
import { SERVICES, type Service } from './compose.ts';
import { deploymentOf, NATS_CA } from './deployment.ts';
import {
  accountOf,
  disruptionBudgetOf,
  type Manifest,
  manifestOf,
  NAMESPACE,
  podLabels,
} from './manifest.ts';
import { NATS_HOSTS, NATS_SECRET, NATS_USERS, natsManifests } from './nats.ts';
import { allowDns, denyAll, namespace, natsPolicy, networkPolicyOf } from './network.ts';
import { autoscalerOf } from './scaling.ts';
import { settings } from './settings.ts';

const HEAD =
  '# Written by "npm run make-kubernetes" from docker-compose.yml: a change here is lost.\n';
const KUSTOMIZATION = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };

/** Where clients, or an ingress, reach the gateways. */
const gatewayService = (): Manifest =>
  manifestOf('v1', 'Service', 'api', {
    spec: {
      type: 'ClusterIP',
      selector: podLabels('api'),
      ports: [{ name: 'http', port: 80, targetPort: 'http' }],
    },
  });

const manifestsOf = (service: Service): Manifest[] => [
  accountOf(service.name),
  deploymentOf(service),
  ...(service.name === 'api' ? [gatewayService()] : []),
  disruptionBudgetOf(service.name),
  autoscalerOf(service.name),
  networkPolicyOf(service),
];

/** The objects by the file that holds them. */
export const manifestFiles = (): Record<string, Manifest[]> => ({
  'namespace.yaml': [namespace()],
  'settings.yaml': [settings()],
  'network.yaml': [denyAll(), allowDns()],
  'nats.yaml': [accountOf('nats'), ...natsManifests(), disruptionBudgetOf('nats'), natsPolicy()],
  ...Object.fromEntries(SERVICES.map((service) => [`${service.name}.yaml`, manifestsOf(service)])),
});

/** What `kubectl apply -k deploy/kubernetes` applies, with the image's place and version. */
const kustomization = (): object => ({
  ...KUSTOMIZATION,
  namespace: NAMESPACE,
  resources: ['../nats', ...Object.keys(manifestFiles())],
  images: [
    {
      name: 'workspace-automation-service',
      newName: 'registry.example.com/workspace-automation-service',
      newTag: '1.0.0',
    },
  ],
});

/** The users of NATS as a ConfigMap. kustomize reads no file beyond the folder of its kustomization. */
const usersKustomization = (): object => ({
  ...KUSTOMIZATION,
  namespace: NAMESPACE,
  generatorOptions: { disableNameSuffixHash: true, labels: podLabels('nats') },
  configMapGenerator: [{ name: NATS_USERS, files: ['users.conf'] }],
});

/** Each Secret with its keys, and the file of `deploy/secrets` that has the value of each. */
export const secretFiles = (): Record<string, Record<string, string>> => ({
  ...Object.fromEntries(SERVICES.map(({ name, secrets }) => [name, secrets])),
  [NATS_CA]: { 'ca.pem': 'nats-ca.pem' },
  [NATS_SECRET]: {
    'passwords.conf': 'nats-passwords.conf',
    'ca.pem': 'nats-ca.pem',
    'server.pem': `${NATS_HOSTS[0]}.pem`,
    'server-key.pem': `${NATS_HOSTS[0]}-key.pem`,
  },
});

/** What `kubectl apply -k deploy/kubernetes/secrets` applies, once the files lie beside it. */
const secretsKustomization = (): object => ({
  ...KUSTOMIZATION,
  namespace: NAMESPACE,
  generatorOptions: { disableNameSuffixHash: true },
  secretGenerator: Object.entries(secretFiles()).map(([name, keys]) => ({
    name,
    files: Object.entries(keys).map(([key, file]) => `${key}=${file}`),
  })),
});

const textOf = (objects: readonly object[]): string =>
  HEAD +
  objects
    .map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 }))
    .join('---\n');

/** The text of each file below `deploy/kubernetes`. */
export const kubernetesFiles = (): Record<string, string> => ({
  '../nats/kustomization.yaml': textOf([usersKustomization()]),
  'kustomization.yaml': textOf([kustomization()]),
  'secrets/kustomization.yaml': textOf([secretsKustomization()]),
  ...Object.fromEntries(
    Object.entries(manifestFiles()).map(([name, objects]) => [name, textOf(objects)]),
  ),
});
