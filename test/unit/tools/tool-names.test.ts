import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allTools } from '../../../services/tools/tools.ts';

const ROOT = join(import.meta.dirname, '../../../services');
const SERVICES = [...new Set([...allTools().keys()].map((name) => name.split('_')[0]))];
const NAME = new RegExp(`\\b(?:${SERVICES.join('|')})_\\w+`, 'g');

test('a tool that a text for models names exists', () => {
  const files = globSync(['api/mcp/**/*.ts', 'assistant/**/*.ts', 'tools/**/*.ts'], { cwd: ROOT });
  const named = files.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(NAME) ?? []);
  expect(named).toEqual(expect.arrayContaining(['workspaces_list', 'flows_validate']));
  expect(named.filter((name) => !allTools().has(name))).toEqual([]);
});
