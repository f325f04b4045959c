import { wordFilter, wordsOf } from '../../../services/issues/words.ts';

describe('the words of a text', () => {
  it.each([
    ['Engine, broken; ENGINE!', ['engine', 'broken']],
    ['Crème Brûlée', ['creme', 'brulee']],
    ['e\u0301cole école', ['ecole']],
    ['v1.2-rc3', ['v1', '2', 'rc3']],
    ['İstanbul ﬁx', ['istanbul', 'fix']],
    ['日本語 текст', ['日本語', 'текст']],
    ['🚀 -- !', []],
    ['', []],
    ['x'.repeat(100), ['x'.repeat(64)]],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('never end in half a character', () => {
    const [word = ''] = wordsOf(`${'x'.repeat(63)}𝒳𐐀`);
    expect(word.isWellFormed()).toBe(true);
  });

  it('are looked for in each field', () => {
    expect(wordFilter('Two words', ['a', 'b'])).toEqual([
      { $or: [{ a: { $regex: '^two' } }, { b: { $regex: '^two' } }] },
      { $or: [{ a: { $regex: '^words' } }, { b: { $regex: '^words' } }] },
    ]);
  });
});
