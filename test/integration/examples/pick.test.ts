import { join } from 'node:path';
import { EXAMPLES } from '../../helpers/examples.ts';
import { runWith } from '../../helpers/run-with.ts';

describe('pick', () => {
  const pick = (answer: string, path: string) =>
    runWith(process.execPath, [join(EXAMPLES, 'pick.mjs'), path], {}, answer);

  test.each([
    ['{"id":7}', 'id', '7'],
    ['[{"title":"A tooth"}]', 'at(0).title', 'A tooth'],
    ['[{"id":1},{"id":2}]', 'map(({ id }) => id).join(" ")', '1 2'],
    ['{"output":null}', 'output', 'null'],
    ['{"a-b":[1]}', '["a-b"]', '[1]'],
  ])('takes from %s %s', async (answer, path, expected) => {
    expect(await pick(answer, path)).toEqual({ code: 0, stdout: `${expected}\n`, stderr: '' });
  });

  test('tells a problem of the service, with its places', async () => {
    const fault = { in: 'body', path: 'content', message: 'must be a list', line: 1, column: 5 };
    const problem = {
      type: 'urn:problem:invalid-request',
      status: 400,
      code: 'INVALID_REQUEST',
      detail: 'content: must be a list (and 1 more)',
      errors: [fault, { in: 'query', path: 'name', message: 'is required' }],
    };
    const { code, stdout, stderr } = await pick(JSON.stringify(problem), 'id');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'pick: 400 INVALID_REQUEST: content: must be a list (and 1 more)\n' +
        '  line 1, column 5: must be a list\n  name: is required\n',
    );
  });

  test.each([
    ['', 'id', /there is no answer/],
    ['<html>', 'id', /not JSON: <html>/],
    ['{"name":"x"}', 'id', /the answer has no id: \{"name":"x"\}/],
    ['[]', 'at(0).id', /the answer has no at\(0\)\.id: \[\]/],
  ])('says of %j what is wrong with it', async (answer, path, message) => {
    const { code, stdout, stderr } = await pick(answer, path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
