import { refusedTokenUrl } from '../../../../services/connections/oauth-tokens/allowed-token-url.ts';

const allowedOrigins = ['https://auth.example', 'http://127.0.0.1:8080'];

test.each([
  'https://auth.example/token',
  'https://AUTH.example:443/token?tenant=1',
  'https://auth.example./token',
  'http://127.0.0.1:8080/',
])('%s is allowed', (tokenUrl) => {
  expect(refusedTokenUrl({ allowedOrigins }, { tokenUrl })).toBeNull();
});

test.each([
  'http://auth.example/token',
  'https://auth.example:444/token',
  'https://auth.example.evil.example/token',
  'https://evil.example/https://auth.example',
  'https://auth.example@evil.example/',
  'data:text/plain,https://auth.example',
  'no URL',
])('%s is refused without being shown', (tokenUrl) => {
  const refusal = refusedTokenUrl({ allowedOrigins }, { tokenUrl });
  expect(refusal).toMatchObject({ code: 'CREDENTIAL_ORIGIN_REFUSED' });
  expect(refusal?.detail).not.toContain('example');
});
