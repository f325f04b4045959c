import {
  authenticatedForm,
  textsOfSecret,
} from '../../../../services/connections/oauth-tokens/client-authentication.ts';

const credentials = {
  tokenUrl: 'https://auth.example/token',
  clientId: 'shop:1 ä',
  clientSecret: 'p%&+= "ß',
  scopes: ['orders.read', 'orders.write'],
};

test('HTTP Basic has id and secret encoded as in a form', () => {
  const { secretHeaders, body } = authenticatedForm(credentials, 'basic');
  const basic = Buffer.from('shop%3A1+%C3%A4:p%25%26%2B%3D+%22%C3%9F').toString('base64');
  expect(secretHeaders).toEqual({ authorization: `Basic ${basic}` });
  expect(body).toBe('grant_type=client_credentials&scope=orders.read+orders.write');
});

test('the form has id and secret, and no header has them', () => {
  const { secretHeaders, body } = authenticatedForm(credentials, 'post');
  expect(secretHeaders).toEqual({});
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'orders.read orders.write',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  });
});

test('a credential without scopes asks for none', () => {
  const { body } = authenticatedForm({ ...credentials, scopes: [] }, 'basic');
  expect(body).toBe('grant_type=client_credentials');
});

test('a mask covers the secret as it is and as HTTP Basic encodes it', () => {
  expect(textsOfSecret(credentials)).toEqual(['p%&+= "ß', 'p%25%26%2B%3D+%22%C3%9F']);
  expect(textsOfSecret({ ...credentials, clientSecret: 'plain' })).toEqual(['plain']);
});
