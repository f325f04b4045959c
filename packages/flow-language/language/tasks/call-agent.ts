import type { CallAgentTask, Json, Template } from '../../plan.ts';
import { quote } from '../faults.ts';
import { checkSchema } from '../json-schema.ts';
import { readMatching, readPlainString } from '../scalars.ts';
import { type Fields, keys, readFields, readList } from '../shape.ts';
import { readFilledText } from '../text.ts';
import { type Node, stringOf, toJson } from '../tree.ts';
import type { Place, TaskBody } from './place.ts';

/** The members of `with`. */
export const AGENT_KEYS = keys({ required: 'prompt', optional: 'schema tools' });

/** The name of an operation, as the OpenAPI document has it. Whether there is such an operation shows when the task runs. */
const OPERATION = /^[a-z][A-Za-z0-9-]*(?:\.[a-z][A-Za-z0-9-]*)+$/;

/** Replaces a prompt with a fault. The plan of a file with faults is never returned. */
const NO_PROMPT: Template = { kind: 'literal', value: null };

/** Reads `call: agent` (flow language, section 1). */
export function readAgentCall(task: Fields, place: Place): TaskBody | undefined {
  const { scope, context } = place;
  const fields = task.read('with', (node) => readFields(node, '"with"', AGENT_KEYS, context));
  if (!fields) return undefined;
  const call: Omit<CallAgentTask, 'name' | 'path'> = {
    kind: 'call-agent',
    prompt:
      fields.read('prompt', (node) => readFilledText(node, '"prompt"', scope, context)) ??
      NO_PROMPT,
    schema: fields.read('schema', (node) => readSchema(node, place)),
    tools: fields.read('tools', (node) => readTools(node, place)) ?? [],
  };
  return call;
}

/** Reads the JSON Schema of the output. Like the schema of a flow's input it is never evaluated. */
function readSchema(node: Node, { context }: Place): Json {
  checkSchema(node, context);
  return toJson(node);
}

/** Reads the names of the operations that the agent may read with. */
function readTools(node: Node, { context }: Place): string[] {
  const names = readList(node, '"tools"', context).map((item) => {
    const what = 'Each of "tools"';
    if (stringOf(item)?.includes('${')) return readPlainString(item, what, context);
    const rule = 'the name of an operation, such as issues.list';
    return readMatching(item, what, OPERATION, rule, context);
  });
  const items = node.kind === 'list' ? node.items : [];
  items.forEach((item, index) => {
    const name = stringOf(item);
    if (name === null || names.indexOf(name) === index) return;
    context.fault(item, 'DUPLICATE_NAME', `The tool ${quote(name)} is given twice.`);
  });
  return names;
}
