import { stringify } from 'yaml';
import { LIMITS } from './limits.ts';

/** The style of the YAML: lines are not folded, and equal values are repeated, because aliases would hide them. */
const STYLE = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Writes JSON as YAML in block style, or as it is where the indentation would make it longer than a flow file may be. */
export function formatFile(json: string): string {
  const yaml = stringify(JSON.parse(json), STYLE);
  return Buffer.byteLength(yaml) <= LIMITS.textBytes ? yaml : json;
}
