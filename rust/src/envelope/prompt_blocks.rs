//! Prompt blocks: what their text holds, worked out only where it is asked for.
//!
//! Blocks are kept as they come: multi-line text or Base64. Nothing in a message distinguishes
//! the two, and many a word is Base64 of something, so nothing here guesses.

use crate::contract::current::envelope::PromptBlocksResponse;
use crate::envelope::is_space;
use crate::errors::{Error, Finding, clip_text};
use crate::json::base64::{decode, encode};

/// Returns `text` as Base64 of its UTF-8: standard alphabet, padded, in one line.
#[must_use]
pub fn encode_prompt_block(text: &str) -> String {
    encode(text.as_bytes())
}

/// Returns the text that a block of Base64 holds.
///
/// Lines may be folded and indented; padding is asked for, and the last character has no stray
/// bits. Fails with [`Error::Read`] `envelope/prompt-block` for what is not Base64 of UTF-8.
pub fn decode_prompt_block(text: &str) -> Result<String, Error> {
    let compact: String = text.chars().filter(|char| !is_space(*char)).collect();
    let Some(data) = decode(&compact) else {
        return Err(bad_block("The block is not Base64", "Base64, padded", text));
    };
    if encode(&data) != compact {
        return Err(bad_block("The last character of the block has stray bits", "Base64", text));
    }
    String::from_utf8(data).map_err(|cause| {
        let at = cause.utf8_error().valid_up_to();
        let message = format!("The block is Base64, but not of UTF-8: byte {at} of what it holds");
        bad_block(&message, "Base64 of UTF-8 text", text)
    })
}

/// Tells whether a block can be Base64: false is certain, true is not.
///
/// `edit` is a word, and Base64 of three bytes. Where this is false, the block is text.
#[must_use]
pub fn may_be_base64(text: &str) -> bool {
    decode_prompt_block(text).is_ok_and(|held| !held.is_empty())
}

/// Returns a response with all five blocks as Base64; the envelope stays.
#[must_use]
pub fn encode_prompt_blocks(response: &PromptBlocksResponse) -> PromptBlocksResponse {
    let mut made = response.clone();
    for (_, block) in blocks_of(&mut made) {
        *block = encode_prompt_block(block);
    }
    made
}

/// Returns a response with the text of all five blocks, which have to be Base64.
///
/// Fails as [`decode_prompt_block`]; the pointer names the block.
pub fn decode_prompt_blocks(
    response: &PromptBlocksResponse,
) -> Result<PromptBlocksResponse, Error> {
    let mut made = response.clone();
    for (pointer, block) in blocks_of(&mut made) {
        *block = decode_prompt_block(block).map_err(|error| {
            let mut found = error.findings().to_vec();
            for each in &mut found {
                pointer.clone_into(&mut each.pointer);
            }
            Error::Read(found)
        })?;
    }
    Ok(made)
}

fn blocks_of(response: &mut PromptBlocksResponse) -> [(&'static str, &mut String); 5] {
    [
        ("/system", &mut response.system),
        ("/task", &mut response.task),
        ("/allowed_tools", &mut response.allowed_tools),
        ("/context_data", &mut response.context_data),
        ("/instruction", &mut response.instruction),
    ]
}

fn bad_block(message: &str, expected: &str, text: &str) -> Error {
    let finding = Finding::error("envelope/prompt-block", "", message);
    Error::Read(vec![finding.expected(expected).actual(clip_text(text))])
}
