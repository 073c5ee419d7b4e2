#!/bin/sh
# Makes the certificates of an authority of your own, one for each region; run it again to rotate.
#   certificates.sh FOLDER REGION...            makes what is missing: the authority for 10 years, regions for 90 days
#   certificates.sh --renew FOLDER REGION...    makes the regions' certificates anew; running silos take them up by themselves
# FOLDER/authority.key signs: keep it elsewhere. A region needs FOLDER/REGION and nothing else: its certificate, its key and authority.crt.
# FOLDER is the owner's alone; what is in a region's own folder can be read by whoever gets there, such as a container that it is mounted in.
# HOSTS_us="us.example.org,10.0.0.1" adds names and addresses to region us; a renewal without it keeps those that there are.
set -eu
umask 077
renew=no
if [ "${1:-}" = --renew ]; then renew=yes; shift; fi
if [ $# -lt 2 ]; then sed -n '2,7p' "$0" >&2; exit 2; fi
folder=$1; shift
mkdir -p "$folder"
cd "$folder"

if ! [ -f authority.crt ]; then
  openssl ecparam -name prime256v1 -genkey -noout -out authority.key
  openssl req -x509 -new -key authority.key -sha256 -days 3650 -subj "/CN=Geo authority" -out authority.crt.new \
chmod 700 .
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign"
  mv authority.crt.new authority.crt
fi

for region in "$@"; do
  case $region in *[!a-z0-9-]*|"") echo "certificates.sh: '$region' is no name of a region" >&2; exit 2;; esac
  mkdir -p "$region"
  at="$region/$region"
  if [ $renew = no ] && [ -f "$at.crt" ]; then continue; fi
  variable=$(printf 'HOSTS_%s' "$region" | tr - _)
  eval "more=\${$variable:-}"
  if [ -n "$more" ] || ! [ -f "$region.names" ]; then
    names="DNS:$region,URI:geo-cluster:$region"
    for host in $(printf '%s' "$more" | tr , ' '); do
      case $host in *[!0-9.]*) names="$names,DNS:$host";; *) names="$names,IP:$host";; esac
    done
    printf '%s\n' "$names" > "$region.names"
  fi

  openssl ecparam -name prime256v1 -genkey -noout -out "$at.key.new"
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\nkeyUsage=critical,digitalSignature\n' "$(cat "$region.names")" \
    > "$region.ext"
  openssl req -new -key "$at.key.new" -subj "/CN=$region" -out "$region.csr"
  openssl x509 -req -in "$region.csr" -CA authority.crt -CAkey authority.key -CAcreateserial -sha256 -days 90 \
    -extfile "$region.ext" -out "$at.crt.new" 2> /dev/null
  openssl verify -CAfile authority.crt "$at.crt.new" > /dev/null
  cp authority.crt "$region/authority.crt"
  chmod 755 "$region"
  chmod 644 "$region/authority.crt" "$at.key.new" "$at.crt.new"

  # A silo that reads between the two finds a key that does not fit, and keeps what it has until it looks again.
  mv "$at.key.new" "$at.key"
  mv "$at.crt.new" "$at.crt"
  rm -f "$region.csr" "$region.ext"
done
