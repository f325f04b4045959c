import { globSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { ROOT, textOf } from './project.ts';

const FOLDER = 'deploy/kubernetes';

/** The part of a container that the tests look at. */
export interface PodContainer {
  name: string;
  image: string;
  env?: {
    name: string;
    value?: string;
    valueFrom?: { configMapKeyRef?: { name: string; key: string } };
  }[];
  ports?: { name: string; containerPort: number }[];
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  resources: Record<'requests' | 'limits', { cpu: string; memory: string }>;
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
}
interface Probe {
  httpGet?: { path: string; port: string };
  tcpSocket?: { port: string };
  exec?: { command: string[] };
}
interface Volume {
  name: string;
  secret?: { secretName: string };
  projected?: { sources: { configMap?: { name: string }; secret?: { name: string } }[] };
}
export interface PodSpec {
  serviceAccountName: string;
  automountServiceAccountToken: boolean;
  enableServiceLinks: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: PodContainer[];
  volumes: Volume[];
}
interface NetworkRule {
  from?: object[];
  to?: { ipBlock?: { cidr: string; except?: string[] } }[];
  ports?: { port: number }[];
}

/** An object of Kubernetes, with the fields that the tests look at. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  resources?: string[];
  configMapGenerator?: { name: string; files: string[] }[];
  spec?: {
    replicas?: number;
    minReplicas?: number;
    maxUnavailable?: number;
    unhealthyPodEvictionPolicy?: string;
    podSelector?: { matchLabels?: Record<string, string> };
    selector?: { matchLabels?: Record<string, string> };
    scaleTargetRef?: { kind: string; name: string };
    strategy?: object;
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    ports?: { name: string; targetPort: string }[];
    ingress?: NetworkRule[];
    egress?: NetworkRule[];
  };
}

/** The paths of the committed files, below `deploy/kubernetes`. */
export const FILES = [
  '../nats/kustomization.yaml',
  ...globSync('**/*.yaml', { cwd: `${ROOT}/${FOLDER}` }),
].sort();

/** The objects of a committed file. */
export const objectsOf = (file: string): KubernetesObject[] =>
  parseAllDocuments(textOf(`${FOLDER}/${file}`)).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as KubernetesObject;
  });

/** The objects of all committed files, kustomizations apart. */
export const OBJECTS = FILES.flatMap(objectsOf).filter(({ kind }) => kind !== 'Kustomization');

/** The one object of that kind and name. */
export function objectNamed(kind: string, name: string): KubernetesObject {
  const found = OBJECTS.filter((one) => one.kind === kind && one.metadata.name === name);
  const [object] = found;
  if (!object || found.length > 1) throw new Error(`${found.length} of ${kind} ${name}`);
  return object;
}
