/** An object of Kubernetes. A test validates each against the schema of its kind. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  [field: string]: unknown;
}

/** The namespace of all objects. */
export const NAMESPACE = 'workspace-automation';

/** The label that all objects of the application carry, as Prometheus and the network policies expect. */
export const PART_OF = { 'app.kubernetes.io/part-of': 'workspace-automation' };

/** The labels by which a Deployment and its policies find the pods of a service. */
export const podLabels = (name: string): Record<string, string> => ({
  'app.kubernetes.io/name': name,
  ...PART_OF,
});

/** Makes an object of that kind and name in the application's namespace. */
export const manifestOf = (
  apiVersion: string,
  kind: string,
  name: string,
  fields: Record<string, unknown>,
): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, namespace: NAMESPACE, labels: podLabels(name) },
  ...fields,
});

/** What the pods of this application run as: no root, no capability, nothing to write to. */
export const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: 1000,
  runAsGroup: 1000,
  fsGroup: 1000, // reads the mounted secrets
  seccompProfile: { type: 'RuntimeDefault' },
};
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Spreads the pods of a name over machines and zones, as far as there are some. */
export const spreadOf = (name: string) =>
  ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: podLabels(name) },
  }));

/**
 * Lets a drain take one pod of that name at a time, and any pod that is not ready: while the database is away none is,
 * and a drain would wait for its return.
 */
export const disruptionBudgetOf = (name: string): Manifest =>
  manifestOf('policy/v1', 'PodDisruptionBudget', name, {
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: podLabels(name) },
    },
  });

/** An account of the cluster without rights, whose token no pod gets. */
export const accountOf = (name: string): Manifest =>
  manifestOf('v1', 'ServiceAccount', name, { automountServiceAccountToken: false });
