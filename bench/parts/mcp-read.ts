import { callTool } from '../../test/helpers/mcp.ts';
import { type Person, register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { interleave, median, medianRatio, requestsPerSecond } from '../load.ts';
import { printLine, reportFigure } from '../report.ts';
import { createIssue, productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';

const ROUNDS = 5;

/** Compares the call of a reading tool over MCP with the same operation over HTTP: an issue by its id, in one process. */
export async function measureMcpRead(): Promise<void> {
  const database = await startDatabase('mcp-read');
  const service = await startServer({ env: productionEnvironment(database.uri) });
  const owner = await register(service.url);
  const { issue } = await createIssue(owner);
  const body = toolCall(issue);
  await assertAnswered(service.url, owner, body);
  const headers = { authorization: `Bearer ${owner.token}` };
  const load = { headers: { ...headers, accept: 'application/json, text/event-stream' }, body };
  const { tool, operation } = await interleave(ROUNDS, {
    tool: () => requestsPerSecond(`${service.url}/mcp`, load),
    operation: () => requestsPerSecond(service.url + issue, { headers }),
  });
  printLine(
    `issues_get over MCP: ${Math.round(median(tool))}/s, GET of the issue ${Math.round(median(operation))}/s`,
  );
  reportFigure(FIGURES.mcpRead, medianRatio(tool, operation));
  await service.stop();
  await stopDatabase(database);
}

/** The message that calls the tool for the issue at the path. */
function toolCall(path: string) {
  const [workspaceId = 0, issueId = 0] = [...path.matchAll(/\d+/g)].map(Number);
  const params = { name: 'issues_get', arguments: { workspaceId, issueId } };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

/** Throws where the tool does not answer with the issue: the status of a response does not tell. */
async function assertAnswered(
  url: string,
  { token }: Person,
  { params: { name, arguments: args } }: ReturnType<typeof toolCall>,
): Promise<void> {
  const { isError, content } = await callTool(url, name, args, { token });
  if (isError) throw new Error(`${name} answered ${content[0]?.text}`);
}
