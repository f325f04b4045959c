import { integerOf } from '../bson/numbers.ts';
import { BinData, type Document, isDocument } from '../bson/values.ts';

/** The session of a command, and its transaction number. */
export interface SessionInfo {
  session: string;
  number: number | undefined;
}

export function sessionOf(body: Document): SessionInfo | undefined {
  const lsid = body.get('lsid');
  const session = isDocument(lsid) ? keyOfSession(lsid) : undefined;
  return session === undefined ? undefined : { session, number: integerOf(body.get('txnNumber')) };
}

export const keyOfSession = (lsid: Document): string | undefined => {
  const id = lsid.get('id');
  return id instanceof BinData ? id.bytes.toString('hex') : undefined;
};
