/** Fills a template with the results of its expressions. */
import { isMarkedInteger, writeIntegers } from '../../../data-json.ts';
import type { Expression, Json, Template } from '../../../plan.ts';
import { Allowance, clean } from './clean.ts';
import { utf8Length } from './utf8.ts';

/** Evaluates one expression of the template to its raw result. */
export type Run = (expression: Expression) => Promise<unknown>;

export function render(template: Template, run: Run): Promise<Json | undefined> {
  return renderPart(template, run, new Allowance());
}

async function renderPart(
  template: Template,
  run: Run,
  allowance: Allowance,
): Promise<Json | undefined> {
  switch (template.kind) {
    case 'literal':
      return clean(template.value, allowance);
    case 'expression':
      return clean(await run(template.expression), allowance);
    case 'text':
      return renderText(template.parts, run, allowance);
    case 'list':
      return renderList(template.items, run, allowance);
    case 'map':
      return renderMap(template.entries, run, allowance);
    case 'body':
      return renderBody(template.template, run, allowance);
  }
}

async function renderBody(
  template: Template,
  run: Run,
  allowance: Allowance,
): Promise<Json | undefined> {
  allowance.marksIntegers = true;
  const value = await renderPart(template, run, allowance);
  allowance.marksIntegers = false;
  return value;
}

async function renderText(
  parts: readonly (string | Expression)[],
  run: Run,
  allowance: Allowance,
): Promise<string> {
  let text = '';
  for (const part of parts) {
    const value = typeof part === 'string' ? part : clean(await run(part), allowance);
    const shown =
      typeof value === 'string' && !isMarkedInteger(value)
        ? value
        : writeIntegers(JSON.stringify(value) ?? '');
    allowance.take(utf8Length(shown));
    text += shown;
  }
  return text;
}

async function renderList(
  items: readonly Template[],
  run: Run,
  allowance: Allowance,
): Promise<Json[]> {
  const list: Json[] = [];
  for (const item of items) {
    const value = await renderPart(item, run, allowance);
    if (value !== undefined) list.push(value);
  }
  return list;
}

async function renderMap(
  entries: readonly (readonly [string, Template])[],
  run: Run,
  allowance: Allowance,
): Promise<Json> {
  const map: Record<string, Json> = Object.create(null);
  for (const [key, member] of entries) {
    const value = await renderPart(member, run, allowance);
    if (value !== undefined) map[key] = value;
  }
  return map;
}
