import { readEnvironment } from '../../../environment/variables.ts';

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBtjCCAVygAwIBAgIUBzr1Kzn30DLNm20g++AHyPEwiwwwCgYIKoZIzj0EAwIw
JzElMCMGA1UEAwwcTkFUUyBvZiB3b3Jrc3BhY2UgYXV0b21hdGlvbjAeFw0yNjEx
MjYxNDA4NTZaFw0zNjExMjMxNDA4NTZaMCcxJTAjBgNVBAMMHE5BVFMgb2Ygd29y
a3NwYWNlIGF1dG9tYXRpb24wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASzq8eB
meoP50bcRPnF929iqeB09O75gkV/vY4LPX/OeUt2c1VTwaBo1D6KFaXqboXCWo/K
jXHyL4Gz9CgsztJSo2YwZDAdBgNVHQ4EFgQURYn4SijK23UEBJMvw3lvgfUvdpww
HwYDVR0jBBgwFoAURYn4SijK23UEBJMvw3lvgfUvdpwwEgYDVR0TAQH/BAgwBgEB
/wIBADAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwIDSAAwRQIhAPi0b80IyRo+
wEpqoXzgCLPjq4RBWc6I5M4jzOm0zW2iAiBcRFIQmrLOOr1bOHJLpW3tP5AJV3gs
ZpPAOeQaT8tO/A==
-----END CERTIFICATE-----`;
const BROKEN = CERTIFICATE.replace('MII', 'MIJ');
const TLS = 'tls://user:password@host:4222';

const read = (NATS_CA: string, NATS_URL = TLS) => readEnvironment({ NATS_CA, NATS_URL }).NATS_CA;

test('one certificate, or several with white space between them, are taken as they are', () => {
  expect(read(CERTIFICATE)).toBe(CERTIFICATE);
  const several = `${CERTIFICATE}\n\n${CERTIFICATE}\n`;
  expect(read(several)).toBe(several);
});

test.each([
  ['a text that is no certificate', 'authority'],
  ['a certificate with something else', `${CERTIFICATE}\nmore`],
  ['a certificate that does not decode', BROKEN],
])('%s is refused, and not repeated', (_, text) => {
  expect(() => read(text)).toThrow(/^NATS_CA: the value given is not possible/);
});

test('an authority without an address for TLS is refused: the connection would not use it', () => {
  expect(() => read(CERTIFICATE, 'nats://user:password@host:4222')).toThrow(/^NATS_CA: of no use/);
});
