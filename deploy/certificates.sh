#!/bin/sh
# Makes the certificates of an authority of your own, one for each region, and the key of the tool; run it again to rotate certificates.
#   certificates.sh FOLDER REGION...            # makes what is missing: authority for 10 years, regions for 90 days, FOLDER/geo.key
#   certificates.sh --renew FOLDER REGION...    # makes the regions' certificates anew; running silos take them up by themselves
#   certificates.sh --new-authority FOLDER      # puts a new authority in the place of the old one; all regions trust both, which go on with
#                                               # the certificates that they have until they are renewed
#   certificates.sh --drop-old FOLDER           # takes the old one out, once no region has a certificate of it
# FOLDER/authority.key signs: keep it elsewhere. A region needs FOLDER/REGION and nothing else: its certificate, its key and authority.crt.
# FOLDER/geo.key opens every region's admin endpoint, and is made once: who has such a key already puts it there.
# FOLDER is the owner's alone; what is in a region's own folder can be read by whoever gets there, such as a container that it is mounted
# in.
# HOSTS_us="us.example.org,10.0.0.1" adds names and addresses to region us; a renewal without it keeps those that there are.
set -eu
umask 077
task=make
case ${1:-} in --renew|--new-authority|--drop-old) task=${1#--}; shift;; esac
case $task in make|renew) least=2 most=1000;; *) least=1 most=1;; esac
if [ $# -lt $least ] || [ $# -gt $most ]; then sed -n '2,/^set/{/^#/p;}' "$0" >&2; exit 2; fi
folder=$1; shift
mkdir -p "$folder"
cd "$folder"
chmod 700 .

fail() { echo "certificates.sh: $1" >&2; exit 1; }

# The authorities that a region trusts, where it reads them: nobody finds half a file.
trust() {
  cat > "$1.new"
  chmod 644 "$1.new"
  mv "$1.new" "$1"
}

# Two that are in use at one time have two names.
make_authority() {
  openssl ecparam -name prime256v1 -genkey -noout -out authority.key
  openssl req -x509 -new -key authority.key -sha256 -days 3650 -subj "/CN=Geo authority $(date -u +%Y%m%d%H%M%S)" -out authority.crt.new \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign"
  mv authority.crt.new authority.crt
}

# Has a region trust the authority beside those that it trusts; a new region all that are in use.
add_authority() {
  if ! [ -f "$1/authority.crt" ]; then
    cat authority.crt $(ls old-authority.crt 2> /dev/null) | trust "$1/authority.crt"
  elif ! tr -d '\n' < "$1/authority.crt" | grep -qF -e "$(tr -d '\n' < authority.crt)"; then
    cat "$1/authority.crt" authority.crt | trust "$1/authority.crt"
  fi
}

if [ $task = new-authority ]; then
  [ -f authority.crt ] || fail "there is no authority yet: name the regions to make one"
  ! [ -f old-authority.crt ] || fail "the old authority is still trusted: renew all regions, then --drop-old"
  mv authority.key old-authority.key
  mv authority.crt old-authority.crt
  make_authority
  for trusted in */authority.crt; do [ -f "$trusted" ] && add_authority "${trusted%/*}"; done
  exit 0
fi

if [ $task = drop-old ]; then
  [ -f old-authority.crt ] || fail "there is no old authority"
  for trusted in */authority.crt; do
    region=${trusted%/*}
    openssl verify -CAfile authority.crt "$region/$region.crt" > /dev/null 2>&1 \
      || fail "region $region has a certificate of the old authority still: --renew it, and wait until its silos have read it"
  done
  for trusted in */authority.crt; do trust "$trusted" < authority.crt; done
  rm -f old-authority.crt old-authority.key
  exit 0
fi

[ -f authority.crt ] || make_authority
if ! [ -s geo.key ]; then
  key=$(openssl rand -hex 32)
  printf %s "$key" > geo.key.new # no end of line: a secret is made of the file as it is
  mv geo.key.new geo.key
fi
for region in "$@"; do
  case $region in *[!a-z0-9-]*|"") echo "certificates.sh: '$region' is no name of a region" >&2; exit 2;; esac
  mkdir -p "$region"
  at="$region/$region"
  if [ $task = make ] && [ -f "$at.crt" ]; then continue; fi
  [ -f authority.key ] || fail "authority.key, which signs, is not in the folder: put it there while this runs"
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
  chmod 755 "$region"
  add_authority "$region"
  chmod 644 "$at.key.new" "$at.crt.new"

  # A silo that reads between the two finds a key that does not fit, and keeps what it has until it looks again.
  mv "$at.key.new" "$at.key"
  mv "$at.crt.new" "$at.crt"
  rm -f "$region.csr" "$region.ext"
done
