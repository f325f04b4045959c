import { isDocument, toDocument, type Value } from '../../bson/values.ts';
import { COMMANDS as KNOWN_COMMANDS } from '../../commands/registry.ts';
import { COMMANDS, REFUSED_COMMANDS, STATEFUL, UNKNOWN_COMMANDS } from './commands.ts';
import { manualEngine, sorted } from './helper.ts';
import { OPTIONS } from './options.ts';

const { test, expectRefusal } = manualEngine();

/** Expects a value with all fields of another, and maybe with more. */
function expectFields(value: Value | undefined, part: Value): void {
  if (!isDocument(part) || !isDocument(value)) expect(value).toEqual(part);
  else for (const [name, inner] of part) expectFields(value.get(name), inner);
}

describe('commands', () => {
  it.each(COMMANDS)('%s works', async (_, command, answer) => {
    const reply = await test.send(command);
    expect(reply.get('errmsg')).toBeUndefined();
    expectFields(reply, toDocument(answer));
  });

  it.each(REFUSED_COMMANDS)('%s is refused as not supported', async (name) => {
    await expectRefusal(`${name} is not supported`, 115, { [name]: 1 });
    await expectRefusal(`${name} is not supported`, 115, { [name]: 'c' });
  });

  it.each(UNKNOWN_COMMANDS)('%s is no command', (name) =>
    expectRefusal(`no such command: '${name}'`, 59, Object.fromEntries([[name, 1]])),
  );

  it('have an example each', () => {
    const tried = [...COMMANDS.map(([name]) => name), ...STATEFUL];
    expect(sorted(tried)).toEqual(sorted(Object.keys(KNOWN_COMMANDS)));
  });
});

describe.each(Object.entries(OPTIONS))('%s', (_, list) => {
  it.each(list)('%s: %d (%j)', (name, code, command) =>
    expectRefusal(code ? name : '', code, command),
  );
});
