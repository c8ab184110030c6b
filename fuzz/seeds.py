"""Makes the first inputs of the decoder's corpus from the test vectors: python3 seeds.py, from this folder."""

import pathlib

VECTORS = pathlib.Path("../tests/vectors")
CORPUS = pathlib.Path("corpus/decoder")


def records(path):
    for block in open(path, encoding="utf-8").read().split("\n\n"):
        lines = [l.partition(":") for l in block.splitlines() if l and not l.startswith("#")]
        if lines:
            yield [(key, value.strip()) for key, _, value in lines]


def unhex(text):
    parts = (group.partition("*") for group in text.split())
    return b"".join(bytes.fromhex(run) * int(times or 1) for run, _, times in parts)


CORPUS.mkdir(parents=True, exist_ok=True)
for kind in ("valid", "invalid", "streams", "messages", "conversations"):
    # max_frame 65,536; where there is no preface, one is put before it.
    setting = 2 if kind == "streams" else 2 | 4
    for number, record in enumerate(records(VECTORS / f"{kind}.txt")):
        name = dict(record).get("name", str(number)).replace(" ", "-").replace("/", "-")
        data = b"".join(unhex(value) for key, value in record if key in ("hex", "peer"))
        if len(data) <= 2000:
            (CORPUS / f"{kind}-{name}").write_bytes(bytes([setting, 37 * number % 256]) + data)
