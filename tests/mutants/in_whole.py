"""Assemblers that are wrong about citations, server tools, approvals, media and warnings."""

from __future__ import annotations

from base64 import b64decode, b64encode

from tests.mutants.assembler import Assembler, Json
from tests.mutants.in_limits import without
from tests.mutants.in_parts import TextIsCut
from tests.mutants.mutant import fails
from tests.mutants.sizes import nesting, refuse, weight_of

# --- citations --------------------------------------------------------------------------------


@fails("BLK-24")
class CitationsAreDropped(Assembler):
    """What has no text is dropped while streaming."""

    def on_text_citation(self, delta: Json, payload: Json) -> None:
        self.cited(payload)


@fails("BLK-24")
class ACitationCutsItsText(TextIsCut):
    """Text behind a citation begins a new part."""

    def on_text_citation(self, delta: Json, payload: Json) -> None:
        super().on_text_citation(delta, payload)
        self.cut()


@fails("BLK-24")
class ACitationIsOfTheLastPart(Assembler):
    """A citation goes to the last part, and is lost where that is not a text."""

    def cited(self, payload: Json) -> Json:
        found = super().cited(payload)
        return found if found is self.slots[-1] or "partIndex" in payload else {}


@fails("BLK-24")
class ACitationCountsTexts(Assembler):
    """The index of a citation counts texts alone."""

    def cited(self, payload: Json) -> Json:
        texts = [slot for slot in self.slots if slot["kind"] == "text"]
        place = payload.get("partIndex", -1)
        return texts[place] if place < len(texts) else super().cited(payload)


@fails("BLK-24")
class TheSameCitationIsKeptOnce(Assembler):
    """A citation that came before is taken for a repeat."""

    def on_text_citation(self, delta: Json, payload: Json) -> None:
        if payload["citation"] not in self.cited(payload).get("citations", ()):
            super().on_text_citation(delta, payload)


# --- server tools and approvals ---------------------------------------------------------------


@fails("TCI-18")
class ServerCallsAreTheCallers(Assembler):
    """A call that the provider has run is run by the caller again."""

    def part(self, slot: Json) -> Json:
        found = super().part(slot)
        return {**found, "kind": found["kind"].removeprefix("server_")}


@fails("TCI-18")
class ServerCallsLookLikeTheCallers(Assembler):
    """Who sees an open call cannot tell who runs it."""

    def progress(self) -> Json:
        found = super().progress()
        for call in found["openCalls"]:
            call.pop("isServer", None)
        return found


@fails("TCI-16")
class EitherKindOfPieceFits(Assembler):
    """A piece goes to the call of its id, whoever runs that."""

    def check_kind(self, delta: Json) -> None:
        pass


@fails("TCI-06")
class AResultMayComeTwice(Assembler):
    """A second result of a call is kept beside the first."""

    def payloads_of(self, kind: str, member: str) -> list[str]:
        return [] if kind == "server_tool_result" else super().payloads_of(kind, member)


@fails("TCI-18")
class AnApprovalMayBeAskedTwice(Assembler):
    """Two requests share an id, and one approval sets both free."""

    def payloads_of(self, kind: str, member: str) -> list[str]:
        return [] if kind == "approval_request" else super().payloads_of(kind, member)


@fails("ORD-09")
class HalfACallIsAskedAbout(Assembler):
    """A call waits for approval before its arguments are whole."""

    def check_ended(self, call_id: str) -> None:
        pass


@fails("ORD-19")
class AnyCallIsAskedAbout(Assembler):
    """A request for approval may name a call that never began."""

    def on_approval_request(self, delta: Json, payload: Json) -> None:
        added = payload["toolCallId"] not in self.calls
        self.calls.setdefault(payload["toolCallId"], {"open": False})
        try:
            super().on_approval_request(delta, payload)
        finally:
            if added:
                del self.calls[payload["toolCallId"]]


# --- media ------------------------------------------------------------------------------------


@fails("BLK-28")
class MediaIsItsFirstPiece(Assembler):
    """Of media the first piece is kept, and the rest is dropped."""

    def joined(self, slot: Json, payload: Json) -> bytes:
        return slot["bytes"] or super().joined(slot, payload)


@fails("ORD-18")
class MediaOnlyGrows(Assembler):
    """Bytes that replace others are appended to them."""

    def joined(self, slot: Json, payload: Json) -> bytes:
        before = slot["bytes"] if "data" in payload else b""
        return before + super().joined(slot, payload)


@fails("BLK-28")
class LettersAreJoined(Assembler):
    """Pieces of Base64 are joined as text, and what is behind the first padding is lost."""

    def joined(self, slot: Json, payload: Json) -> bytes:
        letters = b64encode(slot["bytes"]).decode()
        if letters.endswith("=") and "data" not in payload:
            return b64decode(letters)
        return super().joined(slot, payload)


@fails("BLK-28")
class MediaIsShownBeforeItsEnd(Assembler):
    """Half an image is shown as an image."""

    def snapshot(self) -> Json:
        opened = [slot for slot in self.media.values() if slot["open"]]
        for slot in opened:
            slot |= {"open": False, "end": {}}
        try:
            return super().snapshot()
        finally:
            for slot in opened:
                slot["open"] = True


@fails("ORD-16")
class OpenMediaIsForgotten(Assembler):
    """Nobody hears of media that a cut stream left open."""

    def message(self) -> Json:
        found = super().message()
        found["meta"].get("incomplete", {}).pop("openMediaIds", None)
        return found


@fails("ORD-12")
class BytesCountBesideTheirSource(Assembler):
    """Media that was put elsewhere is stored with its bytes."""

    def on_media_end(self, delta: Json, payload: Json) -> None:
        apart = {"source"} if self.open_media(payload["mediaId"])["bytes"] else set()
        kept = {name: value for name, value in payload.items() if name not in apart}
        super().on_media_end(delta, kept)


# --- warnings, author and format --------------------------------------------------------------


@fails("FIN-09")
class ALaterWarningReplaces(Assembler):
    """A later warning takes the place of the one before."""

    def on_warning(self, delta: Json, payload: Json) -> None:
        super().on_warning(delta, payload)
        del self.warnings[:-1]


@fails("BLK-26")
class WarningsAreRepeated(Assembler):
    """A warning that each chunk repeats is written each time."""

    def on_warning(self, delta: Json, payload: Json) -> None:
        self.payloads.append(self.check_payload(payload))
        self.warnings.append(payload)


@fails("BLK-26")
class WarningsAreTheirCodes(Assembler):
    """A warning with the code of another one is taken for a repeat."""

    def on_warning(self, delta: Json, payload: Json) -> None:
        if payload["code"] not in [each["code"] for each in self.warnings]:
            super().on_warning(delta, payload)


@fails("BLK-02")
class AWarningCutsText(TextIsCut):
    """Text behind a warning begins a new part."""

    def on_warning(self, delta: Json, payload: Json) -> None:
        super().on_warning(delta, payload)
        self.cut()


@fails("ORD-12")
class SnapshotsHaveNoAuthor(Assembler):
    """Who wrote a message is known when it is finished."""

    def snapshot(self) -> Json:
        found = super().snapshot()
        if not self.end:
            found.pop("author", None)
        return found


@fails("BLK-20")
class OnlyTheFirstTextHasAFormat(Assembler):
    """The format of a stream is that of its first text."""

    def part(self, slot: Json) -> Json:
        found = super().part(slot)
        first = next((each for each in self.slots if each["kind"] == "text"), None)
        if slot is not first:
            found["payload"].pop("format", None)
        return found


@fails("ARG-13")
class ASentenceIsGuessedAway(Assembler):
    """What stands around a value is guessed away."""

    def value_of(self, text: str) -> Json:
        begin = text.find("{")
        return super().value_of(text[max(begin, 0) : text.rfind("}") + 1 or None])


@fails("ARG-12")
class ANumberShowsEarly(Assembler):
    """A value is taken for complete as soon as its text happens to be valid JSON."""

    def value_of(self, text: str) -> Json:
        return super().value_of(text + " ")


# --- limits -----------------------------------------------------------------------------------


@fails("PRF-06")
class PayloadsWithoutEnd(Assembler):
    """Citations and warnings grow until memory is full."""

    check_limit = without("payload_bytes")


@fails("PRF-09")
class PayloadsOfAnyDepth(Assembler):
    """Results nested without end overflow the stack of whoever walks them."""

    check_limit = without("payload_depth")


@fails("PRF-06")
class MediaWithoutEnd(Assembler):
    """Media grows until memory is full."""

    check_limit = without("media_bytes")


@fails("PRF-06")
class PathsWithoutEnd(Assembler):
    """The path to an agent has any length."""

    check_limit = without("agents")


@fails("PRF-06")
class PiecesOfMediaAreCounted(Assembler):
    """Media counts the letters of its pieces, and each cut of it counts another."""

    def on_media_data(self, delta: Json, payload: Json) -> None:
        slot = self.open_media(payload["mediaId"])
        letters = slot.get("letters", 0) + len(payload.get("dataDelta", ""))
        self.check_limit("media_bytes", letters)
        super().on_media_data(delta, payload)
        slot["letters"] = letters


@fails("PRF-06")
class ReplacedMediaCountsOn(Assembler):
    """Bytes that others took the place of are counted for ever."""

    held: int = 0

    def check_media(self, slot: Json, data: bytes) -> None:
        super().check_media(slot, data)
        self.held += len(b64encode(data)) if data is not slot["bytes"] else 0
        self.check_limit("media_bytes", self.held)


@fails("PRF-06")
class WordsInMediaAreFree(Assembler):
    """What is said in media is not counted."""

    def on_media_data(self, delta: Json, payload: Json) -> None:
        text = payload.get("transcriptDelta", "")
        super().on_media_data(delta, {**payload, "transcriptDelta": ""})
        self.media[payload["mediaId"]]["text"] += text


@fails("PRF-06")
class RepeatedWarningsCount(Assembler):
    """A warning that is not written again is counted again."""

    def on_warning(self, delta: Json, payload: Json) -> None:
        if payload in self.warnings:
            self.payloads.append(self.check_payload(payload))
        super().on_warning(delta, payload)


@fails("BLK-11")
class PayloadDepthComesBeforeBytes(Assembler):
    """A payload is looked at to its ground before anything is counted."""

    def check_payload(self, payload: Json, *apart: str) -> Json:
        self.check_limit("payload_depth", nesting(payload))
        return super().check_payload(payload, *apart)


@fails("BLK-11")
class PayloadBytesComeBeforeDepth(Assembler):
    """All of a payload is counted before anybody looks how deep it is."""

    def check_payload(self, payload: Json, *apart: str) -> Json:
        counted = {name: value for name, value in payload.items() if name not in apart}
        self.check_limit("payload_bytes", sum(map(weight_of, [*self.payloads, counted])))
        return super().check_payload(payload, *apart)


@fails("BLK-11")
class OpaqueDataOfResultsIsApart(Assembler):
    """Opaque data of a result is not counted with it."""

    def check_payload(self, payload: Json, *apart: str) -> Json:
        return super().check_payload(payload, "opaque", *apart)


@fails("TCI-18")
class TheApprovalComesBeforeTheCall(Assembler):
    """Of a request whose id and call are wrong, the id is named."""

    def check_ended(self, call_id: str) -> None:
        if self.asked in self.payloads_of("approval_request", "approvalId"):
            refuse("stream/duplicate-approval")
        super().check_ended(call_id)

    asked: str = ""

    def on_approval_request(self, delta: Json, payload: Json) -> None:
        self.asked = payload["approvalId"]
        super().on_approval_request(delta, payload)
