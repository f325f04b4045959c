/** Whether the name has one of the comma separated parts. */
export const isOneOf = (name: string, parts: string): boolean =>
  parts.split(',').some((part) => name.includes(part));

/** Returns each `of`th of the items, beginning with the `nth`, for a shard `nth/of`. */
export function shardOf<T>(items: readonly T[], shard: string): T[] {
  const [, nth, of] = /^(\d+)\/(\d+)$/.exec(shard) ?? [];
  const [at, count] = [Number(nth) - 1, Number(of)];
  if (!(at >= 0 && at < count)) throw new Error(`${shard} is no shard: it must be one such as 2/4`);
  return items.filter((_, place) => place % count === at);
}
