"""Content blocks: a model's adapter, its streaming response, and chunks to and from deltas.

Chunks and deltas are sans-IO. Only :meth:`StreamingResponse.channel` needs an event loop's
library: anyio, the extra ``async``.
"""

from __future__ import annotations

from ..tables.losses import CHUNK_LOSSES, DELTA_LOSSES
from .chunks_to_deltas import ChunksToDeltas
from .collect import ChunkCollector, collect, collect_chunks
from .deltas_to_chunks import DeltasToChunks
from .streaming_response import (
    ChunkSender,
    ModelAdapter,
    ModelAdapterError,
    ReaderGone,
    StreamingResponse,
)

__all__ = [
    "CHUNK_LOSSES",
    "DELTA_LOSSES",
    "ChunkCollector",
    "ChunkSender",
    "ChunksToDeltas",
    "DeltasToChunks",
    "ModelAdapter",
    "ModelAdapterError",
    "ReaderGone",
    "StreamingResponse",
    "collect",
    "collect_chunks",
]
