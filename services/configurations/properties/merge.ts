import { nextId } from '../../../mixins/database/ids.ts';
import type { Property } from '../contract/resources.ts';

type Wish = Pick<Property, 'key' | 'value'>;

/** The properties as wanted, in that order. A property keeps its id by its key. */
export async function propertiesWithIds(
  wanted: readonly Wish[],
  before: readonly Property[],
  drawId: () => Promise<number> = drawPropertyId,
): Promise<Property[]> {
  const ids = new Map(before.map(({ id, key }) => [key, id]));
  const properties: Property[] = [];
  for (const { key, value } of wanted) {
    properties.push({ id: ids.get(key) ?? (await drawId()), key, value });
  }
  return properties;
}

/**
 * The properties with the wanted values set: new keys come last, and the others keep their places and ids. Null when
 * nothing changes.
 */
export async function mergeProperties(
  before: readonly Property[],
  wanted: readonly Wish[],
  drawId: () => Promise<number> = drawPropertyId,
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
      merged.push({ id: await drawId(), key, value });
    }
  }
  return isChanged ? merged : null;
}

const drawPropertyId = (): Promise<number> => nextId('configuration_properties');
