import { Validator } from '@cfworker/json-schema';
import type { Tool } from '../../contract/tools.ts';
import { allTools } from '../../services/tools/tools.ts';
import { e2e, made } from '../fixtures/e2e.ts';
import { callTool } from '../helpers/mcp.ts';
import { SAMPLES, type Sample } from './operation-samples.ts';
import { makeWorld } from './sample-world.ts';

const { server } = e2e();
const world = made(() => makeWorld(server.url));

/** The arguments of a tool in place of the request of a sample. */
function argumentsOf({ contract }: Tool, { path, query, body }: Sample): Record<string, unknown> {
  const { wholeBody, readOnly = [] } = contract;
  if (wholeBody) return { ...path, ...query, ...(body === undefined ? {} : { [wholeBody]: body }) };
  const fields = Object.entries((body ?? {}) as object).filter(
    ([name]) => !readOnly.includes(name),
  );
  return { ...path, ...query, ...Object.fromEntries(fields) };
}

const faultsOf = (schema: object, value: unknown): string[] =>
  new Validator(schema, '2020-12', false)
    .validate(value)
    .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);

describe.each([...allTools().values()])('$name', (tool) => {
  it('takes the request of its operation, and answers what its schema says', async () => {
    const sample = await SAMPLES[tool.operation]?.(world);
    if (!sample) throw new Error(`${tool.operation} has no sample`);
    const args = argumentsOf(tool, sample);
    expect(faultsOf(tool.inputSchema, args)).toEqual([]);

    const { token, headers } = sample;
    const credentials = { ...(token ? { token } : {}), ...(headers ? { headers } : {}) };
    const { content, structuredContent, isError } = await callTool(
      server.url,
      tool.name,
      args,
      credentials,
    );
    expect([content[0]?.text, isError]).toEqual([expect.any(String), undefined]);
    if (!tool.outputSchema) {
      expect([content, structuredContent]).toEqual([[{ type: 'text', text: 'Done.' }], undefined]);
      return;
    }
    expect(faultsOf(tool.outputSchema, structuredContent)).toEqual([]);
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  });
});
