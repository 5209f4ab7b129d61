"""Validate JSON Lines with jsonschema-rs, as one writes it: SCHEMA FILE [DECODER].

DECODER is json (the standard library's) or msgspec. Prints what is wrong with each invalid line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs

schema, file, decoder = [*sys.argv[1:], "json"][:3]
loads: Callable[[bytes], Any] = json.loads
if decoder == "msgspec":
    import msgspec

    loads = msgspec.json.Decoder().decode
validator = jsonschema_rs.validator_for(json.loads(Path(schema).read_bytes()))
is_valid = validator.is_valid
invalid = False
with Path(file).open("rb") as lines:
    for number, line in enumerate(lines, 1):
        document = loads(line)
        if not is_valid(document):
            invalid = True
            error = next(iter(validator.iter_errors(document)))
            print(f"{number}: {error.instance_path}: {error.message}")
sys.exit(invalid)
