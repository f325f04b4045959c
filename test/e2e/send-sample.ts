import { type Answer, type RequestOptions, request } from '../helpers/http.ts';
import { SAMPLES, type Sample } from './operation-samples.ts';
import type { Operation } from './permissions-matrix.ts';
import type { World } from './sample-world.ts';

/** A request that the operation answers with success. */
export async function sampleOf({ name }: Operation, world: World): Promise<Sample> {
  const sample = await SAMPLES[name]?.(world);
  if (!sample) throw new Error(`${name} has no sample`);
  return sample;
}

/** The path of the operation with the values of the sample. */
export const pathOf = ({ path }: Operation, sample: Sample): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(sample.path?.[name]));

/** Sends a sample; `changes` replaces parts of it, and adds headers to its own. */
export function sendSample<T = Record<string, unknown> | undefined>(
  url: string,
  operation: Operation,
  sample: Sample,
  { headers, ...changes }: RequestOptions = {},
): Promise<Answer<T>> {
  const options = { ...sample, ...changes, headers: { ...sample.headers, ...headers } };
  return request<T>(url, operation.method, pathOf(operation, sample), options);
}
