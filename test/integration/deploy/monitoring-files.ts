import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT, textOf } from './project.ts';

/** A rule of `alerts.yml`. */
export interface Alert {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
export interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; legendFormat: string }[];
}
export interface Dashboard {
  uid: string;
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
}

export const alerts = (
  parse(textOf('deploy/prometheus/alerts.yml')) as { groups: { name: string; rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules);

/** The dashboards by their file names. */
export const dashboards = readdirSync(join(ROOT, 'deploy/grafana')).map(
  (file) => [file, JSON.parse(textOf(`deploy/grafana/${file}`)) as Dashboard] as const,
);

/** The query as Prometheus gets it: Grafana puts an interval and the choice of all processes in for its variables. */
const withoutVariables = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');

/** The queries of all panels. `name` says the dashboard and the panel. */
export const queries = dashboards.flatMap(([file, { panels }]) =>
  panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      name: `${file}: ${title}`,
      expr: withoutVariables(expr),
      legendFormat,
    })),
  ),
);
