import { createHash, randomUUID } from 'node:crypto';
import { hasEtag, taggedField, takesIfMatch } from '../../contract/etag-rule.ts';
import { e2e, made } from '../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import type { Sample } from './operation-samples.ts';
import { type Operation, operations } from './permissions-matrix.ts';
import { makeWorld } from './sample-world.ts';
import { pathOf, sampleOf, sendSample } from './send-sample.ts';

const reads = operations.filter(({ method }) => method === 'GET');
const changes = operations.filter(({ contract }) => takesIfMatch(contract));
const tagged = reads.filter(({ contract }) => hasEtag(contract));
const untagged = reads.filter(({ contract }) => !hasEtag(contract));

const { server, database } = e2e({ database: true });
const world = made(() => makeWorld(server.url));

const hashOf = (text: string) => `"${createHash('sha256').update(text).digest('base64url')}"`;
const withHeader = (name: string, value: string) => ({ headers: { [name]: value } });

/** The operations that show the resource of changes whose path says what becomes of it. */
const SHOWN_BY: Record<string, string> = {
  'configurations.archive': 'configurations.get',
  'configurations.restore': 'configurations.get',
};

/**
 * The GET of the resource that an operation changes: the one named above; the one of the same path; else the one of the path with an id
 * more, which the request's body names; else the one of the path with an id less, which shows the caller's own.
 */
function readOf({ name, path }: Operation): Operation | undefined {
  if (SHOWN_BY[name]) return tagged.find((each) => each.name === SHOWN_BY[name]);
  const withoutId = path.replace(/\/\{\w+\}$/, '');
  const isOne = ({ path: other }: Operation) => other === path;
  const namesIt = ({ path: other }: Operation) => other.replace(/\/\{\w+\}$/, '') === path;
  const isOwn = ({ path: other }: Operation) => other === withoutId;
  return tagged.find(isOne) ?? tagged.find(namesIt) ?? tagged.find(isOwn);
}

/** The parameter whose resource an operation is allowed by, such as `authCredentialId` in a body. */
function resourceParameter({ contract: { access } }: Operation): string {
  return 'in' in access && 'resource' in access.in ? access.in.parameter : 'id';
}

/** The request that reads the resource which the sample changes, by the id in its path or its body. */
function readingOf(operation: Operation, sample: Sample, read: Operation): Sample {
  const { token, path, query = {}, body } = sample;
  const [, name = ''] = /\{(\w+)\}$/.exec(read.path) ?? [];
  const given = (body ?? {}) as Record<string, number>;
  const id = path?.[name] ?? given[name] ?? given[resourceParameter(operation)] ?? path?.externalId;
  const taken = Object.entries(query).filter(([key]) => key in (read.contract.query ?? {}));
  return {
    ...(token === undefined ? {} : { token }),
    path: { ...path, ...(id === undefined ? {} : { [name]: id }) },
    query: Object.fromEntries(taken),
  };
}

/** A sample of a change, and what reads the resource. */
async function changing(operation: Operation) {
  const sample = await sampleOf(operation, world);
  const read = readOf(operation);
  if (!read) throw new Error(`no GET shows the resource of ${operation.name}`);
  const get = () => sendSample<object>(server.url, read, readingOf(operation, sample, read));
  const send = (ifMatch: string) =>
    sendSample<ProblemBody>(server.url, operation, sample, withHeader('if-match', ifMatch));
  const etag = async () => String((await get()).headers.etag);
  return { sample, read, get, send, etag };
}

test('every change with If-Match has a GET whose ETag it compares', () => {
  expect(changes.length).toBeGreaterThan(5);
  expect(changes.filter((operation) => !readOf(operation)).map(({ name }) => name)).toEqual([]);
});

test('every change of a resource whose GET has an ETag compares If-Match', () => {
  const paths = new Set(tagged.map(({ path }) => path));
  const isChange = ({ method }: Operation) => method === 'PUT' || method === 'DELETE';
  const missing = operations.filter(
    (operation) =>
      isChange(operation) && paths.has(operation.path) && !takesIfMatch(operation.contract),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test.each(tagged)(
  '$name has the hash of its body as the ETag, and is 304 for it',
  async (operation) => {
    const sample = await sampleOf(operation, world);
    const { status, headers, text } = await sendSample(server.url, operation, sample);
    const etag = hashOf(text);
    expect([status, headers.etag]).toEqual([200, etag]);
    const known = (value: string, method = 'GET') =>
      request(server.url, method, pathOf(operation, sample), {
        ...sample,
        headers: { ...sample.headers, 'if-none-match': value },
      });
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await known(value);
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
      expect(answer.headers['x-request-id']).toBeDefined();
    }
    for (const value of ['"other"', 'W/"other"', 'malformed']) {
      const answer = await known(value);
      expect([answer.status, answer.text]).toEqual([200, text]);
    }
    const head = await known('"other"', 'HEAD');
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', etag]);
    expect((await known(etag, 'HEAD')).status).toBe(304);
  },
);

test.each(untagged)('$name has no ETag', async (operation) => {
  const answer = await sendSample(server.url, operation, await sampleOf(operation, world));
  expect(answer.headers).not.toHaveProperty('etag');
});

describe.each(changes)('$name with If-Match', (operation) => {
  it('is 412 and changes nothing for another version, and 400 for what is no tag', async () => {
    const { send, get, etag } = await changing(operation);
    const before = await get();
    const stale = ['"stale"', `W/${await etag()}`, '"stale", W/"other"', ''];
    for (const ifMatch of stale) {
      const { status, body } = await send(ifMatch);
      expect([ifMatch, status, body.code]).toEqual([ifMatch, 412, 'PRECONDITION_FAILED']);
    }
    const malformed = await send('stale');
    expect([malformed.status, malformed.body.errors?.[0]?.path]).toEqual([400, 'If-Match']);
    const after = await get();
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
  });

  it('is carried out for the present version', async () => {
    const { sample, read, send, get, etag } = await changing(operation);
    const before = await etag();
    const answer = await send(`"other", ${before}`);
    expect({ ...answer, isDone: answer.status < 300 }).toMatchObject({ isDone: true });
    if (operation.method === 'PUT') {
      const isEmpty = operation.contract.result === null;
      expect(answer.headers.etag).toBe(isEmpty ? undefined : await etag());
      expect(await etag()).not.toBe(before);
      const isGone = sample.repeated?.includes(404) ?? false; // 404 comes before `If-Match`
      expect((await send(before)).status).toBe(isGone ? 404 : 412);
    } else if (read.path === operation.path) {
      expect((await get()).status).toBeGreaterThanOrEqual(400);
    } else expect([answer.headers.etag, await etag()]).not.toContain(before);
  });

  it('is carried out for any version with *', async () => {
    const { send } = await changing(operation);
    expect((await send('*')).status).toBeLessThan(300);
  });
});

/** The request that sends back what GET has answered: in the body, and the parameters of the query by their names. */
function sendingBack(
  { contract }: Operation,
  sample: Sample,
  shown: Record<string, unknown>,
): Sample {
  const query = Object.fromEntries(
    Object.keys(contract.query ?? {})
      .map((name) => [name, shown[name] ?? sample.query?.[name]])
      .filter(([, value]) => value !== undefined),
  );
  const { body: _body, query: _query, ...rest } = sample;
  if (!contract.body) return { ...rest, query };
  const given = (sample.body ?? {}) as Record<string, unknown>;
  const ids = Object.fromEntries(
    Object.keys(contract.body)
      .filter((name) => /Id$/.test(name) && given[name] === shown.id)
      .map((name) => [name, given[name]]),
  );
  return { ...rest, body: { ...shown, ...ids }, query };
}

/** The changes that take something else than the resource. */
const IS_NO_REPLACEMENT: Record<string, string> = {
  'configurations.archive': 'the path says the new state',
  'configurations.restore': 'the path says the new state',
  'configurations.setProperty': 'the body is one property of the map',
};
const puts = changes.filter(({ name, method }) => method === 'PUT' && !IS_NO_REPLACEMENT[name]);

test.each(puts)('$name changes nothing with what GET answered', async (operation) => {
  const { sample, get } = await changing(operation);
  const before: Answer<object> = await get();
  const requestId = randomUUID();
  const back = sendingBack(operation, sample, before.body as Record<string, unknown>);
  const answer = await sendSample(
    server.url,
    operation,
    back,
    withHeader('x-request-id', requestId),
  );
  const field = taggedField(operation.contract);
  const resource = field ? JSON.stringify(answer.body?.[field]) : answer.text;
  expect([answer.status, resource]).toEqual([200, before.text]);
  const after = await get();
  expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
  expect(await database.collection('audit_entries').countDocuments({ requestId })).toBe(0);
  const pending = { 'outbox.params.requestId': requestId };
  for (const collection of await database.client.db().collections()) {
    expect(await collection.countDocuments(pending)).toBe(0);
  }
});
