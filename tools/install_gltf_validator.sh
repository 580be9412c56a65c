#!/usr/bin/env bash
# Installs the Khronos glTF validator next to this script if npm is available; tests are skipped without.
set -eu
cd "$(dirname "$0")/gltf_validator"
command -v npm >/dev/null 2>&1 || { echo "npm is missing: glTF output will not be validated" >&2; exit 0; }
[ -d node_modules/gltf-validator ] || npm install --silent --no-audit --no-fund --no-package-lock
