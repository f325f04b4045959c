import { e2e, type Result } from '../fixtures/e2e.ts';
/** All files of the corpus by `POST /flows/validate`. */
import { readInvalidFlows, readValidFlows } from '../flows/corpus.ts';

type Validated = Result<'flows.validate'>;

const { owner } = e2e();

/** Requests under way at once. */
const CONCURRENCY = 4;

async function validate(content: string): Promise<{ valid: boolean; faults: string[] }> {
  const { status, body } = await owner.call<Validated>('POST', '/flows/validate', {
    body: { content },
  });
  expect(status).toBe(200);
  const faults = body.faults.map(({ line, column, code }) => `${line}:${column} ${code}`);
  return { valid: body.valid, faults };
}

/** The answers to all files, by the names of the files. */
async function validateAll(files: readonly { name: string; text: string }[]) {
  const waiting = [...files];
  const answers = new Map<string, object>();
  const work = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      answers.set(file.name, await validate(file.text));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return Object.fromEntries(answers);
}

test('each valid file is valid', async () => {
  const files = readValidFlows();
  const expected = files.map(({ name }) => [name, { valid: true, faults: [] }]);
  expect(await validateAll(files)).toEqual(Object.fromEntries(expected));
});

test('each invalid file has its faults', async () => {
  const files = readInvalidFlows();
  const expected = files.map(({ name, faults }) => [name, { valid: false, faults }]);
  expect(await validateAll(files)).toEqual(Object.fromEntries(expected));
});
