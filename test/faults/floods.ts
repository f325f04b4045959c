/**
 * What one floods and another feels of it: `node test/faults/floods.ts [--only <part of a name>]`. Each
 * scenario has a fresh server with its default limits; the figure that matters to the other is measured
 * idle, then flooded, and fails beyond the scenario's bound.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer, stopServers } from '../helpers/server.ts';
import type { FloodScenario } from './floods/scenario.ts';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const say = (line: string) => process.stdout.write(`${line}\n`);
const totals = { passed: 0, failed: 0 };
/** As an operator has them who set nothing, whatever the tests' helper sets. */
const DEFAULT_LIMITS = { RATE_LIMIT: '', SIGN_IN_LIMIT: '' };

for (const scenario of await scenarios()) {
  try {
    totals[(await holds(scenario)) ? 'passed' : 'failed']++;
  } catch (error) {
    totals.failed++;
    say(`${scenario.name}: ${(error as Error).message}`);
  } finally {
    await stopServers();
  }
}
say(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed || !totals.passed ? 1 : 0;

/** Those of the folder whose name has that part. */
async function scenarios(): Promise<FloodScenario[]> {
  const folder = join(import.meta.dirname, 'floods');
  const files = globSync('*.ts', { cwd: folder }).sort();
  const modules: { scenarios?: readonly FloodScenario[] }[] = await Promise.all(
    files.map((file) => import(join(folder, file))),
  );
  return modules
    .flatMap(({ scenarios: ofFile = [] }) => ofFile)
    .filter(({ name }) => name.includes(values.only));
}

async function holds(scenario: FloodScenario): Promise<boolean> {
  const { name, bound, env } = scenario;
  const server = await startServer({
    env: { LOG_LEVEL: 'warn', PUBLIC_URL: 'http://service.test', ...DEFAULT_LIMITS, ...env },
  });
  const prepared = await scenario.prepare?.(server);
  const idle = await scenario.idle(server, prepared);
  const flooded = await scenario.flooded(server, prepared);
  const ratio = flooded / idle;
  const isWithin = ratio <= bound;
  say(
    `${name}: idle ${idle.toFixed(1)}, flooded ${flooded.toFixed(1)}, ratio ${ratio.toFixed(2)}, at most ${bound}: ${isWithin ? 'passed' : 'failed'}`,
  );
  return isWithin;
}
