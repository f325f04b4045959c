import type { Json, Plan } from '../plan.ts';
import type { Context } from './context.ts';
import { defaultDocument, readDocument, readEvaluate } from './document.ts';
import { checkSchema } from './json-schema.ts';
import { KEYWORDS } from './json-schema-keywords.ts';
import { readMetadata } from './metadata.ts';
import { FLOW_VARIABLES } from './names.ts';
import { omitUndefined } from './plan-parts.ts';
import { readChoice } from './scalars.ts';
import { type Advice, type Fields, keys, type Members, readFields } from './shape.ts';
import { checkStepReads } from './step-reads.ts';
import { readShapingOf, readTimeout } from './tasks/base.ts';
import { readTasks } from './tasks/list.ts';
import { readShaping } from './template.ts';
import { type Node, toJson } from './tree.ts';

const FLOW_KEYS = keys({
  required: 'do',
  optional: 'document evaluate input output timeout metadata',
  refused: 'use schedule',
});

const INPUT_KEYS = keys({ optional: 'schema from' });
/** The keys of an external schema: the schema stands in place of `document`. */
const EXTERNAL_SCHEMA_KEYS = keys({ optional: 'document format', refused: 'resource' });
const SCHEMA_KEYS = keys({ required: 'document', optional: 'format', refused: 'resource' });

/** The keywords of JSON Schema belong under `document`. */
const SCHEMA_ADVICE: Advice = {
  form: '{ document: { type: object } }',
  members: { document: { keys: keys({ optional: [...KEYWORDS.keys()].join(' ') }) } },
};
const INPUT_MEMBERS: Members = { schema: { keys: SCHEMA_KEYS } };

/** Reads the whole file. The returned plan is usable only when the file has no fault. */
export function readFlow(root: Node, name: string, context: Context): Plan | undefined {
  const fields = readFields(root, 'the flow', FLOW_KEYS, context);
  if (!fields) return undefined;
  fields.read('evaluate', (node) => readEvaluate(node, context));
  const plan: Plan = {
    document:
      fields.read('document', (node) => readDocument(node, name, context)) ?? defaultDocument(name),
    ...readInput(fields, context),
    outputAs: fields.read('output', (node) =>
      readShapingOf(node, 'output', FLOW_VARIABLES, context),
    ),
    timeoutMs: fields.read('timeout', (node) => readTimeout(node, context)),
    ...fields.read('metadata', (node) => readMetadata(node, context)),
    tasks: readTopTasks(fields, context),
  };
  checkStepReads(context);
  return omitUndefined(plan);
}

function readTopTasks(fields: Fields, context: Context): Plan['tasks'] {
  const place = { what: '"do"', path: '/do', level: 1, scope: FLOW_VARIABLES, context };
  return fields.read('do', (node) => readTasks(node, place)) ?? [];
}

function readInput(flow: Fields, context: Context): Pick<Plan, 'inputSchema' | 'inputFrom'> {
  const fields = flow.read('input', (node) =>
    readFields(node, '"input"', INPUT_KEYS, context, { members: INPUT_MEMBERS }),
  );
  return {
    inputSchema: fields?.read('schema', (node) => readSchema(node, context)),
    inputFrom: fields?.read('from', (node) =>
      readShaping(node, '"input.from"', false, FLOW_VARIABLES, context),
    ),
  };
}

/** Reads `schema: { format: json, document: ... }`. An external schema (`resource`) is refused and never fetched. */
function readSchema(node: Node, context: Context): Json | undefined {
  const isExternal = node.kind === 'map' && node.entries.has('resource');
  const keysOf = isExternal ? EXTERNAL_SCHEMA_KEYS : SCHEMA_KEYS;
  const fields = readFields(node, '"input.schema"', keysOf, context, SCHEMA_ADVICE);
  fields?.read('format', (value) =>
    readChoice(value, '"input.schema.format"', ['json', 'json:2020-12'], context),
  );
  return fields?.read('document', (document) => {
    checkSchema(document, context);
    return toJson(document);
  });
}
