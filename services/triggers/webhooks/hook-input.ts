import { BodyTooLarge, invalidRequest, Problem } from '../../../contract/problem.ts';
import { isJsonType, type ReceivedRequest } from '../../../contract/received-request.ts';
import { jsonFaults } from '../../../mixins/gateway/body/json-faults.ts';
import { parseJson, textOf } from '../../../mixins/gateway/body/parse-json.ts';
import { MAX_INPUT_BYTES } from '../../runs/contract/start-fields.ts';

/**
 * The input of the run that a request starts, as JSON. Throws 400 for a broken body, and for what no input may contain;
 * 413 for a body whose JSON is longer than an input may be.
 */
export function hookInput({ headers, query, mediaType }: ReceivedRequest, bytes: Buffer): string {
  const { value, faults } = bodyOf(mediaType, bytes);
  const all = [...faults, ...jsonFaults({ headers, query })];
  if (all.length) throw invalidRequest(all);
  const json = JSON.stringify({ headers, query, body: value });
  if (Buffer.byteLength(json) <= MAX_INPUT_BYTES) return json;
  const detail = `Headers, query and body may have ${MAX_INPUT_BYTES} bytes of JSON together.`;
  throw new Problem(BodyTooLarge, detail);
}

function bodyOf(mediaType: string, bytes: Buffer): ReturnType<typeof parseJson> {
  if (mediaType === '') return { value: null, faults: [] };
  if (isJsonType(mediaType)) return parseJson(bytes, {}, () => 'all');
  const value = textOf(bytes, 'text');
  return { value, faults: jsonFaults({ body: value }) };
}
