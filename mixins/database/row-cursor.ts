interface RowQuery {
  cursor(options: { batchSize: number }): object & { close(): Promise<unknown> };
}

/**
 * Reads the rows of a query in batches of the database. A reader that stops early closes the cursor: mongoose's own
 * iteration would leave it open, and the driver would keep its session with the last batch for ever.
 */
export async function* readInBatches<Row>(query: RowQuery, batchSize: number): AsyncGenerator<Row> {
  const cursor = query.cursor({ batchSize });
  let hasUnread = false;
  try {
    for await (const row of cursor as typeof cursor & AsyncIterable<Row>) {
      hasUnread = true;
      yield row;
    }
    hasUnread = false;
  } finally {
    if (hasUnread) await cursor.close();
  }
}
