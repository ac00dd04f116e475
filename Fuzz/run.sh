#!/bin/sh
# Fuzzes Document(_:), applyEncodedChanges and receiveSyncMessage with libFuzzer and the address
# sanitizer.
#
#   Fuzz/run.sh [seconds] [folder of Automerge files to start from]
#
# Findings are written to .build-fuzz/findings. To run one again:
#   .build-fuzz/fuzz-document .build-fuzz/findings/<file>
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-120}
files=${2:-${TIDELINE_FIXTURES:-}/automerge}
build=.build-fuzz  # Remove it after renaming a source file: the old object would be linked too.

swift build -c release --target Automerge --scratch-path "$build" \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing
release=$build/release

find "$release/Automerge.build" -name '*.o' | sed 's/.*/"&"/' > "$build/objects"
swiftc -O -sanitize=fuzzer,address -parse-as-library -swift-version 6 \
    -I "$release/Modules" -Xcc -fmodule-map-file=Sources/CZlib/module.modulemap \
    -Xcc -fmodule-map-file=Sources/CLibcrypto/module.modulemap \
    -Xcc -fmodule-map-file=Sources/CLibdeflate/module.modulemap \
    Fuzz/FuzzDocument.swift "@$build/objects" -lz -ldeflate -lcrypto -o "$build/fuzz-document"

mkdir -p "$build/corpus" "$build/findings"
if [ -d "$files" ]; then python3 Fuzz/make_seeds.py "$build/corpus" "$files"; fi
exec "$build/fuzz-document" "$build/corpus" \
    -artifact_prefix="$build/findings/" -max_total_time="$seconds" -timeout=5 \
    -rss_limit_mb=1024 -max_len=20000
