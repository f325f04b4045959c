import {
  putSecret,
  secretValuesOf,
} from '../../../services/connections/auth-credentials/secret/request-secret.ts';

const url = (search = '') => new URL(`https://api.example.com/orders${search}`);
const TOKEN = 'sha-la-la-la';

describe('a secret in a request', () => {
  it('is a header of HTTP Basic in UTF-8, as in RFC 7617', () => {
    const secret = { username: 'test', password: '123£ is long' };
    const put = putSecret({ authType: 'BASIC', secret }, url());
    const pair = Buffer.from('test:123£ is long', 'utf8').toString('base64');
    expect(put.secretHeaders).toEqual({ authorization: `Basic ${pair}` });
    expect(put.secrets).toEqual(['123£ is long']);
  });

  it('is a bearer token', () => {
    const put = putSecret({ authType: 'BEARER', secret: { token: TOKEN } }, url());
    expect(put.secretHeaders).toEqual({ authorization: `Bearer ${TOKEN}` });
    expect(put.secrets).toEqual([TOKEN]);
  });

  it('is an API key in a header', () => {
    const secret = { name: 'X-Key', in: 'header', value: TOKEN } as const;
    const put = putSecret({ authType: 'API_KEY', secret }, url('?a=1'));
    expect(put.secretHeaders).toEqual({ 'x-key': TOKEN });
    expect(put.url.href).toBe('https://api.example.com/orders?a=1');
  });

  it.each([
    ['', '?k%20ey=a%26b%3Dc%23d%20e'],
    ['?a=%7e&b', '?a=%7e&b&k%20ey=a%26b%3Dc%23d%20e'],
    ['?k+ey=mine&a=1&k%20ey', '?a=1&k%20ey=a%26b%3Dc%23d%20e'],
  ])('is an API key in the query, after %j', (before, after) => {
    const secret = { name: 'k ey', in: 'query', value: 'a&b=c#d e' } as const;
    const given = url(before);
    const put = putSecret({ authType: 'API_KEY', secret }, given);
    expect(put.url.search).toBe(after);
    expect(given.search).toBe(before);
    expect(put.url.searchParams.getAll('k ey')).toEqual(['a&b=c#d e']);
    expect(put.secretHeaders).toEqual({});
    expect(put.secrets).toEqual(['a&b=c#d e']);
  });

  it('is nothing for the type NONE', () => {
    expect(putSecret({ authType: 'NONE' }, url())).toEqual({
      secretHeaders: {},
      url: url(),
      secrets: [],
    });
  });
});

test('the values of an OAuth client have the secret as HTTP Basic encodes it, too', () => {
  const secret = {
    tokenUrl: 'https://auth.example/token',
    clientId: 'shop',
    clientSecret: 'p%&+= secret',
    scopes: [],
  };
  const values = secretValuesOf({ authType: 'OAUTH2_CLIENT_CREDENTIALS', secret });
  expect(values).toEqual(['p%&+= secret', 'p%25%26%2B%3D+secret']);
});
