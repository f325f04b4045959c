import TestSequencer from '@jest/test-sequencer';

/**
 * Parts of paths in the order of how long such files take: those that cut off each command of the database, then
 * those whose server starts before they do anything.
 */
const SLOWEST_FIRST = ['/cut-', '/test/e2e/', '/test/nats/', '/test/integration/'];

/** Runs the files that take longest first, so that none of them runs alone at the end. */
export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = SLOWEST_FIRST.findIndex((part) => path.includes(part));
      return at < 0 ? SLOWEST_FIRST.length : at;
    };
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
}
