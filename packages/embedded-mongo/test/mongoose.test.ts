import mongoose, { Schema } from 'mongoose';
import { errorOf, type TestServer, testServer } from './helper.ts';

describe('mongoose', () => {
  let test: TestServer;
  let connection: mongoose.Connection;
  beforeAll(async () => {
    test = await testServer();
    connection = mongoose.createConnection(test.server.uri, { dbName: 'goose' });
    await connection.asPromise();
  });
  afterAll(async () => {
    await connection.close();
    await test.stop();
  });

  it('keeps models: indexes, validation, population, versions and subdocuments', async () => {
    const Author = connection.model(
      'Author',
      new Schema({ name: { type: String, unique: true, required: true } }, { timestamps: true }),
    );
    const Book = connection.model(
      'Book',
      new Schema({
        title: String,
        author: { type: Schema.Types.ObjectId, ref: 'Author' },
        chapters: [{ title: String, pages: Number }],
        meta: { type: Map, of: Number },
        price: Schema.Types.Decimal128,
      }),
    );
    await Author.init();
    const author = await Author.create({ name: 'Le Guin' });
    expect((await errorOf(Author.create({ name: 'Le Guin' }))).code).toBe(11000);
    const book = new Book({ title: 'The Dispossessed', author: author._id });
    book.set({ chapters: [{ title: 'Anarres', pages: 30 }], meta: { read: 2 }, price: '12.50' });
    await book.save();
    book.chapters.push({ title: 'Urras', pages: 40 });
    book.meta?.set('read', 3);
    await book.save();
    const found = await Book.findOne({ 'chapters.title': 'Urras' })
      .populate<{ author: { name: string } }>('author')
      .lean();
    expect(found).toMatchObject({
      title: 'The Dispossessed',
      author: { name: 'Le Guin' },
      meta: { read: 3 },
    });
    expect(String(found?.price)).toBe('12.50');
    expect(found?.chapters.map(({ pages }) => pages)).toEqual([30, 40]);
    await Book.updateOne(
      { _id: book._id, 'chapters.title': 'Urras' },
      { $inc: { 'chapters.$.pages': 5 } },
    );
    const [pages] = await Book.aggregate([
      { $unwind: '$chapters' },
      { $group: { _id: null, n: { $sum: '$chapters.pages' } } },
    ]);
    expect(pages).toEqual({ _id: null, n: 75 });
    const concurrent = await Book.findById(book._id).orFail();
    book.chapters.pull(book.chapters[0]?._id);
    await book.save();
    concurrent.set('chapters.0.title', 'x');
    await expect(concurrent.save()).rejects.toThrow(/No matching document|version/);
  });

  it('runs transactions', async () => {
    const Counter = connection.model('Counter', new Schema({ n: Number }));
    await Counter.init();
    await Counter.create({ n: 1 });
    await connection.transaction(async (session) => {
      const counter = await Counter.findOne().session(session).orFail();
      counter.n = 2;
      await counter.save();
    });
    const failed = connection.transaction(async (session) => {
      await Counter.updateOne({}, { n: 3 }, { session });
      throw new Error('not after all');
    });
    await expect(failed).rejects.toThrow('not after all');
    expect(await Counter.findOne().lean()).toMatchObject({ n: 2 });
  });
});
