import { nextId } from '../../mixins/database/ids.ts';

/** Draws the id of a new element of a list. The same element gets the same id when a change is decided again. */
export type DrawId = (element: number | string) => Promise<number>;

export const propertyIds = (): DrawId => memoize(() => nextId('configuration_properties'));
export const pairIds = (): DrawId => memoize(() => nextId('flow_credential_pairs'));

function memoize(draw: () => Promise<number>): DrawId {
  const drawn = new Map<number | string, Promise<number>>();
  return (element) => {
    const id = drawn.get(element) ?? draw();
    drawn.set(element, id);
    return id;
  };
}
