import { register } from '../helpers/people.ts';
import { dataFolder, startServer, stopServers } from '../helpers/server.ts';
import { NOT_APPLICABLE, WITHOUT_CHECKS } from './not-applicable.ts';
import { runTool } from './run-tool.ts';
import { startTokenProxy } from './token-proxy.ts';

/** The checks of a scenario. */
interface Scenario {
  name: string;
  passed: number;
  failed: number;
}

let scenarios: Scenario[];
let output: string;
beforeAll(async () => {
  const { url } = await startServer({ oneProcess: true });
  const proxy = await startTokenProxy(url, (await register(url)).token);
  const args = ['server', '--url', `${proxy.url}/mcp`, '--suite', 'all'];
  const { stdout, stderr } = await runTool('conformance', args, dataFolder());
  proxy.close();
  output = stdout + stderr;
  const [, summary = ''] = output.split('=== SUMMARY ===');
  scenarios = [...summary.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)].map(
    ([, name = '', passed, failed]) => ({ name, passed: Number(passed), failed: Number(failed) }),
  );
});
afterAll(stopServers);

test('each scenario that applies passes, and has checks', () => {
  const applicable = scenarios.filter(({ name }) => !(name in NOT_APPLICABLE));
  const unmet = applicable.filter(
    ({ name, passed, failed }) => failed > 0 || (passed === 0 && !WITHOUT_CHECKS.includes(name)),
  );
  expect(unmet).toEqual([]);
  expect(applicable.length).toBeGreaterThanOrEqual(8);
});

test('the scenarios that do not apply are scenarios of the suite, and do not pass', () => {
  const failed = scenarios.filter((scenario) => scenario.failed > 0).map(({ name }) => name);
  expect(failed.sort()).toEqual(Object.keys(NOT_APPLICABLE).sort());
});

test('the scenarios without checks have none', () => {
  const unchecked = scenarios.filter(({ passed, failed }) => passed + failed === 0);
  expect(unchecked.map(({ name }) => name).sort()).toEqual([...WITHOUT_CHECKS].sort());
});
