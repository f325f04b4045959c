import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { commands, listOptions } from '../../../console/commands.ts';
import { Console } from '../../../console/console.ts';
import { KEPT_FILES, REFUSED_COMMANDS } from '../../../console/repl-package.ts';

const ofRepl = createRequire(createRequire(__filename).resolve('moleculer-repl'));
const folder = dirname(ofRepl.resolve('./src/commands/index.js'));

/** The names of the commands that the source of moleculer-repl registers, by file. */
const registered = readdirSync(folder)
  .filter((file) => file !== 'index.js')
  .flatMap((file) => {
    const names: string[] = [];
    const command = (text: string) => {
      names.push(text.split(' ')[0] ?? '');
      return part;
    };
    const part: object = new Proxy({}, { get: () => () => part });
    ofRepl(join(folder, file)).register({ command }, {});
    return names.map((name) => ({ file: basename(file, '.js'), name }));
  });

it('each command of moleculer-repl is kept, replaced or refused with a reason', () => {
  const own = commands(new Console()).map(({ command }) => command.split(' ')[0]);
  for (const { file, name } of registered) {
    const decided = [KEPT_FILES.has(file), own.includes(name), name in REFUSED_COMMANDS];
    expect([name, decided.filter(Boolean).length]).toEqual([name, 1]);
  }
  expect(registered.map(({ name }) => name)).toEqual(
    expect.arrayContaining(Object.keys(REFUSED_COMMANDS)),
  );
  expect(listOptions('verify')).toEqual(['--keep-password']);
});
