#!/bin/sh
# Two regions as real processes in network namespaces of their own, with certificates, on one machine without containers; needs root.
#   dotnet publish samples/WebShop -o PROGRAM && deploy/two-regions.sh PROGRAM
# One region sells, the other sees it; their network is cut, one goes on; it heals, and both agree.
set -eu
program=$(cd "${1:?the folder of the published web shop}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
id=$$
us="geo-us-$id"; eu="geo-eu-$id"
us_process=; eu_process=

clean() {
  for process in $us_process $eu_process; do kill "$process" 2> /dev/null || true; done
  wait
  ip netns del "$us" 2> /dev/null || true
  ip netns del "$eu" 2> /dev/null || true
  rm -rf "$folder"
}
trap clean EXIT
trap 'exit 130' HUP INT TERM

ip netns add "$us"
ip netns add "$eu"
ip link add "gu$id" netns "$us" type veth peer name "ge$id" netns "$eu"
ip -n "$us" addr add 10.73.0.1/24 dev "gu$id"; ip -n "$us" link set "gu$id" up; ip -n "$us" link set lo up
ip -n "$eu" addr add 10.73.0.2/24 dev "ge$id"; ip -n "$eu" link set "ge$id" up; ip -n "$eu" link set lo up
HOSTS_us=10.73.0.1 HOSTS_eu=10.73.0.2 "$here/certificates.sh" "$folder/certificates" us eu

region() { # NAMESPACE NAME OWN OTHER-NAME OTHER
  cd "$program"
  exec ip netns exec "$1" dotnet WebShop.dll --Urls=http://127.0.0.1:8080 --Geo:ClusterId="$2" --Geo:ListenOn="$3:7300" \
    --Geo:Clusters:"$4":0="$5:7300" --Geo:Stores:Default:Path="$folder/shop.db" --Geo:Tls:CertificateFile="$folder/certificates/$2/$2.crt" \
    --Geo:Tls:KeyFile="$folder/certificates/$2/$2.key" --Geo:Tls:AuthorityFile="$folder/certificates/$2/authority.crt" \
    --Logging:LogLevel:Default=Error > "$folder/$2.log" 2>&1
}
ask() { ip netns exec "$1" curl -sS --max-time 20 "$2" "$3" "http://127.0.0.1:8080$4"; }
until_says() { # WHAT NAMESPACE PATH: within a minute
  tries=0
  until [ "$(ask "$2" -X GET "$3" 2> /dev/null)" = "$1" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 120 ]; then echo "$2$3 does not say '$1':" >&2; cat "$folder"/*.log >&2; exit 1; fi
    sleep 0.5
  done
}

region "$us" us 10.73.0.1 eu 10.73.0.2 & us_process=$!
region "$eu" eu 10.73.0.2 us 10.73.0.1 & eu_process=$!
until_says 100 "$us" /stock/shirt
until_says 100 "$eu" /stock/shirt
ask "$us" -X PUT /stock/shirt/orders/1 > /dev/null
until_says 99 "$eu" /stock/shirt
ask "$eu" -X PUT /rating/shirt/ann/5 > /dev/null
until_says 5 "$us" /rating/shirt
echo "us sold, eu saw it; eu rated, us saw it"

ip -n "$us" link set "gu$id" down
ask "$us" -X PUT /rating/shirt/ben/3 > /dev/null
until_says 4 "$us" /rating/shirt
echo "without a network us went on"

ip -n "$us" link set "gu$id" up
until_says 4 "$eu" /rating/shirt
ask "$eu" -X PUT /stock/shirt/orders/2 > /dev/null
until_says 98 "$us" /stock/shirt
echo "the network is back and both agree"
