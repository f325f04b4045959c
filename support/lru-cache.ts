import { LRUCache } from 'lru-cache';

/**
 * Makes a cache of at most so many entries, which drops the least recently used one. It grows with its entries: the
 * option `max` of `LRUCache` would reserve the memory of all of them at once.
 */
export const lruCache = <Key extends {}, Value extends {}>(
  entries: number,
  options: { ttl?: number; ttlResolution?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ ...options, maxSize: entries, sizeCalculation: () => 1 });
