# Generated from schemas/catalog.json.
# Do not edit: change the catalog, then run `python -m codegen`.

"""The types of the current version as structs: names that stay when the version changes.

``from partwire.types import Message, TextPart``. A name that several families have is that of the
first of message, session, blocks, envelope. The others are at their family: ``from partwire.types
import session``, then ``session.TextPart``, by the name that the type has everywhere.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from ..contract.current import blocks as blocks
    from ..contract.current import envelope as envelope
    from ..contract.current import message as message
    from ..contract.current import session as session
    from ..contract.current.blocks import ContentBlock as ContentBlock
    from ..contract.current.blocks import ContentBlockDeltaChunk as ContentBlockDeltaChunk
    from ..contract.current.blocks import ContentBlockStartChunk as ContentBlockStartChunk
    from ..contract.current.blocks import ContentBlockStopChunk as ContentBlockStopChunk
    from ..contract.current.blocks import ErrorChunk as ErrorChunk
    from ..contract.current.blocks import ImageBlock as ImageBlock
    from ..contract.current.blocks import MessageContent as MessageContent
    from ..contract.current.blocks import MessageStopChunk as MessageStopChunk
    from ..contract.current.blocks import ModelResponse as ModelResponse
    from ..contract.current.blocks import StreamChunk as StreamChunk
    from ..contract.current.blocks import TextBlock as TextBlock
    from ..contract.current.blocks import TokenUsage as TokenUsage
    from ..contract.current.blocks import ToolResultBlock as ToolResultBlock
    from ..contract.current.blocks import ToolResultBlockContent as ToolResultBlockContent
    from ..contract.current.blocks import ToolResultContentBlock as ToolResultContentBlock
    from ..contract.current.blocks import ToolUseBlock as ToolUseBlock
    from ..contract.current.blocks import ToolUseChunk as ToolUseChunk
    from ..contract.current.envelope import Envelope as Envelope
    from ..contract.current.envelope import EvaluationRequest as EvaluationRequest
    from ..contract.current.envelope import EvaluationResponse as EvaluationResponse
    from ..contract.current.envelope import GetContextRequest as GetContextRequest
    from ..contract.current.envelope import MessageType as MessageType
    from ..contract.current.envelope import PromptBlocksResponse as PromptBlocksResponse
    from ..contract.current.envelope import ReportResultRequest as ReportResultRequest
    from ..contract.current.envelope import RetryEvent as RetryEvent
    from ..contract.current.envelope import SchemaVersion as SchemaVersion
    from ..contract.current.envelope import SentAt as SentAt
    from ..contract.current.envelope import TaskEvent as TaskEvent
    from ..contract.current.envelope import ToolCallRequest as ToolCallRequest
    from ..contract.current.envelope import ToolCallResponse as ToolCallResponse
    from ..contract.current.envelope import ToolError as ToolError
    from ..contract.current.envelope import TraceId as TraceId
    from ..contract.current.message import AgentName as AgentName
    from ..contract.current.message import ApprovalChoice as ApprovalChoice
    from ..contract.current.message import ApprovalDecision as ApprovalDecision
    from ..contract.current.message import ApprovalId as ApprovalId
    from ..contract.current.message import ApprovalRequest as ApprovalRequest
    from ..contract.current.message import ApprovalRequestDelta as ApprovalRequestDelta
    from ..contract.current.message import ApprovalRequestPart as ApprovalRequestPart
    from ..contract.current.message import ApprovalResponse as ApprovalResponse
    from ..contract.current.message import ApprovalResponsePart as ApprovalResponsePart
    from ..contract.current.message import Author as Author
    from ..contract.current.message import Base64 as Base64
    from ..contract.current.message import CacheConfig as CacheConfig
    from ..contract.current.message import Citation as Citation
    from ..contract.current.message import CitationLocator as CitationLocator
    from ..contract.current.message import CitationSource as CitationSource
    from ..contract.current.message import CitationSourceKind as CitationSourceKind
    from ..contract.current.message import DoneDelta as DoneDelta
    from ..contract.current.message import DoneDeltaPayload as DoneDeltaPayload
    from ..contract.current.message import ErrorCode as ErrorCode
    from ..contract.current.message import ErrorDelta as ErrorDelta
    from ..contract.current.message import ErrorDeltaPayload as ErrorDeltaPayload
    from ..contract.current.message import FileRefPart as FileRefPart
    from ..contract.current.message import FileRefPayload as FileRefPayload
    from ..contract.current.message import FinishReason as FinishReason
    from ..contract.current.message import ImagePart as ImagePart
    from ..contract.current.message import ImagePayload as ImagePayload
    from ..contract.current.message import Incomplete as Incomplete
    from ..contract.current.message import InlineSource as InlineSource
    from ..contract.current.message import JsonObject as JsonObject
    from ..contract.current.message import LocatorUnit as LocatorUnit
    from ..contract.current.message import MediaDataDelta as MediaDataDelta
    from ..contract.current.message import MediaDataDeltaPayload as MediaDataDeltaPayload
    from ..contract.current.message import MediaEndDelta as MediaEndDelta
    from ..contract.current.message import MediaEndDeltaPayload as MediaEndDeltaPayload
    from ..contract.current.message import MediaId as MediaId
    from ..contract.current.message import MediaPart as MediaPart
    from ..contract.current.message import MediaPayload as MediaPayload
    from ..contract.current.message import MediaSource as MediaSource
    from ..contract.current.message import MediaStartDelta as MediaStartDelta
    from ..contract.current.message import MediaStartDeltaPayload as MediaStartDeltaPayload
    from ..contract.current.message import Message as Message
    from ..contract.current.message import MessageDelta as MessageDelta
    from ..contract.current.message import MessageId as MessageId
    from ..contract.current.message import MessageMeta as MessageMeta
    from ..contract.current.message import MessagePart as MessagePart
    from ..contract.current.message import ModelConfig as ModelConfig
    from ..contract.current.message import ModelInfo as ModelInfo
    from ..contract.current.message import Opaque as Opaque
    from ..contract.current.message import Outcome as Outcome
    from ..contract.current.message import ProviderFinishReason as ProviderFinishReason
    from ..contract.current.message import RefSource as RefSource
    from ..contract.current.message import RequestMetadata as RequestMetadata
    from ..contract.current.message import Role as Role
    from ..contract.current.message import RunId as RunId
    from ..contract.current.message import Seq as Seq
    from ..contract.current.message import ServerToolCallArgsDelta as ServerToolCallArgsDelta
    from ..contract.current.message import ServerToolCallEndDelta as ServerToolCallEndDelta
    from ..contract.current.message import ServerToolCallPart as ServerToolCallPart
    from ..contract.current.message import ServerToolCallStartDelta as ServerToolCallStartDelta
    from ..contract.current.message import ServerToolResult as ServerToolResult
    from ..contract.current.message import ServerToolResultDelta as ServerToolResultDelta
    from ..contract.current.message import ServerToolResultPart as ServerToolResultPart
    from ..contract.current.message import SpecificTool as SpecificTool
    from ..contract.current.message import StartDelta as StartDelta
    from ..contract.current.message import StartDeltaPayload as StartDeltaPayload
    from ..contract.current.message import StopSequence as StopSequence
    from ..contract.current.message import StructuredValue as StructuredValue
    from ..contract.current.message import TextCitationDelta as TextCitationDelta
    from ..contract.current.message import TextCitationDeltaPayload as TextCitationDeltaPayload
    from ..contract.current.message import TextDelta as TextDelta
    from ..contract.current.message import TextDeltaPayload as TextDeltaPayload
    from ..contract.current.message import TextFormat as TextFormat
    from ..contract.current.message import TextPart as TextPart
    from ..contract.current.message import TextPayload as TextPayload
    from ..contract.current.message import ThinkingDelta as ThinkingDelta
    from ..contract.current.message import ThinkingDeltaPayload as ThinkingDeltaPayload
    from ..contract.current.message import ThinkingPart as ThinkingPart
    from ..contract.current.message import ThinkingPayload as ThinkingPayload
    from ..contract.current.message import Timestamp as Timestamp
    from ..contract.current.message import ToolCall as ToolCall
    from ..contract.current.message import ToolCallArgsDelta as ToolCallArgsDelta
    from ..contract.current.message import ToolCallArgsDeltaPayload as ToolCallArgsDeltaPayload
    from ..contract.current.message import ToolCallEndDelta as ToolCallEndDelta
    from ..contract.current.message import ToolCallEndDeltaPayload as ToolCallEndDeltaPayload
    from ..contract.current.message import ToolCallId as ToolCallId
    from ..contract.current.message import ToolCallParseError as ToolCallParseError
    from ..contract.current.message import ToolCallPart as ToolCallPart
    from ..contract.current.message import ToolCallPayload as ToolCallPayload
    from ..contract.current.message import ToolCallStartDelta as ToolCallStartDelta
    from ..contract.current.message import ToolCallStartDeltaPayload as ToolCallStartDeltaPayload
    from ..contract.current.message import ToolChoice as ToolChoice
    from ..contract.current.message import ToolChoiceMode as ToolChoiceMode
    from ..contract.current.message import ToolName as ToolName
    from ..contract.current.message import ToolResult as ToolResult
    from ..contract.current.message import ToolResultContent as ToolResultContent
    from ..contract.current.message import ToolResultContentPart as ToolResultContentPart
    from ..contract.current.message import ToolResultPart as ToolResultPart
    from ..contract.current.message import ToolSpec as ToolSpec
    from ..contract.current.message import TurnId as TurnId
    from ..contract.current.message import UrlSource as UrlSource
    from ..contract.current.message import UsageDelta as UsageDelta
    from ..contract.current.message import UsageSummary as UsageSummary
    from ..contract.current.message import WarningDelta as WarningDelta
    from ..contract.current.message import WarningDeltaPayload as WarningDeltaPayload
    from ..contract.current.session import AssistantInfo as AssistantInfo
    from ..contract.current.session import CacheTokenStats as CacheTokenStats
    from ..contract.current.session import FileDiff as FileDiff
    from ..contract.current.session import FilePart as FilePart
    from ..contract.current.session import FilePartSource as FilePartSource
    from ..contract.current.session import FileSource as FileSource
    from ..contract.current.session import InvalidStateTransitionDetails as InvalidStateTransitionDetails
    from ..contract.current.session import InvalidStateTransitionError as InvalidStateTransitionError
    from ..contract.current.session import MessageInfo as MessageInfo
    from ..contract.current.session import MessagePath as MessagePath
    from ..contract.current.session import MessageTime as MessageTime
    from ..contract.current.session import ModelRef as ModelRef
    from ..contract.current.session import Part as Part
    from ..contract.current.session import ReasoningPart as ReasoningPart
    from ..contract.current.session import ReasoningTime as ReasoningTime
    from ..contract.current.session import ResourceSource as ResourceSource
    from ..contract.current.session import SourcePosition as SourcePosition
    from ..contract.current.session import SourceRange as SourceRange
    from ..contract.current.session import SourceText as SourceText
    from ..contract.current.session import StepFinishPart as StepFinishPart
    from ..contract.current.session import StepStartPart as StepStartPart
    from ..contract.current.session import SymbolSource as SymbolSource
    from ..contract.current.session import TextTime as TextTime
    from ..contract.current.session import TokenStats as TokenStats
    from ..contract.current.session import ToolApproval as ToolApproval
    from ..contract.current.session import ToolApprovalChoice as ToolApprovalChoice
    from ..contract.current.session import ToolApprovalTime as ToolApprovalTime
    from ..contract.current.session import ToolCompletedTime as ToolCompletedTime
    from ..contract.current.session import ToolEndTime as ToolEndTime
    from ..contract.current.session import ToolPart as ToolPart
    from ..contract.current.session import ToolStartTime as ToolStartTime
    from ..contract.current.session import ToolState as ToolState
    from ..contract.current.session import ToolStateAwaitingApproval as ToolStateAwaitingApproval
    from ..contract.current.session import ToolStateCompleted as ToolStateCompleted
    from ..contract.current.session import ToolStateDenied as ToolStateDenied
    from ..contract.current.session import ToolStateError as ToolStateError
    from ..contract.current.session import ToolStatePending as ToolStatePending
    from ..contract.current.session import ToolStateRunning as ToolStateRunning
    from ..contract.current.session import ToolStatus as ToolStatus
    from ..contract.current.session import ToolSwitches as ToolSwitches
    from ..contract.current.session import UserInfo as UserInfo
    from ..contract.current.session import UserSummary as UserSummary
    from ..contract.current.session import Uuid as Uuid
    from ..contract.current.session import ValidationFinding as ValidationFinding
    from ..contract.current.session import ValidationResult as ValidationResult
    from ..contract.current.session import WithParts as WithParts

_HOMES = {
    "blocks": (
        "ContentBlock",
        "ContentBlockDeltaChunk",
        "ContentBlockStartChunk",
        "ContentBlockStopChunk",
        "ErrorChunk",
        "ImageBlock",
        "MessageContent",
        "MessageStopChunk",
        "ModelResponse",
        "StreamChunk",
        "TextBlock",
        "TokenUsage",
        "ToolResultBlock",
        "ToolResultBlockContent",
        "ToolResultContentBlock",
        "ToolUseBlock",
        "ToolUseChunk",
    ),
    "envelope": (
        "Envelope",
        "EvaluationRequest",
        "EvaluationResponse",
        "GetContextRequest",
        "MessageType",
        "PromptBlocksResponse",
        "ReportResultRequest",
        "RetryEvent",
        "SchemaVersion",
        "SentAt",
        "TaskEvent",
        "ToolCallRequest",
        "ToolCallResponse",
        "ToolError",
        "TraceId",
    ),
    "message": (
        "AgentName",
        "ApprovalChoice",
        "ApprovalDecision",
        "ApprovalId",
        "ApprovalRequest",
        "ApprovalRequestDelta",
        "ApprovalRequestPart",
        "ApprovalResponse",
        "ApprovalResponsePart",
        "Author",
        "Base64",
        "CacheConfig",
        "Citation",
        "CitationLocator",
        "CitationSource",
        "CitationSourceKind",
        "DoneDelta",
        "DoneDeltaPayload",
        "ErrorCode",
        "ErrorDelta",
        "ErrorDeltaPayload",
        "FileRefPart",
        "FileRefPayload",
        "FinishReason",
        "ImagePart",
        "ImagePayload",
        "Incomplete",
        "InlineSource",
        "JsonObject",
        "LocatorUnit",
        "MediaDataDelta",
        "MediaDataDeltaPayload",
        "MediaEndDelta",
        "MediaEndDeltaPayload",
        "MediaId",
        "MediaPart",
        "MediaPayload",
        "MediaSource",
        "MediaStartDelta",
        "MediaStartDeltaPayload",
        "Message",
        "MessageDelta",
        "MessageId",
        "MessageMeta",
        "MessagePart",
        "ModelConfig",
        "ModelInfo",
        "Opaque",
        "Outcome",
        "ProviderFinishReason",
        "RefSource",
        "RequestMetadata",
        "Role",
        "RunId",
        "Seq",
        "ServerToolCallArgsDelta",
        "ServerToolCallEndDelta",
        "ServerToolCallPart",
        "ServerToolCallStartDelta",
        "ServerToolResult",
        "ServerToolResultDelta",
        "ServerToolResultPart",
        "SpecificTool",
        "StartDelta",
        "StartDeltaPayload",
        "StopSequence",
        "StructuredValue",
        "TextCitationDelta",
        "TextCitationDeltaPayload",
        "TextDelta",
        "TextDeltaPayload",
        "TextFormat",
        "TextPart",
        "TextPayload",
        "ThinkingDelta",
        "ThinkingDeltaPayload",
        "ThinkingPart",
        "ThinkingPayload",
        "Timestamp",
        "ToolCall",
        "ToolCallArgsDelta",
        "ToolCallArgsDeltaPayload",
        "ToolCallEndDelta",
        "ToolCallEndDeltaPayload",
        "ToolCallId",
        "ToolCallParseError",
        "ToolCallPart",
        "ToolCallPayload",
        "ToolCallStartDelta",
        "ToolCallStartDeltaPayload",
        "ToolChoice",
        "ToolChoiceMode",
        "ToolName",
        "ToolResult",
        "ToolResultContent",
        "ToolResultContentPart",
        "ToolResultPart",
        "ToolSpec",
        "TurnId",
        "UrlSource",
        "UsageDelta",
        "UsageSummary",
        "WarningDelta",
        "WarningDeltaPayload",
    ),
    "session": (
        "AssistantInfo",
        "CacheTokenStats",
        "FileDiff",
        "FilePart",
        "FilePartSource",
        "FileSource",
        "InvalidStateTransitionDetails",
        "InvalidStateTransitionError",
        "MessageInfo",
        "MessagePath",
        "MessageTime",
        "ModelRef",
        "Part",
        "ReasoningPart",
        "ReasoningTime",
        "ResourceSource",
        "SourcePosition",
        "SourceRange",
        "SourceText",
        "StepFinishPart",
        "StepStartPart",
        "SymbolSource",
        "TextTime",
        "TokenStats",
        "ToolApproval",
        "ToolApprovalChoice",
        "ToolApprovalTime",
        "ToolCompletedTime",
        "ToolEndTime",
        "ToolPart",
        "ToolStartTime",
        "ToolState",
        "ToolStateAwaitingApproval",
        "ToolStateCompleted",
        "ToolStateDenied",
        "ToolStateError",
        "ToolStatePending",
        "ToolStateRunning",
        "ToolStatus",
        "ToolSwitches",
        "UserInfo",
        "UserSummary",
        "Uuid",
        "ValidationFinding",
        "ValidationResult",
        "WithParts",
    ),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES, "partwire.contract.current")
