import { quote } from '../faults.ts';
import { readPlainString } from '../scalars.ts';
import { type Advice, type Fields, hasKey, keys, readFields, wrongType } from '../shape.ts';
import { readTemplate } from '../template.ts';
import { type Node, stringOf } from '../tree.ts';
import type { Place } from './place.ts';
import type { Kind } from './task.ts';

const RUN_KEYS = keys({ optional: 'workflow', refused: 'shell script container await return' });
const WORKFLOW_KEYS = keys({ required: 'namespace name version', optional: 'input' });

/** The namespace of all flows: the workspace of the run. */
const NAMESPACE = 'workspace';

/** The rule of a version, as messages say it. */
const VERSION_RULE = 'latest, or the id of a version in quotes, such as "12"';

/** The plan of a file with faults is never returned, so a flow without a name is never run. */
const NO_FLOW = '';

/** Reads `run: workflow` (DSL 1.0.0). The named flow of the workspace is looked up when the task runs. */
export const RUN: Kind = {
  keys: keys({ required: 'run' }),
  hasForm: (node) => hasKey(node, 'workflow'),
  read(fields, place) {
    const { scope, context } = place;
    const run = fields.read('run', (node) =>
      readFields(node, '"run"', RUN_KEYS, context, runAdviceFor(node)),
    );
    if (!run) return undefined;
    checkProcess(run, place);
    const workflow = run.read('workflow', (node) =>
      readFields(node, '"run.workflow"', WORKFLOW_KEYS, context, { form: formFor(node) }),
    );
    if (!workflow) return undefined;
    workflow.read('namespace', (node) => checkNamespace(node, place));
    return {
      kind: 'run',
      flow: workflow.read('name', (node) => readName(node, place)) ?? NO_FLOW,
      version: workflow.read('version', (node) => readVersion(node, place)) ?? 'latest',
      with: workflow.read('input', (node) => {
        if (node.kind === 'map') return readTemplate(node, scope, context);
        const hint = 'for one expression write input: { from: ... } beside "run"';
        wrongType(node, '"run.workflow.input"', `a map (${hint})`, context);
        return undefined;
      }),
    };
  },
};

function runAdviceFor(node: Node): Advice {
  return {
    form: `{ workflow: ${formFor(node)} }`,
    members: { workflow: { keys: WORKFLOW_KEYS, scalar: 'name' } },
  };
}

/** Returns the form of `workflow`, with the text at its place as the name of the flow. */
function formFor(node: Node): string {
  const given = stringOf(node) ?? '';
  const name = /^[\w-]{1,60}$/.test(given) ? given : 'report';
  return `{ namespace: workspace, name: ${name}, version: latest }`;
}

/** Reports a `run` without a process. A refused or unknown key has its fault already. */
function checkProcess(run: Fields, { context }: Place): void {
  const isOption = (key: string) => key === 'await' || key === 'return';
  if ([...run.node.entries.keys()].every(isOption)) {
    const message =
      '"workflow" is missing in "run"; a flow runs other flows of its workspace only.';
    context.fault(run.node, 'MISSING_KEY', message);
  }
}

function checkNamespace(node: Node, { context }: Place): void {
  const given = stringOf(node);
  if (given === NAMESPACE) return;
  if (given === null) {
    wrongType(node, '"run.workflow.namespace"', NAMESPACE, context);
    return;
  }
  const message = `"run.workflow.namespace" must be ${NAMESPACE}, because a flow runs flows of its own workspace only; this is ${quote(given)}.`;
  context.fault(node, 'INVALID_VALUE', message);
}

function readName(node: Node, { context }: Place): string {
  const what = '"run.workflow.name"';
  if (stringOf(node) === null) {
    wrongType(node, what, 'the name of a flow, or its id in quotes, such as "7"', context);
    return NO_FLOW;
  }
  const name = readPlainString(node, what, context);
  if (name.trim() === '') {
    const message = `${what} is empty; it is the name of a flow, or its id in quotes.`;
    context.fault(node, 'INVALID_VALUE', message);
  }
  return name;
}

function readVersion(node: Node, { context }: Place): string | undefined {
  const given = stringOf(node);
  if (given === null) {
    wrongType(node, '"run.workflow.version"', VERSION_RULE, context);
    return undefined;
  }
  if (given === 'latest' || isId(given)) return given;
  if (given.includes('${')) return readPlainString(node, '"run.workflow.version"', context);
  const message = `"run.workflow.version" must be ${VERSION_RULE}; this is ${quote(given)}.`;
  context.fault(node, 'INVALID_VALUE', message);
  return undefined;
}

function isId(text: string): boolean {
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
}
