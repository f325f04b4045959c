import { createRequire } from 'node:module';

/**
 * Switches the batching of reads off in the process that loads this first (`node --import`): every batch of
 * `dataloader` has one key. The product has no such option.
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
