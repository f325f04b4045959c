# The order in which services go to a new version. Gateways last: a new one may ask for what an old service does not know.
order='identity workspaces issues connections configurations flows workflows dev-mode runs triggers events assistant recordings api'
