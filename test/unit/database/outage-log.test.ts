import { type ActionSchema, type Context, ServiceBroker } from 'moleculer';
import { mongo } from 'mongoose';
import { ErrorMapping } from '../../../middlewares/error-mapping.ts';
import { DatabaseOutageLog } from '../../../services/runs/engine/database-outage-log.ts';
import { retryWhileDatabaseDown } from '../../../services/runs/engine/writes/retry-while-database-down.ts';
import { logger } from '../../../support/logging.ts';
import { OutageLog } from '../../../support/outage-log.ts';

const answered = (code: number) => new mongo.MongoServerError({ message: 'the reason', code });
const FAILED = 'The database failed: requests are answered 503, and runs wait';
const FULL =
  'The disk of the database is full: requests that write are answered 503, and runs wait';

/** An outage log at a time that the test sets, and its lines. */
function logAt() {
  const time = { now: 1_000 };
  const lines: unknown[][] = [];
  const warn = (...line: unknown[]) => void lines.push(line);
  return { time, lines, log: new OutageLog({ warn } as never, () => time.now) };
}

describe('an outage is logged', () => {
  it('with its code and reason: the first of each code, then at most one a minute', () => {
    const { time, lines, log } = logAt();
    const warnTwice = () => {
      for (const code of [91, 'MongoNetworkError', 91]) log.warn({ code, message: `no ${code}` });
    };
    warnTwice();
    const first = [
      [{ code: 91, reason: 'no 91' }, FAILED],
      [{ code: 'MongoNetworkError', reason: 'no MongoNetworkError' }, FAILED],
    ];
    expect(lines).toEqual(first);
    time.now += 59_999;
    warnTwice();
    expect(lines).toEqual(first);
    time.now += 1;
    warnTwice();
    expect(lines).toEqual([...first, ...first]);
  });

  it('not once the process has closed its own connections', () => {
    const { lines, log } = logAt();
    log.close();
    log.warn({ code: 'MongoClientClosedError', message: 'client was closed' });
    expect(lines).toEqual([]);
  });

  it('with at most 300 characters of its reason', () => {
    const { lines, log } = logAt();
    log.warn({ code: 91, message: 'x'.repeat(1_000) });
    expect(lines).toEqual([[{ code: 91, reason: 'x'.repeat(300) }, FAILED]]);
  });

  it('as a full disk, in which only writes fail', () => {
    const { lines, log } = logAt();
    log.warn({ code: 14031, message: 'The disk is full' });
    expect(lines).toEqual([[{ code: 14031, reason: 'The disk is full' }, FULL]]);
  });

  it('as one that has to be mended when no set of these members can meet the write concern', () => {
    const { lines, log } = logAt();
    log.warn({ code: 100, message: 'Not enough data-bearing nodes' });
    expect(lines).toEqual([
      [
        { code: 100, reason: 'Not enough data-bearing nodes' },
        'The database carries out writes and reports them as failed: its write concern must be changed',
      ],
    ]);
  });
});

// The log of the process has one line a minute for each code: each test has a code of its own.
describe('the log of the process has a line of what is met', () => {
  const warned = jest.spyOn(logger, 'warn').mockImplementation();
  beforeEach(() => warned.mockClear());
  afterAll(() => warned.mockRestore());

  it.each([
    [14031, 'STORAGE_FULL', 'The disk of the database is full: nothing can be stored.', FULL],
    [
      371,
      'UNAVAILABLE',
      "The database's operator has blocked writes: nothing can be stored.",
      FAILED,
    ],
    [91, 'UNAVAILABLE', 'The database cannot be reached at the moment.', FAILED],
  ])('by a request, which is answered 503: code %i', async (code, type, message, line) => {
    const broker = new ServiceBroker({
      logger: false,
      validator: false,
      middlewares: [ErrorMapping],
    });
    const handler = (_: Context) => Promise.reject(answered(code));
    const fails = { handler, contract: {} } as unknown as ActionSchema;
    broker.createService({ name: 'rows', actions: { fails } });
    await broker.start();
    for (const _ of [1, 2])
      await expect(broker.call('rows.fails')).rejects.toMatchObject({ code: 503, type, message });
    await broker.stop();
    expect(warned.mock.calls).toEqual([[{ code, reason: 'the reason' }, line]]);
  });

  it('by a write of a run, which is tried again', async () => {
    let tries = 0;
    const end = await retryWhileDatabaseDown(new AbortController().signal, async () => {
      tries++;
      if (tries < 3) throw answered(64);
      return 'written';
    });
    expect([end, tries]).toEqual(['written', 3]);
    expect(warned.mock.calls).toEqual([[{ code: 64, reason: 'the reason' }, FAILED]]);
  });

  it('by the worker of runs, which goes on', () => {
    const outages = new DatabaseOutageLog(logger);
    for (const _ of [1, 2]) outages.logFailure(answered(13436));
    expect(warned.mock.calls).toEqual([
      [{ code: 13436, reason: 'the reason' }, FAILED],
      ['Runs wait for the database'],
    ]);
  });
});
