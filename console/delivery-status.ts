/** The fault of a line that names a status and no subscription. */
export const STATUS_ALONE = '--status needs --subscription <subscriptionId>.';

/** Parses a typed status of deliveries, in upper or lower case. Throws an Error that names the possible ones. */
export function parseStatus<S extends string>(statuses: readonly S[], typed: unknown): S {
  const status = statuses.find((one) => one === String(typed).toUpperCase());
  if (status === undefined) throw new RangeError(`status must be one of ${statuses.join(', ')}.`);
  return status;
}
