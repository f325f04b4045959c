/** Serialises an evaluation for the realm. */
import type { Scope, Value } from '../interpreter/host.ts';
import { JsonText, jsonOf } from '../interpreter/json-text.ts';
import type { Evaluation } from './protocol.ts';

type Task = Evaluation extends infer E
  ? E extends Evaluation
    ? Omit<E, keyof Scope>
    : never
  : never;
type Variables = Readonly<Record<string, NonNullable<Value> | null>>;

/** Returns the JSON of an evaluation. Values that are kept as JSON text are inserted without parsing them. */
export function evaluationJson(task: Task & Scope, variables: Variables): string {
  const { input, variables: _, repeated: __, ...rest } = task;
  const members = [
    JSON.stringify(rest).slice(1, -1),
    ...(input === undefined ? [] : [`"input":${jsonOf(input)}`]),
    `"variables":${mapJson(variables, variableJson)}`,
  ];
  return `{${members.join(',')}}`;
}

const variableJson = (name: string, value: unknown): string | undefined =>
  name === 'steps' && isMap(value) ? mapJson(value, (_, output) => textOf(output)) : textOf(value);

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof JsonText);

const textOf = (value: unknown): string | undefined =>
  value instanceof JsonText ? value.text : JSON.stringify(value);

function mapJson(
  map: Readonly<Record<string, unknown>>,
  memberJson: (name: string, member: unknown) => string | undefined,
): string {
  const members: string[] = [];
  for (const [name, member] of Object.entries(map)) {
    const json = memberJson(name, member);
    if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`);
  }
  return `{${members.join(',')}}`;
}
