import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import type { ApiKeyCaller, Caller } from '../../../contract/caller.ts';
import { type ActionContract, takesKey } from '../../../contract/contract.ts';
import { toolTermsOf } from '../../../contract/tool-rule.ts';
import { structuredResult, TRUNCATION_FIELD } from '../../../contract/tool-schemas.ts';
import { operationOf, type Tool, toolNameOf, toolOf } from '../../../contract/tools.ts';
import { mcpActions } from '../../../services/api/mcp/mcp.contract.ts';
import { allTools, isOfferedTo } from '../../../services/tools/tools.ts';
import { operations } from '../../e2e/permissions-matrix.ts';

/** One line a tool, as models see it. After an intended change: UPDATE_GOLDEN=1 npx jest test/unit/tools */
const GOLDEN = join(import.meta.dirname, 'tools.golden.jsonl');
const tools = [...allTools().values()];
const lineOf = ({ contract: _, ...seen }: Tool): string => JSON.stringify(seen);

test('the tools are those of the golden file', () => {
  const lines = tools.map(lineOf).sort();
  if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, `${lines.join('\n')}\n`);
  const golden = existsSync(GOLDEN) ? readFileSync(GOLDEN, 'utf8').trimEnd().split('\n') : [];
  expect(lines.map((line) => JSON.parse(line))).toEqual(golden.map((line) => JSON.parse(line)));
});

test('each operation with a rule for it is a tool, and no other', () => {
  const offered = operations.filter(({ contract }) => toolTermsOf(contract));
  expect(tools.map(({ operation }) => operation).sort()).toEqual(
    offered.map(({ name }) => name).sort(),
  );
});

test.each(operations.map(({ name }) => name))(
  '%s and the name of its tool say the same',
  (name) => {
    expect(toolNameOf(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(operationOf(toolNameOf(name))).toBe(name);
  },
);

describe.each(tools)('$name', (tool) => {
  const { contract, inputSchema, outputSchema, annotations } = tool;

  it('has schemas that stand alone, with an object at their root', () => {
    for (const schema of [inputSchema, ...(outputSchema ? [outputSchema] : [])]) {
      expect(schema.type).toBe('object');
      const text = JSON.stringify(schema);
      const defined = Object.keys((schema.$defs ?? {}) as object);
      const named = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
      expect([...new Set(named)].sort()).toEqual(defined.map((name) => `#/$defs/${name}`).sort());
    }
  });

  it('has every parameter of the operation but headers, and no field that is only repeated', () => {
    const names = Object.keys(inputSchema.properties as object);
    expect(names.sort()).toEqual(
      Object.keys({ ...contract.path, ...contract.query, ...contract.body }).sort(),
    );
  });

  it('answers its example as the schema says', () => {
    const { example, result, format } = contract;
    if (!outputSchema || example?.answer === undefined) return;
    const answer = format === 'page' ? { items: example.answer, after: null } : example.answer;
    const structured = structuredResult({ result }, answer);
    const { errors } = new Validator(outputSchema, '2020-12').validate(structured);
    expect(errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)).toEqual(
      [],
    );
    expect(Object.keys(structured ?? {})).not.toContain(TRUNCATION_FIELD);
  });

  it('says of at most one of reading and destroying that it does it', () => {
    expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false);
  });
});

test('a message has a longer deadline than any tool with the wait that it allows', () => {
  const longest = Math.max(...tools.map(({ contract: { timeoutMs = 0 } }) => timeoutMs));
  expect(mcpActions.mcp.timeoutMs).toBeGreaterThan(longest);
});

test('a message may be as long, deep and full as the arguments of any tool', () => {
  for (const { contract } of tools) {
    const { bodyLimit = 0, bodyDepth = 0, bodyValues = 0 } = contract;
    expect(mcpActions.mcp.bodyLimit).toBeGreaterThanOrEqual(bodyLimit);
    expect(mcpActions.mcp.bodyDepth).toBeGreaterThanOrEqual(bodyDepth + 3);
    expect(mcpActions.mcp.bodyValues).toBeGreaterThanOrEqual(bodyValues + 20);
  }
});

const person: Caller = { kind: 'person', userId: 1, name: 'Ada', sessionId: 's' };
const key: ApiKeyCaller = { kind: 'api-key', keyId: 1, name: 'k', workspaceId: 7, scopes: [] };
const offeredTo = (caller: Caller) =>
  tools.filter((tool) => isOfferedTo(tool, caller)).map(({ operation }) => operation);

test('a key is offered the tools of its scopes', () => {
  expect(offeredTo(key)).toEqual([]);
  expect(offeredTo({ ...key, scopes: ['issues:create'] })).toEqual(['issues.createExternal']);
  expect(offeredTo({ ...key, scopes: ['flows:read', 'flows:run'] })).toEqual([
    'runs.startExternal',
    'runs.get',
    'runs.listSteps',
    'runs.getStep',
  ]);
});

test('other callers are offered every tool but those that only keys may call', () => {
  const onlyKeys = tools.filter(
    ({ contract }) => contract.access.who === 'key' || contract.route?.endsWith('/external'),
  );
  expect(onlyKeys.every(({ contract }) => takesKey(contract))).toBe(true);
  expect(offeredTo(person).length).toBe(tools.length - onlyKeys.length);
});

test.each([
  ['POST', true, false],
  ['PUT', true, true],
  ['DELETE', true, true],
  ['GET', true, false],
  ['PUT', { destructive: false }, false],
  ['POST', { destructive: true }, true],
] as const)(
  'a %s with the rule %j is destructive or not: overwriting counts as well',
  (method, tool, is) => {
    const [contract] = operations.map((operation) => operation.contract);
    const made = toolOf('boxes.act', {
      ...(contract as ActionContract),
      route: `${method} /b`,
      tool,
    });
    expect(made?.annotations.destructiveHint).toBe(is);
  },
);
