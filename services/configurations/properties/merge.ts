import type { Property } from '../contract/resources.ts';
import type { DrawId } from '../memoized-ids.ts';

/** A property of a request. */
export type NewProperty = Pick<Property, 'key' | 'value'>;

/** The properties as wanted, in that order. A property keeps its id by its key. */
export async function propertiesWithIds(
  wanted: readonly NewProperty[],
  before: readonly Property[],
  drawId: DrawId,
): Promise<Property[]> {
  const ids = new Map(before.map(({ id, key }) => [key, id]));
  const properties: Property[] = [];
  for (const { key, value } of wanted) {
    properties.push({ id: ids.get(key) ?? (await drawId(key)), key, value });
  }
  return properties;
}

/**
 * The properties with the wanted values set: new keys come last, and the others keep their places and ids. Null when
 * nothing changes.
 */
export async function mergeProperties(
  before: readonly Property[],
  wanted: readonly NewProperty[],
  drawId: DrawId,
): Promise<Property[] | null> {
  const places = new Map(before.map(({ key }, at) => [key, at]));
  const merged = [...before];
  let isChanged = false;
  for (const { key, value } of wanted) {
    const at = places.get(key);
    const old = at === undefined ? undefined : merged[at];
    if (old?.value === value) continue;
    isChanged = true;
    if (at !== undefined && old) merged[at] = { ...old, value };
    else {
      places.set(key, merged.length);
      merged.push({ id: await drawId(key), key, value });
    }
  }
  return isChanged ? merged : null;
}

/** Whether two lists have the same properties in the same order. */
export const isSameList = (one: readonly NewProperty[], other: readonly NewProperty[]): boolean =>
  one.length === other.length &&
  one.every(({ key, value }, at) => key === other[at]?.key && value === other[at]?.value);

/** The values by key. A key may be any text, `__proto__` as well. */
export const mapOf = (properties: readonly NewProperty[]): Record<string, string> =>
  Object.fromEntries(properties.map(({ key, value }) => [key, value]));
