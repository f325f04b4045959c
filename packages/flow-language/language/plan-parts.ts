/** Leaves out what is undefined, so that a plan is the same before and after a trip as JSON. */
export function present<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}
