import TestSequencer from '@jest/test-sequencer';

/** Folders in the order of how long their files take. The server of an end-to-end test starts before it does anything. */
const SLOWEST_FIRST = ['/test/e2e/', '/test/nats/', '/test/integration/'];

/** Runs the files that take longest first, so that none of them runs alone at the end. */
export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = SLOWEST_FIRST.findIndex((folder) => path.includes(folder));
      return at < 0 ? SLOWEST_FIRST.length : at;
    };
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
}
