import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { kubernetesFiles, secretFiles } from '../../../deploy/kubernetes/generator/files.ts';
import { GROUPS } from '../../../deploy/secrets.ts';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { readEnvironment, VARIABLE_NAMES } from '../../../environment/variables.ts';
import {
  FILES,
  type KubernetesObject,
  OBJECTS,
  objectNamed,
  objectsOf,
  type PodSpec,
} from './kubernetes-files.ts';
import { composeFile, ROOT, testFolder, textOf, withSecrets } from './project.ts';

const compose = composeFile();
const settings = objectNamed('ConfigMap', 'settings').data ?? {};
const withPods = OBJECTS.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
const namesOf = (kind: string) =>
  OBJECTS.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
const specOf = (object: KubernetesObject) => object.spec ?? {};
const podOf = (object: KubernetesObject): PodSpec => {
  const pod = specOf(object).template?.spec;
  if (!pod) throw new Error(`${object.metadata.name} has no pods`);
  return pod;
};

test('the files are those that npm run make-kubernetes writes', () => {
  const written = kubernetesFiles();
  expect(FILES).toEqual(Object.keys(written).sort());
  for (const [name, text] of Object.entries(written)) {
    expect(textOf(`deploy/kubernetes/${name}`)).toBe(text);
  }
});

test('the kustomization names every file with objects', () => {
  const [kustomization] = objectsOf('kustomization.yaml');
  const others = FILES.filter((name) => !name.endsWith('kustomization.yaml'));
  expect(kustomization?.resources?.toSorted()).toEqual(['../nats', ...others].sort());
});

test('no two objects have one kind and name, and all are in one namespace', () => {
  const names = OBJECTS.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
  const namespaces = OBJECTS.filter(({ kind }) => kind !== 'Namespace').map(
    ({ metadata }) => metadata.namespace,
  );
  expect([...new Set(namespaces)]).toEqual(['workspace-automation']);
});

describe.each(SERVICE_NAMES)('the service %s', (service) => {
  const deployment = objectNamed('Deployment', service);
  const pod = podOf(deployment);
  const [container] = pod.containers;
  if (!container) throw new Error(`${service} has no container`);
  const env = container.env ?? [];

  it('has an account, a disruption budget, an autoscaler and a network policy', () => {
    for (const kind of [
      'ServiceAccount',
      'PodDisruptionBudget',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
    ]) {
      expect(objectNamed(kind, service).metadata.labels).toEqual(deployment.metadata.labels);
    }
    expect(pod.serviceAccountName).toBe(service);
  });

  it('has the variables of its container in docker-compose.yml, and the authority of NATS', () => {
    const ofContainer = Object.keys(compose.services[service]?.environment ?? {});
    const names = env.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...ofContainer, 'NATS_CA_FILE'].sort());
    expect(names.filter((name) => !VARIABLE_NAMES.has(name))).toEqual([]);
  });

  it('takes settings that there are', () => {
    for (const { valueFrom } of env) {
      const reference = valueFrom?.configMapKeyRef;
      if (reference)
        expect([reference.name, settings]).toEqual([
          'settings',
          expect.objectContaining({ [reference.key]: expect.any(String) }),
        ]);
    }
  });

  it('reads each secret from a file that is mounted', () => {
    const keysOf = (name = '') => Object.keys(secretFiles()[name] ?? {});
    const mounted = container.volumeMounts.flatMap(({ name, mountPath }) => {
      const secret = pod.volumes.find((volume) => volume.name === name)?.secret?.secretName;
      return keysOf(secret).map((key) => `${mountPath}/${key}`);
    });
    const read = env.filter(({ name }) => name.endsWith('_FILE')).map(({ value }) => value);
    expect(read.toSorted()).toEqual(mounted.toSorted());
  });

  it('would start with these settings', () => {
    const given = env.map(({ name, value, valueFrom }): [string, string] => [
      name,
      value ?? settings[valueFrom?.configMapKeyRef?.key ?? ''] ?? '',
    ]);
    const source = withSecrets(service, Object.fromEntries(given));
    expect(readEnvironment(source).SERVICES).toEqual([service]);
  });

  it('may use as much as its container', () => {
    const { cpus = 0, mem_limit = '' } = compose.services[service] ?? {};
    const memory = `${mem_limit.toUpperCase()}i`;
    expect(container.resources).toEqual({
      requests: { cpu: `${cpus * 500}m`, memory },
      limits: { cpu: String(cpus), memory },
    });
  });

  it('is replaced pod by pod, never fewer, and has time to stop', () => {
    expect(specOf(deployment).strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10);
    expect(specOf(deployment)).not.toHaveProperty('replicas'); // the autoscaler's
  });

  it('has an autoscaler of its own, whose least number lets a drain take a pod', () => {
    const { scaleTargetRef, minReplicas = 0 } = specOf(
      objectNamed('HorizontalPodAutoscaler', service),
    );
    expect(scaleTargetRef).toMatchObject({ kind: 'Deployment', name: service });
    const { maxUnavailable = 0 } = specOf(objectNamed('PodDisruptionBudget', service));
    expect(maxUnavailable).toBeGreaterThan(0);
    expect(minReplicas).toBeGreaterThan(maxUnavailable);
  });

  it('reaches the internet only where its container does, and private addresses never', () => {
    const outside = service !== 'api' && compose.services[service]?.networks?.includes('outside');
    const blocks = (specOf(objectNamed('NetworkPolicy', service)).egress ?? [])
      .flatMap(({ to = [] }) => to)
      .flatMap(({ ipBlock }) => ipBlock ?? []);
    expect(blocks.map(({ cidr }) => cidr)).toEqual(outside ? ['0.0.0.0/0', '::/0'] : []);
    const denied = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7'];
    for (const range of outside ? denied : []) {
      expect(blocks.some(({ except = [] }) => except.includes(range))).toBe(true);
    }
  });
});

describe.each(withPods.map((object) => [object.metadata.name, object] as const))(
  'the pods of %s',
  (name, object) => {
    const pod = podOf(object);

    it('have the labels by which their owner, their budget and their policies find them', () => {
      const labels = specOf(object).template?.metadata.labels;
      const selectors = [
        specOf(object).selector?.matchLabels,
        specOf(objectNamed('PodDisruptionBudget', name)).selector?.matchLabels,
        specOf(objectNamed('NetworkPolicy', name)).podSelector?.matchLabels,
      ];
      for (const selector of selectors) expect(selector).toEqual(labels);
      const others = withPods.filter((other) =>
        isDeepStrictEqual(specOf(other).template?.metadata.labels, labels),
      );
      expect(others).toEqual([object]);
    });

    it('have no rights and no token', () => {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      for (const { securityContext } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    });

    it('are asked for their health at ports that they have', () => {
      for (const { ports = [], readinessProbe, livenessProbe } of pod.containers) {
        expect(readinessProbe).toBeDefined();
        expect(livenessProbe).toBeDefined();
        const names = [readinessProbe, livenessProbe].flatMap(
          (probe) => probe?.httpGet?.port ?? probe?.tcpSocket?.port ?? [],
        );
        expect(ports.map((port) => port.name)).toEqual(expect.arrayContaining(names));
      }
    });

    it('mount what there is', () => {
      const secrets = Object.keys(secretFiles());
      const configMaps = [...namesOf('ConfigMap'), 'nats-users'];
      for (const { secret, projected } of pod.volumes) {
        const sources = [
          ...(projected?.sources ?? []),
          ...(secret ? [{ secret: { name: secret.secretName }, configMap: undefined }] : []),
        ];
        for (const source of sources) {
          if (source.secret) expect(secrets).toContain(source.secret.name);
          if (source.configMap) expect(configMaps).toContain(source.configMap.name);
        }
      }
      const volumes = pod.volumes.map((volume) => volume.name).sort();
      const mounts = pod.containers.flatMap(({ volumeMounts }) => volumeMounts.map((m) => m.name));
      expect([...new Set(mounts)].sort()).toEqual(volumes);
    });
  },
);

test('a drain does not wait for pods that are not ready, as none is without a database', () => {
  const budgets = OBJECTS.filter(({ kind }) => kind === 'PodDisruptionBudget');
  expect(budgets).toHaveLength(withPods.length);
  for (const budget of budgets) {
    expect(specOf(budget).unhealthyPodEvictionPolicy).toBe('AlwaysAllow');
  }
});

test('each Service reaches pods that there are, at ports that they have', () => {
  const services = OBJECTS.filter(({ kind }) => kind === 'Service');
  expect(services.map(({ metadata }) => metadata.name).sort()).toEqual(['api', 'nats']);
  for (const service of services) {
    const owner = withPods.find(({ metadata }) => metadata.name === service.metadata.name);
    if (!owner) throw new Error(`nobody has the pods of ${service.metadata.name}`);
    expect(specOf(service).selector).toEqual(specOf(owner).template?.metadata.labels);
    const ports = podOf(owner).containers.flatMap((one) => one.ports ?? []);
    for (const { targetPort } of specOf(service).ports ?? []) {
      expect(ports.map(({ name }) => name)).toContain(targetPort);
    }
  }
});

test('whatever no policy allows is denied', () => {
  const { podSelector, ingress, egress } = specOf(objectNamed('NetworkPolicy', 'deny-all'));
  expect({ podSelector, ingress, egress }).toEqual({ podSelector: {} });
});

test('the secrets are made of the files of make-secrets, of the mail server and of the certificates', () => {
  const used = Object.values(secretFiles()).flatMap((keys) => Object.values(keys));
  const made = GROUPS.flatMap((group) => Object.keys(group.make()));
  const ofOperators = ['mongodb-uri-backup', 'nats-url-console'];
  const withoutUse = ['mongo-key', 'mongo-admin-password', ...ofOperators];
  expect([...new Set(used)].sort()).toEqual(
    [
      ...made.filter((name) => !withoutUse.includes(name)),
      ...['smtp-url', 'nats-ca.pem', 'nats-0.nats.pem', 'nats-0.nats-key.pem'],
    ].sort(),
  );
});

test('NATS has the users of deploy/nats, and each server the names of all', () => {
  const { data = {} } = objectNamed('ConfigMap', 'nats');
  const [users] = objectsOf('../nats/kustomization.yaml');
  expect(users?.configMapGenerator).toEqual([{ name: 'nats-users', files: ['users.conf'] }]);
  const hosts = data['nats-server.conf']?.match(/nats-route:\/\/\S+:6222/g);
  expect(hosts).toHaveLength(specOf(objectNamed('StatefulSet', 'nats')).replicas ?? 0);
  expect(hosts).toEqual([0, 1, 2].map((index) => `nats-route://nats-${index}.nats:6222`));
});

describe('roll.sh of Kubernetes', () => {
  const folder = testFolder();
  const log = join(folder, 'log');

  /** A `kubectl` that notes what it is asked, and what it is to apply. */
  const KUBECTL = `#!/bin/sh
echo "$*" >> "${log}"
case "$*" in
  kustomize*) printf '%s\\n' 'kind: "All\\n"' ;;
  apply*) cat >> "${log}" ;;
  *rollout*"$STUCK") exit 1 ;;
esac
`;

  function roll(services: readonly string[], stuck = 'nobody') {
    writeFileSync(join(folder, 'kubectl'), KUBECTL, { mode: 0o755 });
    writeFileSync(log, '');
    const { status } = spawnSync(
      'sh',
      [join(ROOT, 'deploy/kubernetes/roll.sh'), 'mine', ...services],
      {
        env: { PATH: `${folder}:${process.env.PATH}`, STUCK: stuck },
      },
    );
    return { status, asked: readFileSync(log, 'utf8').trim().split('\n') };
  }
  const applied = (name: string) => [
    `apply -l app.kubernetes.io/name=${name} -f -`,
    'kind: "All\\n"',
  ];
  const waited = (name: string) =>
    `-n workspace-automation rollout status --timeout=10m deployment/${name}`;

  it('applies the settings, then a service after the other once the last is ready', () => {
    const { status, asked } = roll(['runs', 'api']);
    expect(status).toBe(0);
    expect(asked).toEqual([
      'kustomize mine',
      ...applied('settings'),
      ...[...applied('runs'), waited('runs')],
      ...[...applied('api'), waited('api')],
    ]);
  });

  it('goes no further where the pods of a service do not get ready', () => {
    const { status, asked } = roll(['runs', 'api'], 'runs');
    expect(status).toBe(1);
    expect(asked.at(-1)).toBe(waited('runs'));
  });

  it('finds the objects of each service by their label', () => {
    for (const service of SERVICE_NAMES) {
      const labelled = OBJECTS.filter(
        ({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === service,
      );
      expect(labelled.map(({ kind }) => kind)).toContain('Deployment');
    }
    expect(objectNamed('ConfigMap', 'settings').metadata.labels).toMatchObject({
      'app.kubernetes.io/name': 'settings',
    });
  });

  it('brings all services up unless some are named, the gateways last', () => {
    const rolled = roll([]).asked.flatMap((line) => /deployment\/(\S+)/.exec(line)?.[1] ?? []);
    expect(rolled.toSorted()).toEqual([...SERVICE_NAMES].sort());
    expect(rolled.at(-1)).toBe('api');
  });
});
