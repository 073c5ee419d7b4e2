#!/bin/sh
# Whether regions of two builds work together: silos of the previous build and of this one side by side, one region upgraded after the
# other and one taken back, as processes on this machine. No containers, no root.
#   dotnet publish samples/WebShop -o THIS
#   (cd CHECKOUT && dotnet publish samples/WebShop -o PREVIOUS)     # of what runs now; all three from the root
#   deploy/upgrade.sh PREVIOUS THIS
# At each step every region sells and rates, and both have the same books; nothing that was sold may be lost, or sold twice.
set -eu
previous=$(cd "${1:?the folder of the published web shop that runs now}" && pwd)
this=$(cd "${2:?the folder of the published web shop that is to run}" && pwd)
folder=$(mktemp -d)
set -- ${PORTS:-5061 7361 5062 7362} # us: web and silo; eu: web and silo
us_web=$1; us_silo=$2; eu_web=$3; eu_silo=$4
us_process=; eu_process=
orders=0

clean() {
  for process in $us_process $eu_process; do kill "$process" 2> /dev/null || true; done
  wait
  rm -rf "$folder"
}
trap clean EXIT
trap 'exit 130' HUP INT TERM

region() { # PROGRAM NAME WEB OWN OTHER-NAME OTHER
  cd "$1"
  exec dotnet WebShop.dll --Urls="http://127.0.0.1:$3" --Geo:ClusterId="$2" --Geo:ListenOn="127.0.0.1:$4" \
    --Geo:Clusters:"$5":0="127.0.0.1:$6" --Geo:Stores:Default:Path="$folder/shop.db" --Logging:LogLevel:Default=Error >> "$folder/$2.log" 2>&1
}
run() { # us|eu PROGRAM: in place of what runs there
  if [ "$1" = us ]; then
    if [ -n "$us_process" ]; then kill "$us_process"; wait "$us_process" || true; fi
    region "$2" us "$us_web" "$us_silo" eu "$eu_silo" & us_process=$!
  else
    if [ -n "$eu_process" ]; then kill "$eu_process"; wait "$eu_process" || true; fi
    region "$2" eu "$eu_web" "$eu_silo" us "$us_silo" & eu_process=$!
  fi
}
address() { if [ "$1" = us ]; then echo "http://127.0.0.1:$us_web"; else echo "http://127.0.0.1:$eu_web"; fi; }
ask() { curl -sS --max-time 20 -X "$2" "$(address "$1")$3"; } # us|eu METHOD PATH
until_says() { # WHAT us|eu PATH: within a minute
  tries=0
  until [ "$(ask "$2" GET "$3" 2> /dev/null)" = "$1" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 120 ]; then echo "$2$3 says '$(ask "$2" GET "$3" 2>&1)', not '$1':" >&2; cat "$folder"/*.log >&2; exit 1; fi
    sleep 0.5
  done
}
sell() { # us|eu: an order of its own, again until it is confirmed; one that is asked for twice counts once
  orders=$((orders + 1))
  tries=0
  until curl -sS --max-time 20 --fail -o /dev/null -X PUT "$(address "$1")/stock/shirt/orders/$orders" 2> /dev/null; do
    tries=$((tries + 1))
    if [ $tries -gt 60 ]; then echo "$1 does not sell order $orders:" >&2; cat "$folder"/*.log >&2; exit 1; fi
    sleep 0.5
  done
}
step() { # WHAT: every region sells one, and rates, and both agree
  for name in us eu; do
    sell $name
    ask $name PUT "/rating/step-$orders/ann/5" > /dev/null
  done
  for name in us eu; do
    until_says $((100 - orders)) $name /stock/shirt
    until_says 5 $name "/rating/step-$orders"
    until_says 5 $name "/rating/step-$((orders - 1))"
  done
  echo "$1: $orders sold, both agree"
}

run us "$previous"; run eu "$previous"
until_says 100 us /stock/shirt
until_says 100 eu /stock/shirt
step "us previous, eu previous"
run us "$this"
step "us this, eu previous"
run eu "$this"
step "us this, eu this"
run us "$previous"
step "us previous again, eu this"
echo "two builds side by side: nothing lost, nothing sold twice"
