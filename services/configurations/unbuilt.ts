/** Handlers that are not built yet. */
export const unbuilt = (): never => {
  throw new TypeError('not built yet');
};
