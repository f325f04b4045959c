import { shardOf } from '../../faults/choice.ts';
import { faultsOfLoss, faultsOfOrder } from '../../faults/rounds/deliveries/event-faults.ts';
import { RECEIVERS } from '../../faults/rounds/deliveries/receivers.ts';
import { faultsOfRestores, type Restore } from '../../faults/rounds/restores/restore-faults.ts';
import { faultsOfOccurrences } from '../../faults/rounds/triggers/occurrence-faults.ts';
import { RunSpans } from '../../faults/rounds/triggers/run-spans.ts';
import type { TriggeredRun } from '../../faults/rounds/triggers/started-by-triggers.ts';

const repeat = (fault: string) => RECEIVERS.map(() => expect.stringContaining(fault));

describe('the events of a resource', () => {
  const expected = new Map([['issue 1', ['created', 'updated', 'deleted']]]);
  const faultsOf = (came: string[]) => {
    const received = { firstOf: () => came };
    return [faultsOfLoss(expected, received), faultsOfOrder(expected, received)];
  };
  test.each<[string, string[], unknown[]]>([
    ['all in their order', ['created', 'updated', 'deleted'], [[], []]],
    ['without one', ['created', 'deleted'], [repeat('not got'), []]],
    ['in another order', ['updated', 'created', 'deleted'], [[], repeat('in place of')]],
    ['with one of no change', ['created', 'updated', 'x', 'deleted'], [[], repeat('x')]],
  ])('%s', (_name, came, faults) => {
    expect(faultsOf(came)).toEqual(faults);
  });
});

describe('the runs of a schedule', () => {
  const due = [0, 1, 2].map((minute) => new Date(minute * 60_000));
  /** Runs of occurrences, with the ids 1, 2 … and the calls that they have made: one run after another unless given. */
  const faultsOf = (overlap: string, occurrences: number[], calls?: string[]) => {
    const runs = occurrences.map(
      (minute, at): TriggeredRun => ({
        _id: at + 1,
        startKey: `schedule/7/${new Date(minute * 60_000).toISOString()}`,
      }),
    );
    const paths = calls ?? runs.flatMap(({ _id }) => [`/begin/${_id}`, `/end/${_id}`]);
    const spans = new RunSpans(paths.map((path) => ({ path })));
    const schedule = { id: 7, misfire: 'RUN_ALL', overlap, due };
    return faultsOfOccurrences(schedule, { of: () => runs }, spans);
  };
  test.each<[string, string, number[], string[]]>([
    ['one of each occurrence', 'ALLOW', [0, 1, 2], []],
    ['one lost', 'ALLOW', [0, 2], ['lost an occurrence']],
    ['one doubled', 'ALLOW', [0, 1, 1, 2], ['twice']],
    ['one too many', 'ALLOW', [0, 1, 2, 3], ['not due']],
    ['the first lost', 'SKIP', [1, 2], ['lost its first']],
    ['one left out for an overlap', 'SKIP', [0, 2], []],
  ])('%s', (_name, overlap, occurrences, faults) => {
    expect(faultsOf(overlap, occurrences)).toEqual(
      faults.map((fault) => expect.stringContaining(fault)),
    );
  });

  test('two live at once', () => {
    const together = ['/begin/2', '/begin/1', '/end/2', '/end/1'];
    expect(faultsOf('SKIP', [0, 1], together)).toEqual([expect.stringContaining('was live')]);
    expect(faultsOf('ALLOW', [0, 1, 2], [...together, '/begin/3', '/end/3'])).toEqual([]);
  });

  test('a call that a later worker repeats', () => {
    const repeated = ['/begin/2', '/begin/2', '/end/2', '/begin/1', '/end/2', '/end/1'];
    expect(faultsOf('SKIP', [0, 1], repeated)).toEqual([]);
  });

  test('one that did not come to its end', () => {
    const calls = ['/begin/1', '/end/1', '/begin/2'];
    expect(faultsOf('SKIP', [0, 1], calls)).toEqual([expect.stringContaining('to its end')]);
  });
});

describe('the versions of restores', () => {
  const versionsOf = (...files: string[]) =>
    files.map((content, at) => ({ _id: at + 1, sequence: at + 1, content }));
  const restore = (file: string, versionId: number, sentAt: number): Restore => ({
    file,
    versionId,
    sentAt,
    acknowledgedAt: sentAt + 1,
  });
  const RESTORES = [restore('a', 3, 0), restore('b', 4, 10)];
  test.each<[string, string[], string[]]>([
    ['one of each, in order', ['a', 'b', 'a', 'b'], []],
    ['one doubled', ['a', 'b', 'a', 'b', 'a'], ['2 restores', 'made 2 versions']],
    ['one lost', ['a', 'b', 'b'], ['2 restores', 'made 0 versions', 'answered as 0']],
    ['out of order', ['a', 'b', 'b', 'a'], ['answered as', 'was asked for']],
  ])('%s', (_name, files, faults) => {
    const found = faultsOfRestores(RESTORES, versionsOf(...files), 2);
    const expected = faults.map((fault) => expect.stringContaining(fault));
    expect(found).toEqual(faults.length ? expect.arrayContaining(expected) : []);
  });
});

test('the shards of a list are all of it, each item in one', () => {
  const items = ['a', 'b', 'c', 'd', 'e'];
  const shards = [1, 2, 3].map((nth) => shardOf(items, `${nth}/3`));
  expect(shards).toEqual([['a', 'd'], ['b', 'e'], ['c']]);
  for (const none of ['0/3', '4/3', '3', ''])
    expect(() => shardOf(items, none)).toThrow('no shard');
});
