import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { SERVICE_NAMES } from '../../environment/process.ts';
import { request } from '../helpers/http.ts';
import { dataFolder, startServer, stopServers } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';
import { alerts, queries } from '../integration/deploy/monitoring-files.ts';
import { ROOT, textOf } from '../integration/deploy/project.ts';
import { usageOf } from '../integration/deploy/promql.ts';
import { PrometheusServer } from './prometheus-server.ts';
import { runProgram } from './run-program.ts';

const FILES = join(ROOT, 'deploy/prometheus');

const promtool = (args: readonly string[], cwd = FILES) =>
  runProgram('promtool', args, { debian: 'prometheus', cwd });

/** The files of Prometheus in a folder of their own, one of them with another text. */
function copyOfFiles(file: string, text: string): string {
  const folder = dataFolder();
  cpSync(FILES, folder, { recursive: true });
  writeFileSync(join(folder, file), text);
  return folder;
}

interface ScrapeConfig {
  job_name: string;
  dns_sd_configs?: { names: string[] }[];
}
interface Configuration {
  global: Record<string, string>;
  rule_files: string[];
  scrape_configs: ScrapeConfig[];
}
interface AlertTest {
  name: string;
  input_series: { series: string }[];
  alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[];
}

afterAll(stopServers);

describe('the rules', () => {
  it('are accepted by promtool', async () => {
    const { code, stdout, stderr } = await promtool(['check', 'rules', 'alerts.yml']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${alerts.length} rules found`);
  });

  it('fire and do not fire as their unit tests say, with these labels and texts', async () => {
    const { code, stdout, stderr } = await promtool(['test', 'rules', 'alerts.test.yml']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  const { tests } = parse(textOf('deploy/prometheus/alerts.test.yml')) as { tests: AlertTest[] };
  describe.each(alerts)('$alert', ({ alert, expr }) => {
    const own = tests.flatMap((test) =>
      test.alert_rule_test
        .filter(({ alertname }) => alertname === alert)
        .map(({ exp_alerts = [] }) => ({ ...test, fires: exp_alerts.length > 0 })),
    );
    const metrics = usageOf(expr).selectors.map(({ metric }) => metric);

    it('has a test in which it fires', () => {
      expect(own.filter(({ fires }) => fires)).not.toEqual([]);
    });

    it('has a test in which its metrics are there and it does not fire', () => {
      const quiet = own.filter(({ fires }) => !fires);
      expect(quiet).not.toEqual([]);
      for (const { input_series } of quiet) {
        const given = input_series.map(({ series }) => series.split('{')[0]);
        expect(metrics.filter((metric) => given.includes(metric))).not.toEqual([]);
      }
    });
  });
});

describe.each(['prometheus.yml', 'prometheus.docker.yml', 'prometheus.kubernetes.yml'])(
  'the configuration %s',
  (file) => {
    const text = textOf(`deploy/prometheus/${file}`);
    const { rule_files, scrape_configs } = parse(text) as Configuration;

    it('is accepted by promtool', async () => {
      // Debian builds Prometheus without the discovery of Kubernetes: a list of processes stands in for it.
      const own = text.replace(
        /kubernetes_sd_configs:\n( +)- role: pod/,
        'static_configs:\n$1- targets: []',
      );
      expect(own === text).toBe(!file.includes('kubernetes'));
      const { code, stderr } = await promtool(['check', 'config', file], copyOfFiles(file, own));
      expect([code, stderr]).toEqual([0, '']);
    });

    it('loads the alerts, and names its job as they ask for it', () => {
      expect(rule_files).toEqual(['alerts.yml']);
      const [, job] = /\{job="([\w-]+)"/.exec(queries[0]?.expr ?? '') ?? [];
      expect(scrape_configs.map(({ job_name }) => job_name)).toEqual([job]);
    });

    it('finds the containers of every service, where it names them', () => {
      for (const { names } of scrape_configs.flatMap(({ dns_sd_configs = [] }) => dns_sd_configs)) {
        expect(names).toEqual(SERVICE_NAMES);
      }
    });
  },
);

test('the queries of the dashboards are accepted by promtool', async () => {
  const rules = queries.map(({ expr }, n) => ({ record: `query_${n}`, expr }));
  const folder = copyOfFiles('queries.yml', stringify({ groups: [{ name: 'queries', rules }] }));
  const { code, stdout, stderr } = await promtool(['check', 'rules', 'queries.yml'], folder);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`${queries.length} rules found`);
});

describe('a Prometheus beside a process of the service', () => {
  /** Scrapes and evaluations in a second, in place of 15 s. */
  const QUICK = { scrape_interval: '1s', evaluation_interval: '1s' };
  /** The number of scrapes that the tests wait for. */
  const SCRAPES = 20;

  let prometheus: PrometheusServer;
  let address: string;
  beforeAll(async () => {
    const server = await startServer({ env: { METRICS_PORT: '0' }, oneProcess: true });
    const line = server.logLines().find(({ msg }) => msg === 'Metrics are served');
    address = new URL(String(line?.url)).host;
    const configuration = parse(textOf('deploy/prometheus/prometheus.yml')) as Configuration;
    const folder = copyOfFiles('prometheus.yml', stringify({ ...configuration, global: QUICK }));
    mkdirSync(join(folder, 'targets'));
    writeFileSync(join(folder, 'targets/this.yml'), stringify([{ targets: [address] }]));
    prometheus = await PrometheusServer.start(folder);
    await waitFor(`${SCRAPES} scrapes`, async () => {
      await request(server.url, 'GET', '/health/ready');
      const [scrapes] = await prometheus.query('count_over_time(up[5m])');
      return (scrapes?.value ?? 0) >= SCRAPES;
    });
  });
  afterAll(() => prometheus.stop());

  it('finds the process by the file of targets, and reads its metrics', async () => {
    expect(await prometheus.query('up')).toEqual([
      { metric: { __name__: 'up', job: 'workspace-automation', instance: address }, value: 1 },
    ]);
  });

  it('has evaluated every alert without an error', async () => {
    type Rules = {
      groups: { rules: { name: string; health: string; lastError?: string }[] }[];
    };
    const { groups } = await prometheus.read<Rules>('rules');
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.map(({ name }) => name).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });

  it('has no alert for an idle process', async () => {
    const firing = await prometheus.query('ALERTS{alertstate="firing"}');
    expect(firing.map(({ metric }) => metric.alertname)).toEqual([]);
  });

  it('answers every query of the dashboards', async () => {
    for (const { expr } of queries) await prometheus.query(expr);
  });

  it.each([
    'Requests a second',
    'Requests under way',
    'Database commands a second',
    'Database connections at work',
    'Event loop lag, p99',
    'Live runs',
    'Memory',
  ])('draws the panel %s', async (title) => {
    const own = queries.filter(({ name }) => name.endsWith(`: ${title}`));
    expect(own).not.toEqual([]);
    for (const { expr } of own) expect(await prometheus.query(expr)).not.toEqual([]);
  });
});
