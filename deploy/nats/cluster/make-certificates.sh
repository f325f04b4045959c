#!/bin/sh
# Makes an authority and the certificates of NATS servers: make-certificates.sh FOLDER SERVER...
# SERVER is the name by which services and other servers reach it, or several, comma separated, for one certificate.
# The first name is that of the files: NAME.pem and NAME-key.pem, both with nats-ca.pem, of which nats-ca-key.pem
# signs further ones. Files that are there stay.
set -eu
umask 077
folder=${1:?the folder is missing} && shift
: "${1:?the names of the servers are missing}"
mkdir -p "$folder"
cd "$folder"

new_key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

if [ ! -e nats-ca-key.pem ]; then
  new_key nats-ca-key.pem
  openssl req -x509 -new -key nats-ca-key.pem -subj '/CN=NATS of workspace automation' -days 3650 \
    -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
    -out nats-ca.pem
fi

for names in "$@"; do
  name=${names%%,*}
  [ ! -e "$name.pem" ] || continue
  new_key "$name-key.pem"
  # To each other the servers are clients, too.
  {
    echo 'basicConstraints=critical,CA:FALSE'
    echo 'keyUsage=critical,digitalSignature'
    echo 'extendedKeyUsage=serverAuth,clientAuth'
    echo "subjectAltName=DNS:$(echo "$names" | sed 's/,/,DNS:/g')"
  } >"$name.extensions"
  openssl req -new -key "$name-key.pem" -subj "/CN=$name" |
    openssl x509 -req -CA nats-ca.pem -CAkey nats-ca-key.pem -CAcreateserial -days 825 \
      -extfile "$name.extensions" -out "$name.pem"
  rm "$name.extensions"
done
