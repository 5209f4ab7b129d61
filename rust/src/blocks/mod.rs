//! Content blocks as a stream: chunks to and from deltas, and chunks to a response.
//!
//! Everything here is for one stream, reads no clock and knows no network. A refused chunk or delta
//! is an error and changes nothing.

#[cfg(feature = "tokio")]
pub(crate) mod adapter;
mod chunk_state;
mod chunks_to_deltas;
mod collect;
mod deltas_to_chunks;
mod lanes;

pub use chunks_to_deltas::{ChunksToDeltas, ChunksToDeltasOptions};
pub use collect::{ChunkCollector, collect_chunks};
#[cfg(feature = "stream")]
pub use collect::{Collect, collect};
pub use deltas_to_chunks::DeltasToChunks;
