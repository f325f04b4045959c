// An OpenID provider as a process of its own: oidc-provider has ES modules only, which jest does not load.
// Its clients live in memory. Control requests: GET /test/clients, POST /test/mode {method?, status?, delayMs?, delayAnswerMs?}.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const port = Number(process.env.PORT);
const audience = process.env.AUDIENCE;
const issuer = `http://127.0.0.1:${port}`;
const stores = new Map();

class Adapter {
  constructor(name) {
    if (!stores.has(name)) stores.set(name, new Map());
    this.store = stores.get(name);
  }
  async upsert(id, payload) {
    this.store.set(id, payload);
  }
  async find(id) {
    return this.store.get(id);
  }
  async destroy(id) {
    this.store.delete(id);
  }
  async findByUserCode() {}
  async findByUid() {}
  async consume() {}
  async revokeByGrantId() {}
}

const provider = new Provider(issuer, {
  adapter: Adapter,
  clientDefaults: { grant_types: ['client_credentials'], response_types: [] },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true, initialAccessToken: process.env.INITIAL_ACCESS_TOKEN },
    registrationManagement: { enabled: true },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: (_ctx, resource) => ({
        scope: '',
        audience: resource,
        accessTokenTTL: 300,
        accessTokenFormat: 'jwt',
      }),
    },
  },
});
const callback = provider.callback();
let mode = {};
let jwksRequests = 0;

createServer(async (req, res) => {
  const chunks = [];
  if (req.url === '/test/mode') {
    for await (const chunk of req) chunks.push(chunk);
    mode = JSON.parse(Buffer.concat(chunks).toString());
    return res.end();
  }
  if (req.url === '/test/clients') {
    return res.end(JSON.stringify([...(stores.get('Client')?.keys() ?? [])]));
  }
  if (req.url === '/test/jwks-requests') return res.end(JSON.stringify(jwksRequests));
  if (req.url === '/jwks') jwksRequests++;
  const applies = !mode.method || mode.method === req.method;
  if (applies && mode.status) {
    res.statusCode = mode.status;
    return res.end();
  }
  if (applies && mode.delayMs) await new Promise((resolve) => setTimeout(resolve, mode.delayMs));
  if (applies && mode.delayAnswerMs) {
    const end = res.end.bind(res);
    res.end = (...rest) => void setTimeout(() => end(...rest), mode.delayAnswerMs);
  }
  callback(req, res);
}).listen(port, '127.0.0.1', () => process.stdout.write(`ready on ${issuer}\n`));
