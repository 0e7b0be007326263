#!/usr/bin/env bash
# Divides a device library of many small functions into files that can be linked by need (wasm/frontend/frontend.cpp):
# LIBRARY/BASE.bc has the overloads of BASE, `_Z<length>BASE...`, and LIBRARY.bc what remains: functions that are not
# mangled, and overloads that are aliases of something of another name.
#
#   divide-library.sh FOLDER LIBRARY       in FOLDER, with LLVM's tools
set -euo pipefail

cd "$1"
library=$2
llvm-dis-23 "$library.bc" -o "$library.ll"
base='s/^_Z\([0-9]\{1,\}\)\(.*\)/\1 \2/' # then awk takes that many characters
based() { sed "s/.* _Z/_Z/; $base" | awk 'NF == 2 { print substr($2, 1, $1) }' | sort -u; }
# Aliases and what they are of, by base; a name that is not mangled has none.
sed -n 's/^@\([^ ]*\) = .* alias .* ptr @\(.*\)$/\1 \2/p' "$library.ll" >"$library.aliases"
while read -r alias of; do
  from=$(echo "$alias" | based) to=$(echo "$of" | based)
  [ "$from" = "$to" ] || printf '%s\n' "$from" $to
done <"$library.aliases" | sort -u >"$library.undivided"
sed -n 's/^define .*@\(_Z[^(]*\)(.*/\1/p' "$library.ll" | based | comm -23 - "$library.undivided" >"$library.bases"
mkdir "$library"
# One pattern for each base: its length makes it exact.
pattern() { awk '{ print "^_Z" length($1) $1 }'; }
xargs -P "$(nproc)" -I BASE sh -c "prefix=_Z\$(printf BASE | wc -c)BASE
  llvm-extract-23 --rfunc=^\$prefix --ralias=^\$prefix $library.bc -o $library/BASE.bc 2>/dev/null ||
  llvm-extract-23 --rfunc=^\$prefix $library.bc -o $library/BASE.bc" <"$library.bases"
# What uses the library's own data stays with it.
sed -n 's/^@\([^ ]*\) = internal .*/ U \1/p' "$library.ll" >"$library.data"
for file in "$library"/*.bc; do
  if llvm-nm-23 "$file" | grep -q -F -f "$library.data"; then rm "$file"; fi
done
ls "$library" | sed 's/\.bc$//' >"$library.bases"
# Names of functions and aliases that are in none of these files.
{ sed -n 's/^define .*@\([^(]*\)(.*/\1/p' "$library.ll"; cut -d' ' -f1 "$library.aliases"; } |
  grep -v -E -f <(pattern <"$library.bases") >"$library.remaining"
grep -v -x -F -f <(cut -d' ' -f1 "$library.aliases") "$library.remaining" | sed 's/.*/--func=&/' >"$library.arguments"
grep -x -F -f <(cut -d' ' -f1 "$library.aliases") "$library.remaining" | sed 's/.*/--alias=&/' >>"$library.arguments"
xargs llvm-extract-23 --rglob=. "$library.bc" -o "$library.rest" <"$library.arguments"
mv "$library.rest" "$library.bc"
rm "$library".{ll,aliases,undivided,bases,data,remaining,arguments}
