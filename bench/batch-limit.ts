import { createRequire } from 'node:module';

/**
 * Limits every batch of `dataloader` to one key in the process that loads this file first (`node --import`),
 * so that each request has a read of its own. The product has no such option.
 */
interface Loader {
  _maxBatchSize?: number;
}
const DataLoader = createRequire(import.meta.url)('dataloader') as {
  prototype: { load(this: Loader, key: unknown): unknown };
};
const { load } = DataLoader.prototype;
DataLoader.prototype.load = function (key) {
  if (typeof this._maxBatchSize !== 'number') throw new Error('dataloader has no _maxBatchSize');
  this._maxBatchSize = 1;
  return load.call(this, key);
};
