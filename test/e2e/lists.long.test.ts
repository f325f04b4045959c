import { sequenceOf } from '../../contract/idempotency-rule.ts';
import { e2e, made } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { nextPage } from '../helpers/pages.ts';
import { waitFor } from '../helpers/wait.ts';
import type { Sample } from './operation-samples.ts';
import { type Operation, operations } from './permissions-matrix.ts';
import { makeWorld, sampleEnvironment } from './sample-world.ts';
import { pathOf, sampleOf, sendSample } from './send-sample.ts';

const lists = operations.filter(({ contract }) => contract.format === 'page');
const creations = operations.filter(({ contract }) => sequenceOf(contract) !== null);

/** Bytes of the longest page. */
const MOST_BYTES = 512 * 1024;
/** Items of a list that are read page by page. */
const MOST_PAGES = 30;

const { server } = e2e({ env: sampleEnvironment });
const world = made(() => makeWorld(server.url));

beforeAll(async () => {
  for (const operation of [...creations, ...creations]) {
    await sendSample(server.url, operation, await sampleOf(operation, world));
  }
});

const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The pages of a list with one item each, up to a number of pages. */
async function readPages(operation: Operation, sample: Sample): Promise<unknown[]> {
  const items: unknown[] = [];
  let query: Record<string, string> = { ...sample.query, limit: '1' } as Record<string, string>;
  while (items.length < MOST_PAGES) {
    const { status, body, headers } = await sendSample<unknown[]>(server.url, operation, sample, {
      query,
    });
    expect([status, body.length <= 1]).toEqual([200, true]);
    items.push(...body);
    const next = nextPage(headers);
    if (next === undefined) break;
    const target = new URL(next, server.url);
    expect(target.pathname).toBe(pathOf(operation, sample));
    query = Object.fromEntries(target.searchParams);
    expect(query.after).toMatch(/^[\w-]{1,200}$/);
  }
  return items;
}

describe.each(lists)('$name', (operation) => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await sampleOf(operation, world);
  });
  const get = (query: Record<string, string>): Promise<Answer<ProblemBody>> =>
    sendSample(server.url, operation, sample, { query: { ...sample.query, ...query } });

  it('has the same items page by page as in one piece', async () => {
    await waitFor('a list that stays as it is', async () => {
      const whole = await sendSample<unknown[]>(server.url, operation, sample);
      expect(whole.status).toBe(200);
      expect(Array.isArray(whole.body)).toBe(true);
      expect(Buffer.byteLength(whole.text)).toBeLessThanOrEqual(MOST_BYTES);
      const pages = await readPages(operation, sample);
      const again = await sendSample<unknown[]>(server.url, operation, sample);
      if (again.text !== whole.text) return false;
      expect(pages).toEqual(whole.body.slice(0, MOST_PAGES));
      return true;
    });
  });

  it.each(['0', '1001', '-1', '1.5', 'x', ''])('is 400 with the limit "%s"', async (limit) => {
    const { status, body } = await get({ limit });
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['limit']]);
  });

  it.each([
    cursor([true]),
    cursor([1, 2, 3, 4, 5]),
    cursor({}),
    cursor(['\u0000', {}]),
    'AAAA',
    '!',
    'x'.repeat(201),
  ])('is 400 with the forged cursor %s', async (after) => {
    const { status, body } = await get({ after });
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['after']]);
  });
});
