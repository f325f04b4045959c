import { parse } from 'yaml';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { collectMetrics } from '../../../telemetry/collect-metrics.ts';
import { alerts, dashboards, queries } from './monitoring-files.ts';
import { textOf } from './project.ts';
import { usageOf } from './promql.ts';

const expressions: [name: string, expression: string][] = [
  ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...queries.map(({ name, expr }): [string, string] => [name, expr]),
];

/** The labels that Prometheus adds to each series, and its own metric. */
const OF_TARGET = ['job', 'instance'];
const OF_PROMETHEUS = new Map([['up', new Set(OF_TARGET)]]);

const registry = collectMetrics({
  services: SERVICE_NAMES,
  nats: { connected: true },
  ask: () => new Promise(() => undefined),
});

/** The names of the series that the service exposes, with their labels. */
const exposed = new Map([
  ...OF_PROMETHEUS,
  ...registry.getMetricsAsArray().flatMap((metric) => {
    const { name, type, labelNames } = metric as typeof metric & { labelNames: string[] };
    const labels = new Set([...labelNames, ...OF_TARGET]);
    const parts: [string, Set<string>][] =
      String(type) === 'histogram'
        ? [
            [`${name}_bucket`, new Set([...labels, 'le'])],
            [`${name}_sum`, labels],
            [`${name}_count`, labels],
          ]
        : [[name, labels]];
    return parts;
  }),
]);
const labelsOf = (metric: string): ReadonlySet<string> => exposed.get(metric) ?? new Set();

test('there are alerts and dashboards, and the names of alerts are used once', () => {
  expect(alerts.length).toBeGreaterThan(10);
  expect(queries.length).toBeGreaterThan(20);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
});

describe.each(expressions)('the expression of %s', (_, expression) => {
  const { selectors, grouping, errors } = usageOf(expression);

  it('is PromQL', () => {
    expect(errors).toEqual([]);
    expect(selectors.length).toBeGreaterThan(0);
  });

  it('names metrics that the service has', () => {
    expect(selectors.map(({ metric }) => metric).filter((name) => !exposed.has(name))).toEqual([]);
  });

  it('names labels that these metrics have', () => {
    const unknown = selectors.flatMap(({ metric, labels }) =>
      labels.filter((label) => !labelsOf(metric).has(label)).map((label) => `${metric}{${label}}`),
    );
    const known = new Set(selectors.flatMap(({ metric }) => [...labelsOf(metric)]));
    expect([...unknown, ...grouping.filter((label) => !known.has(label))]).toEqual([]);
  });
});

describe.each(alerts)('the alert $alert', ({ alert, expr, labels, annotations }) => {
  it('says what it is, how grave, and what to do', () => {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/\S/);
    expect(annotations.description).toMatch(/\.$/);
  });

  it('has a section in docs/operations.md', () => {
    const sections = textOf('docs/operations.md').split('\n## ');
    const alarms = sections.find((section) => section.startsWith('Alarms\n'));
    expect(alarms?.split('\n')).toContain(`### ${alert}`);
    expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
  });

  it('uses in its texts labels that its result has', () => {
    const used = [
      ...Object.values(annotations)
        .join(' ')
        .matchAll(/\$labels\.(\w+)/g),
    ];
    const { selectors, grouping } = usageOf(expr);
    const aggregated = /\b(?:sum|max|min)\b/.test(expr);
    const possible = aggregated
      ? grouping
      : selectors.flatMap(({ metric }) => [...labelsOf(metric)]);
    expect(
      used.map(([, label = '']) => label).filter((label) => !possible.includes(label)),
    ).toEqual([]);
  });
});

test('docs/operations.md has no section of an alarm that does not exist', () => {
  const [, alarms = ''] = textOf('docs/operations.md').split('\n## Alarms\n');
  const headings = [...(alarms.split('\n## ')[0] ?? '').matchAll(/^### (\w+)$/gm)];
  expect(headings.map(([, name]) => name)).toEqual(alerts.map(({ alert }) => alert));
});

describe.each(dashboards)('the dashboard %s', (_, { panels, templating }) => {
  it('gives each panel an id and a place of its own within 24 columns', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });

  it('uses no variable that it does not have', () => {
    const used = [...JSON.stringify(panels).matchAll(/\$\{?([a-z]\w*)/g)].map(([, name]) => name);
    const known = templating.list.map(({ name }) => name);
    expect([...new Set(used)].filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });
});

test('the legend of each panel names labels that the result has', () => {
  for (const { expr, legendFormat } of queries) {
    const { selectors, grouping } = usageOf(expr);
    const own = selectors.flatMap(({ metric }) => [...labelsOf(metric)]);
    const possible = /\b(?:sum|max) by\b/.test(expr) ? grouping : own;
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      expect(possible).toContain(label);
    }
  }
});

describe('the discovery in Kubernetes', () => {
  interface Discovery {
    scrape_configs: {
      relabel_configs: { source_labels: string[]; regex?: string; action?: string }[];
    }[];
  }
  const [job] = (parse(textOf('deploy/prometheus/prometheus.kubernetes.yml')) as Discovery)
    .scrape_configs;
  /** Whether Prometheus scrapes a target with these labels. */
  const isKept = (labels: Readonly<Record<string, string>>): boolean =>
    (job?.relabel_configs ?? [])
      .filter(({ action }) => action === 'keep')
      .every(({ source_labels, regex }) =>
        new RegExp(`^(?:${regex})$`).test(source_labels.map((name) => labels[name]).join(';')),
      );
  const pod = (phase: string) => ({
    __meta_kubernetes_pod_label_app_kubernetes_io_part_of: 'workspace-automation',
    __meta_kubernetes_pod_container_port_name: 'metrics',
    __meta_kubernetes_pod_phase: phase,
  });

  it('finds pods that run, and none that has no process yet or any more', () => {
    const phases = ['Pending', 'Running', 'Succeeded', 'Failed'];
    expect(phases.filter((phase) => isKept(pod(phase)))).toEqual(['Running']);
  });
});
