#!/bin/sh
# Makes the certificates of an authority of your own, one for each region; run it again to rotate.
#   certificates.sh FOLDER REGION...            makes what is missing: the authority for 10 years, regions for 90 days
#   certificates.sh --renew FOLDER REGION...    makes the regions' certificates anew; running silos take them up by themselves
# FOLDER/authority.key signs: keep it elsewhere. HOSTS_us="us.example.org,10.0.0.1" adds names and addresses to region us.
set -eu
umask 077
renew=no
if [ "${1:-}" = --renew ]; then renew=yes; shift; fi
if [ $# -lt 2 ]; then sed -n '2,5p' "$0" >&2; exit 2; fi
folder=$1; shift
mkdir -p "$folder"
cd "$folder"

if ! [ -f authority.key ]; then
  openssl ecparam -name prime256v1 -genkey -noout -out authority.key
  openssl req -x509 -new -key authority.key -sha256 -days 3650 -subj "/CN=Geo authority" -out authority.crt \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign"
fi

for region in "$@"; do
  case $region in *[!a-z0-9-]*|"") echo "certificates.sh: '$region' is no name of a region" >&2; exit 2;; esac
  if [ $renew = no ] && [ -f "$region.crt" ]; then continue; fi
  names="DNS:$region,URI:geo-cluster:$region"
  variable=$(printf 'HOSTS_%s' "$region" | tr - _)
  eval "more=\${$variable:-}"
  for host in $(printf '%s' "$more" | tr , ' '); do
    case $host in *[!0-9.]*) names="$names,DNS:$host";; *) names="$names,IP:$host";; esac
  done

  openssl ecparam -name prime256v1 -genkey -noout -out "$region.key.new"
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\nkeyUsage=critical,digitalSignature\n' "$names" > "$region.ext"
  openssl req -new -key "$region.key.new" -subj "/CN=$region" -out "$region.csr"
  openssl x509 -req -in "$region.csr" -CA authority.crt -CAkey authority.key -CAcreateserial -sha256 -days 90 \
    -extfile "$region.ext" -out "$region.crt.new" 2> /dev/null
  openssl verify -CAfile authority.crt "$region.crt.new" > /dev/null

  # A silo that reads between the two finds a key that does not fit, and keeps what it has until it looks again.
  mv "$region.key.new" "$region.key"
  mv "$region.crt.new" "$region.crt"
  rm -f "$region.csr" "$region.ext"
done
chmod 644 ./*.crt
