/** Leaves out undefined fields, so that a plan is the same after it was serialised as JSON. */
export function omitUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}
