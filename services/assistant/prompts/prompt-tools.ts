import { invalidRequest } from '../../../contract/problem.ts';
import { isRunTool } from '../../../contract/run-tool.ts';
import { type Tool, toolNameOf } from '../../../contract/tools.ts';
import { allTools } from '../../tools/tools.ts';

/** Finds the tools of a prompt. Throws 400 for a name that is no operation which an agent of a flow may read with. */
export function promptTools(operations: readonly string[]): ReadonlyMap<string, Tool> {
  const found = operations.map((operation) => allTools().get(toolNameOf(operation)));
  const faults = found.flatMap((tool, index) =>
    tool && tool.operation === operations[index] && isRunTool(tool.contract)
      ? []
      : [
          {
            in: 'body' as const,
            path: `tools.${index}`,
            code: 'not_a_reading_tool',
            message: `${JSON.stringify(operations[index])} is no operation that an agent may read with`,
          },
        ],
  );
  if (faults.length) throw invalidRequest(faults);
  return new Map(found.flatMap((tool) => (tool ? [[tool.name, tool] as const] : [])));
}
