"""Hypothesis strategies for every type of every version, and for whole streams.

They are led by the schemas: a new type, member or enum value is drawn without a change here.
Wants the package hypothesis, which the extra ``testing`` brings.
"""

from .breaking import BrokenDocument, broken_documents
from .documents import documents, models, structs
from .stream_breaking import BrokenStream, broken_streams
from .streams import streams
from .values import json_objects, json_values

__all__ = [
    "BrokenDocument",
    "BrokenStream",
    "broken_documents",
    "broken_streams",
    "documents",
    "json_objects",
    "json_values",
    "models",
    "streams",
    "structs",
]
