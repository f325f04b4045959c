import { start } from 'node:repl';
import { PassThrough } from 'node:stream';
import { keepNoSecrets } from '../../../console/history.ts';
import { waitFor } from '../../helpers/wait.ts';

test('the history of the console keeps no line with a secret', async () => {
  const [input, output] = [new PassThrough(), new PassThrough().resume()];
  const lines: string[] = [];
  const evaluate = (line: string, _: unknown, __: string, done: (error: null) => void) => {
    lines.push(line);
    done(null);
  };
  const repl = start({ input, output, terminal: true, eval: evaluate as never });
  keepNoSecrets(repl);
  for (const line of [
    'workers',
    'call identity.signIn --email a@b.c --password "correct horse"',
    'call identity.refresh {"refreshToken":"x"}',
    'call connections.createAuthCredential {"secret":{"username":"a","value":"b"}}',
    'call connections.createAuthCredential --authType API_KEY --secret {"key":"x"}',
    'call tools.call {"headers":{"Authorization":"Basic eDp5"}}',
    'run 7',
  ]) {
    input.write(`${line}\r`);
  }
  await waitFor('the lines', () => lines.length === 7);
  expect((repl as unknown as { history: string[] }).history).toEqual(['run 7', 'workers']);
  repl.close();
});
