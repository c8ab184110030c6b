#!/usr/bin/env bash
# Shows that the loom models can fail: for each entry of breaks.list, breaks a copy of the core in that one
# place, runs that one model on it, and wants to see it fail. A model without an entry is an error too.
#
#   loom-tests/breaks.sh            all of them, after a run on the core as it is
#   loom-tests/breaks.sh WORD...    those whose model's name contains one of the words
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
# Kept between runs, so that a break costs the build of this crate and of the models, and nothing else.
export CARGO_TARGET_DIR=${BREAKS_TARGET_DIR:-$root/target/loom-breaks}
export RUSTFLAGS="--cfg credit_channel_loom" RUST_BACKTRACE=0
tree=$CARGO_TARGET_DIR/tree
rm -rf "$tree"
mkdir -p "$tree"
cp -R "$root"/Cargo.* "$root/src" "$root/loom-tests" "$tree"
# The front page may be part of the crate's documentation.
[ ! -e "$root/README.md" ] || cp "$root/README.md" "$tree"

python3 - "$tree" "$@" <<'PYTHON'
import json
import os
import re
import subprocess
import sys
import time

tree, words = sys.argv[1], sys.argv[2:]
CARGO = ["cargo", "test", "--quiet", "--profile", "loom", "--test", "loom"]
# The broken crate need not be fast; this halves the time of its build.
CARGO += ["--config", "profile.loom.package.credit-channel.opt-level=1"]
# The models have to see it by themselves, without the ledger's assertions.
CARGO += ["--config", "profile.loom.debug-assertions=false"]
SECONDS = 120  # for one model on a broken core


def read_list(path):
    """Blocks of `key = value` lines, an empty line between two blocks."""
    with open(path) as file:
        text = "".join(line for line in file if not line.startswith("#"))
    for block in filter(str.strip, text.split("\n\n")):
        entry = dict(re.split(r"\s*=\s?", line.strip(), maxsplit=1) for line in block.strip().splitlines())
        if entry.keys() - {"old2", "new2"} != {"model", "words", "file", "old", "new"}:
            sys.exit(f"breaks.list: an entry needs model, words, file, old and new:\n{block}")
        yield entry


def manifest_of_a_copy():
    """The copy has no benches, examples and other tests, and is a workspace of its own."""
    path = os.path.join(tree, "Cargo.toml")
    with open(path) as file:
        sections = re.split(r"(?m)^(?=\[)", file.read())
    kept = (s for s in sections if not re.match(r"\[(\[bench|\[example|workspace)", s))
    kept = (s for s in kept if not s.startswith("[[test]]") or 'name = "loom"' in s)
    with open(path, "w") as file:
        file.write("".join(kept) + "\n[workspace]\n")


def build():
    """The models' executable, or None and what the compiler said."""
    command = CARGO + ["--no-run", "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    if built.returncode:
        return None, built.stderr
    messages = map(json.loads, built.stdout.splitlines())
    return [m["executable"] for m in messages if m.get("executable")][-1], ""


def failure_of(executable, model):
    """How the model failed, or None."""
    try:
        run = subprocess.run(
            [executable, model, "--exact", "--nocapture"], capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return None
    output = run.stdout + run.stderr
    if "running 1 test\n" not in output:
        sys.exit(f"{model}: there is no such model")
    if run.returncode == 0:
        return None
    # The first panic is what the model found; others follow while it unwinds.
    panic = re.search(r"panicked at [^\n]*\n([^\n]*)", output)
    if not panic:
        return f"exit code {run.returncode}"
    said = re.split(r"; threads|: Stats|: Account|\. This is", panic.group(1))[0]
    return said.replace("|", "/")


manifest_of_a_copy()
entries = list(read_list(os.path.join(tree, "loom-tests/breaks.list")))
chosen = [e for e in entries if not words or any(word in e["model"] for word in words)]

# First the texts: all that have to be anchored anew are named at once.
lost = []
for entry in chosen:
    with open(os.path.join(tree, entry["file"])) as file:
        text = file.read()
    for old in filter(None, (entry["old"], entry.get("old2"))):
        if text.count(old) != 1:
            lost.append(f"{entry['model']}: found {text.count(old)} times in {entry['file']}: {old}")
if lost:
    sys.exit("breaks.list: these texts have to stand exactly once:\n" + "\n".join(lost))

executable, said = build()
if not executable:
    sys.exit(said)
listed = subprocess.run([executable, "--list"], capture_output=True, text=True, check=True).stdout
models = re.findall(r"(?m)^(\S+): test$", listed)
unbroken = set(models) - {e["model"] for e in entries}
if unbroken:
    sys.exit(f"breaks.list: no entry for {', '.join(sorted(unbroken))}")
if subprocess.run([executable, "--exact"] + [e["model"] for e in chosen], stdout=subprocess.DEVNULL).returncode:
    sys.exit("a model fails on the core as it is")

print("| model | break | seen |\n|---|---|---|", flush=True)
missed = 0
for entry in chosen:
    path = os.path.join(tree, entry["file"])
    with open(path) as file:
        intact = file.read()
    with open(path, "w") as file:
        broken = intact.replace(entry["old"], entry["new"])
        file.write(broken.replace(entry["old2"], entry["new2"]) if "old2" in entry else broken)
    executable, said = build()
    if not executable:
        sys.exit(f"{entry['model']}: its break does not compile\n{said}")
    start = time.monotonic()
    failure = failure_of(executable, entry["model"])
    seconds = time.monotonic() - start
    missed += failure is None
    seen = f"fails in {seconds:.1f} s: {failure}" if failure else f"**NOT SEEN** in {seconds:.1f} s"
    print(f"| {entry['model']} | {entry['words']} | {seen} |", flush=True)
    with open(path, "w") as file:
        file.write(intact)
sys.exit(f"{missed} breaks were not seen" if missed else 0)
PYTHON
