import { integerOf } from '../bson/numbers.ts';
import { BinData, type Document, isDocument } from '../bson/values.ts';
import { fail } from '../errors.ts';

/** Minutes of a session without a command. Then MongoDB forgets the session. */
export const SESSION_TIMEOUT_MINUTES = 30;

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

/** Throws for a malformed session, and for fields of a transaction that do not stand together, as MongoDB does. */
export function checkSession(body: Document): void {
  const lsid = body.get('lsid');
  if (isDocument(lsid) && keyOfSession(lsid) === undefined)
    fail('TypeMismatch', "BSON field 'lsid.id' must be a UUID");
  const number = body.get('txnNumber');
  const autocommit = body.get('autocommit');
  if (number !== undefined) {
    if (lsid === undefined)
      fail('InvalidOptions', 'Transaction number requires a session ID to also be specified');
    if ((integerOf(number) ?? -1) < 0)
      fail('InvalidOptions', 'Transaction number cannot be negative');
  } else if (autocommit !== undefined) {
    fail('InvalidOptions', "'autocommit' field requires a transaction number to also be specified");
  }
  if (autocommit === true) fail('InvalidOptions', 'Specifying autocommit=true is not allowed.');
  const starting = body.get('startTransaction');
  if (starting === undefined) return;
  if (starting === false)
    fail('InvalidOptions', 'Specifying startTransaction=false is not allowed.');
  if (autocommit === undefined) {
    fail(
      'InvalidOptions',
      "'startTransaction' field requires 'autocommit' field to also be specified",
    );
  }
}

export const keyOfSession = (lsid: Document): string | undefined => {
  const id = lsid.get('id');
  return id instanceof BinData ? id.bytes.toString('hex') : undefined;
};
