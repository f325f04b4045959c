import type { Service } from './compose.ts';
import { GATEWAY_PORT } from './deployment.ts';
import { type Manifest, manifestOf, NAMESPACE, PART_OF, podLabels } from './manifest.ts';
import { METRICS_PORT } from './settings.ts';

export const NATS_PORT = 4222;
export const NATS_ROUTE_PORT = 6222;
const MONGODB_PORT = 27_017;
const OTLP_PORT = 4318;
const DNS_PORT = 53;

/** Addresses that are no part of the internet: what flows call is never one of them. */
export const PRIVATE_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
];
export const PRIVATE_V6 = ['::/96', 'fc00::/7', 'fe80::/10', 'ff00::/8'];

const tcp = (...ports: readonly number[]) => ports.map((port) => ({ protocol: 'TCP', port }));
const everywhere = { namespaceSelector: {} };
const pods = (matchLabels: Record<string, string>) => ({ podSelector: { matchLabels } });

/** The internet without private addresses. */
const INTERNET = [
  { ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE_V4 } },
  { ipBlock: { cidr: '::/0', except: PRIVATE_V6 } },
];

/** No pod of the namespace is reached or reaches anything, but by the other policies. */
export const denyAll = (): Manifest =>
  manifestOf('networking.k8s.io/v1', 'NetworkPolicy', 'deny-all', {
    spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
  });

/** Every pod may ask for names. */
export const allowDns = (): Manifest =>
  manifestOf('networking.k8s.io/v1', 'NetworkPolicy', 'dns', {
    spec: {
      podSelector: {},
      policyTypes: ['Egress'],
      egress: [
        {
          to: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
              podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
            },
          ],
          ports: [
            { protocol: 'UDP', port: DNS_PORT },
            { protocol: 'TCP', port: DNS_PORT },
          ],
        },
      ],
    },
  });

/** Returns what reaches the pods of a service, and what they reach. */
export function networkPolicyOf({ name, callsOutside }: Service): Manifest {
  const prometheus = { ...everywhere, ...pods({ 'app.kubernetes.io/name': 'prometheus' }) };
  const collector = {
    ...everywhere,
    ...pods({ 'app.kubernetes.io/name': 'opentelemetry-collector' }),
  };
  return manifestOf('networking.k8s.io/v1', 'NetworkPolicy', name, {
    spec: {
      podSelector: { matchLabels: podLabels(name) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        ...(name === 'api' ? [{ ports: tcp(GATEWAY_PORT) }] : []),
        { from: [prometheus], ports: tcp(METRICS_PORT) },
      ],
      egress: [
        { to: [pods(podLabels('nats'))], ports: tcp(NATS_PORT) },
        // Yours to narrow to the addresses of your MongoDB.
        { ports: tcp(MONGODB_PORT) },
        { to: [collector], ports: tcp(OTLP_PORT) },
        ...(callsOutside ? [{ to: INTERNET }] : []),
      ],
    },
  });
}

/** NATS is reached by the services and, at the port of routes, by itself. */
export const natsPolicy = (): Manifest =>
  manifestOf('networking.k8s.io/v1', 'NetworkPolicy', 'nats', {
    spec: {
      podSelector: { matchLabels: podLabels('nats') },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { from: [pods(PART_OF)], ports: tcp(NATS_PORT) },
        { from: [pods(podLabels('nats'))], ports: tcp(NATS_ROUTE_PORT) },
      ],
      egress: [{ to: [pods(podLabels('nats'))], ports: tcp(NATS_ROUTE_PORT) }],
    },
  });

/** The namespace, in which only pods without rights are admitted. */
export const namespace = (): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: NAMESPACE,
    labels: { ...PART_OF, 'pod-security.kubernetes.io/enforce': 'restricted' },
  },
});
