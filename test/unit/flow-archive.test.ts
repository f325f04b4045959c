import { readArchive } from '../flows/corpus.ts';

const file = (name: string, text: string) => `-- ${name} --\n${text}`;

test('files keep their texts to the last byte', () => {
  const text = '\ufeff\ta: "\u0007" \r\n--- \n-- b\n\n';
  const archive = `For readers.\n${file('a.yaml', text)}${file('a.json', '{}\n')}${file('b.yaml', '')}${file('b.json', '1')}`;
  expect(readArchive(archive)).toEqual([
    { name: 'a', text, json: '{}\n' },
    { name: 'b', text: '', json: '1' },
  ]);
});

test.each([
  ['without its outcome', file('a.yaml', 'a\n')],
  ['with the outcome of another', file('a.yaml', 'a\n') + file('b.json', '{}\n')],
  ['before which its outcome is', file('a.json', '{}\n') + file('a.yaml', 'a\n')],
  ['that is there twice', (file('a.yaml', 'a\n') + file('a.json', '{}\n')).repeat(2)],
])('a file %s is refused by its name', (_case, archive) => {
  expect(() => readArchive(archive)).toThrow(/^a\./);
});
