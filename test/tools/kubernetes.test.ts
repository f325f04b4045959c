import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type KubernetesObject,
  OBJECTS,
  objectNamed,
} from '../integration/deploy/kubernetes-files.ts';
import { runTool } from './run-tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The faults that the schemas of Kubernetes' own API find. They know what a field may hold. */
async function faultsBySchema(objects: readonly object[]): Promise<string[]> {
  const file = join(folder, 'objects.json');
  writeFileSync(file, JSON.stringify(objects));
  const script = join(import.meta.dirname, 'validate-manifests.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, file]);
  return JSON.parse(stdout);
}

/** The faults that TypeScript finds by the types of the same API, which refuse a field that they do not have. */
async function faultsByType(objects: readonly KubernetesObject[]): Promise<string> {
  const lines = objects.map(
    ({ apiVersion, kind, ...fields }, index) =>
      `import type { I${kind} as Kind${index} } from 'kubernetes-models/${apiVersion}';
export const object${index}: Kind${index} = ${JSON.stringify({ apiVersion, kind, ...fields })};`,
  );
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2024', types: [] },
    ...{ noEmit: true, strict: true, skipLibCheck: true },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const { stdout } = await runTool('tsc', [], folder);
  return stdout;
}

const api = objectNamed('Deployment', 'api');

test('every object keeps to the schema of its kind', async () => {
  expect(OBJECTS.length).toBeGreaterThan(70);
  expect(await faultsBySchema(OBJECTS)).toEqual([]);
});

test('the schemas would refuse a value of another type', async () => {
  const wrong = { ...api, spec: { ...api.spec, minReadySeconds: 'soon' } };
  const [fault] = await faultsBySchema([wrong]);
  expect(fault).toMatch(/^Deployment api: .*minReadySeconds/s);
});

test('no object has a field that its kind does not have', async () => {
  expect(await faultsByType(OBJECTS)).toBe('');
});

test('the types would refuse a misspelt field, however deep', async () => {
  const misspelt = JSON.parse(
    JSON.stringify(api).replace('readOnlyRootFilesystem', 'readOnlyRoot'),
  );
  expect(await faultsByType([misspelt])).toMatch(
    /readOnlyRoot.*does not exist in type 'ISecurityContext'/,
  );
});
