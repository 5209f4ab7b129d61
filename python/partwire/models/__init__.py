# Generated from schemas/catalog.json.
# Do not edit: change the catalog, then run `python -m codegen`.

"""The types of the current version as pydantic models, by the names of :mod:`partwire.types`.

``from partwire.models import Message, TextPart``. Pydantic comes with the extra ``models``.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from ..contract.current.models import blocks as blocks
    from ..contract.current.models import envelope as envelope
    from ..contract.current.models import message as message
    from ..contract.current.models import session as session
    from ..contract.current.models.blocks import ContentBlock as ContentBlock
    from ..contract.current.models.blocks import ContentBlockDeltaChunk as ContentBlockDeltaChunk
    from ..contract.current.models.blocks import ContentBlockStartChunk as ContentBlockStartChunk
    from ..contract.current.models.blocks import ContentBlockStopChunk as ContentBlockStopChunk
    from ..contract.current.models.blocks import ErrorChunk as ErrorChunk
    from ..contract.current.models.blocks import ImageBlock as ImageBlock
    from ..contract.current.models.blocks import MessageContent as MessageContent
    from ..contract.current.models.blocks import MessageStopChunk as MessageStopChunk
    from ..contract.current.models.blocks import ModelResponse as ModelResponse
    from ..contract.current.models.blocks import StreamChunk as StreamChunk
    from ..contract.current.models.blocks import TextBlock as TextBlock
    from ..contract.current.models.blocks import TokenUsage as TokenUsage
    from ..contract.current.models.blocks import ToolResultBlock as ToolResultBlock
    from ..contract.current.models.blocks import ToolResultBlockContent as ToolResultBlockContent
    from ..contract.current.models.blocks import ToolResultContentBlock as ToolResultContentBlock
    from ..contract.current.models.blocks import ToolUseBlock as ToolUseBlock
    from ..contract.current.models.blocks import ToolUseChunk as ToolUseChunk
    from ..contract.current.models.envelope import Envelope as Envelope
    from ..contract.current.models.envelope import EvaluationRequest as EvaluationRequest
    from ..contract.current.models.envelope import EvaluationResponse as EvaluationResponse
    from ..contract.current.models.envelope import GetContextRequest as GetContextRequest
    from ..contract.current.models.envelope import MessageType as MessageType
    from ..contract.current.models.envelope import PromptBlocksResponse as PromptBlocksResponse
    from ..contract.current.models.envelope import ReportResultRequest as ReportResultRequest
    from ..contract.current.models.envelope import RetryEvent as RetryEvent
    from ..contract.current.models.envelope import SchemaVersion as SchemaVersion
    from ..contract.current.models.envelope import SentAt as SentAt
    from ..contract.current.models.envelope import TaskEvent as TaskEvent
    from ..contract.current.models.envelope import ToolCallRequest as ToolCallRequest
    from ..contract.current.models.envelope import ToolCallResponse as ToolCallResponse
    from ..contract.current.models.envelope import ToolError as ToolError
    from ..contract.current.models.envelope import TraceId as TraceId
    from ..contract.current.models.message import AgentName as AgentName
    from ..contract.current.models.message import ApprovalChoice as ApprovalChoice
    from ..contract.current.models.message import ApprovalDecision as ApprovalDecision
    from ..contract.current.models.message import ApprovalId as ApprovalId
    from ..contract.current.models.message import ApprovalRequest as ApprovalRequest
    from ..contract.current.models.message import ApprovalRequestDelta as ApprovalRequestDelta
    from ..contract.current.models.message import ApprovalRequestPart as ApprovalRequestPart
    from ..contract.current.models.message import ApprovalResponse as ApprovalResponse
    from ..contract.current.models.message import ApprovalResponsePart as ApprovalResponsePart
    from ..contract.current.models.message import Author as Author
    from ..contract.current.models.message import Base64 as Base64
    from ..contract.current.models.message import CacheConfig as CacheConfig
    from ..contract.current.models.message import Citation as Citation
    from ..contract.current.models.message import CitationLocator as CitationLocator
    from ..contract.current.models.message import CitationSource as CitationSource
    from ..contract.current.models.message import CitationSourceKind as CitationSourceKind
    from ..contract.current.models.message import DoneDelta as DoneDelta
    from ..contract.current.models.message import DoneDeltaPayload as DoneDeltaPayload
    from ..contract.current.models.message import ErrorCode as ErrorCode
    from ..contract.current.models.message import ErrorDelta as ErrorDelta
    from ..contract.current.models.message import ErrorDeltaPayload as ErrorDeltaPayload
    from ..contract.current.models.message import FileRefPart as FileRefPart
    from ..contract.current.models.message import FileRefPayload as FileRefPayload
    from ..contract.current.models.message import FinishReason as FinishReason
    from ..contract.current.models.message import ImagePart as ImagePart
    from ..contract.current.models.message import ImagePayload as ImagePayload
    from ..contract.current.models.message import Incomplete as Incomplete
    from ..contract.current.models.message import InlineSource as InlineSource
    from ..contract.current.models.message import JsonObject as JsonObject
    from ..contract.current.models.message import LocatorUnit as LocatorUnit
    from ..contract.current.models.message import MediaDataDelta as MediaDataDelta
    from ..contract.current.models.message import MediaDataDeltaPayload as MediaDataDeltaPayload
    from ..contract.current.models.message import MediaEndDelta as MediaEndDelta
    from ..contract.current.models.message import MediaEndDeltaPayload as MediaEndDeltaPayload
    from ..contract.current.models.message import MediaId as MediaId
    from ..contract.current.models.message import MediaPart as MediaPart
    from ..contract.current.models.message import MediaPayload as MediaPayload
    from ..contract.current.models.message import MediaSource as MediaSource
    from ..contract.current.models.message import MediaStartDelta as MediaStartDelta
    from ..contract.current.models.message import MediaStartDeltaPayload as MediaStartDeltaPayload
    from ..contract.current.models.message import Message as Message
    from ..contract.current.models.message import MessageDelta as MessageDelta
    from ..contract.current.models.message import MessageId as MessageId
    from ..contract.current.models.message import MessageMeta as MessageMeta
    from ..contract.current.models.message import MessagePart as MessagePart
    from ..contract.current.models.message import ModelConfig as ModelConfig
    from ..contract.current.models.message import ModelInfo as ModelInfo
    from ..contract.current.models.message import Opaque as Opaque
    from ..contract.current.models.message import Outcome as Outcome
    from ..contract.current.models.message import ProviderFinishReason as ProviderFinishReason
    from ..contract.current.models.message import RefSource as RefSource
    from ..contract.current.models.message import RequestMetadata as RequestMetadata
    from ..contract.current.models.message import Role as Role
    from ..contract.current.models.message import RunId as RunId
    from ..contract.current.models.message import Seq as Seq
    from ..contract.current.models.message import ServerToolCallArgsDelta as ServerToolCallArgsDelta
    from ..contract.current.models.message import ServerToolCallEndDelta as ServerToolCallEndDelta
    from ..contract.current.models.message import ServerToolCallPart as ServerToolCallPart
    from ..contract.current.models.message import ServerToolCallStartDelta as ServerToolCallStartDelta
    from ..contract.current.models.message import ServerToolResult as ServerToolResult
    from ..contract.current.models.message import ServerToolResultDelta as ServerToolResultDelta
    from ..contract.current.models.message import ServerToolResultPart as ServerToolResultPart
    from ..contract.current.models.message import SpecificTool as SpecificTool
    from ..contract.current.models.message import StartDelta as StartDelta
    from ..contract.current.models.message import StartDeltaPayload as StartDeltaPayload
    from ..contract.current.models.message import StopSequence as StopSequence
    from ..contract.current.models.message import StructuredValue as StructuredValue
    from ..contract.current.models.message import TextCitationDelta as TextCitationDelta
    from ..contract.current.models.message import TextCitationDeltaPayload as TextCitationDeltaPayload
    from ..contract.current.models.message import TextDelta as TextDelta
    from ..contract.current.models.message import TextDeltaPayload as TextDeltaPayload
    from ..contract.current.models.message import TextFormat as TextFormat
    from ..contract.current.models.message import TextPart as TextPart
    from ..contract.current.models.message import TextPayload as TextPayload
    from ..contract.current.models.message import ThinkingDelta as ThinkingDelta
    from ..contract.current.models.message import ThinkingDeltaPayload as ThinkingDeltaPayload
    from ..contract.current.models.message import ThinkingPart as ThinkingPart
    from ..contract.current.models.message import ThinkingPayload as ThinkingPayload
    from ..contract.current.models.message import Timestamp as Timestamp
    from ..contract.current.models.message import ToolCall as ToolCall
    from ..contract.current.models.message import ToolCallArgsDelta as ToolCallArgsDelta
    from ..contract.current.models.message import ToolCallArgsDeltaPayload as ToolCallArgsDeltaPayload
    from ..contract.current.models.message import ToolCallEndDelta as ToolCallEndDelta
    from ..contract.current.models.message import ToolCallEndDeltaPayload as ToolCallEndDeltaPayload
    from ..contract.current.models.message import ToolCallId as ToolCallId
    from ..contract.current.models.message import ToolCallParseError as ToolCallParseError
    from ..contract.current.models.message import ToolCallPart as ToolCallPart
    from ..contract.current.models.message import ToolCallPayload as ToolCallPayload
    from ..contract.current.models.message import ToolCallStartDelta as ToolCallStartDelta
    from ..contract.current.models.message import ToolCallStartDeltaPayload as ToolCallStartDeltaPayload
    from ..contract.current.models.message import ToolChoice as ToolChoice
    from ..contract.current.models.message import ToolChoiceMode as ToolChoiceMode
    from ..contract.current.models.message import ToolName as ToolName
    from ..contract.current.models.message import ToolResult as ToolResult
    from ..contract.current.models.message import ToolResultContent as ToolResultContent
    from ..contract.current.models.message import ToolResultContentPart as ToolResultContentPart
    from ..contract.current.models.message import ToolResultPart as ToolResultPart
    from ..contract.current.models.message import ToolSpec as ToolSpec
    from ..contract.current.models.message import TurnId as TurnId
    from ..contract.current.models.message import UrlSource as UrlSource
    from ..contract.current.models.message import UsageDelta as UsageDelta
    from ..contract.current.models.message import UsageSummary as UsageSummary
    from ..contract.current.models.message import WarningDelta as WarningDelta
    from ..contract.current.models.message import WarningDeltaPayload as WarningDeltaPayload
    from ..contract.current.models.session import AssistantInfo as AssistantInfo
    from ..contract.current.models.session import CacheTokenStats as CacheTokenStats
    from ..contract.current.models.session import FileDiff as FileDiff
    from ..contract.current.models.session import FilePart as FilePart
    from ..contract.current.models.session import FilePartSource as FilePartSource
    from ..contract.current.models.session import FileSource as FileSource
    from ..contract.current.models.session import InvalidStateTransitionDetails as InvalidStateTransitionDetails
    from ..contract.current.models.session import InvalidStateTransitionError as InvalidStateTransitionError
    from ..contract.current.models.session import MessageInfo as MessageInfo
    from ..contract.current.models.session import MessagePath as MessagePath
    from ..contract.current.models.session import MessageTime as MessageTime
    from ..contract.current.models.session import ModelRef as ModelRef
    from ..contract.current.models.session import Part as Part
    from ..contract.current.models.session import ReasoningPart as ReasoningPart
    from ..contract.current.models.session import ReasoningTime as ReasoningTime
    from ..contract.current.models.session import ResourceSource as ResourceSource
    from ..contract.current.models.session import SourcePosition as SourcePosition
    from ..contract.current.models.session import SourceRange as SourceRange
    from ..contract.current.models.session import SourceText as SourceText
    from ..contract.current.models.session import StepFinishPart as StepFinishPart
    from ..contract.current.models.session import StepStartPart as StepStartPart
    from ..contract.current.models.session import SymbolSource as SymbolSource
    from ..contract.current.models.session import TextTime as TextTime
    from ..contract.current.models.session import TokenStats as TokenStats
    from ..contract.current.models.session import ToolApproval as ToolApproval
    from ..contract.current.models.session import ToolApprovalChoice as ToolApprovalChoice
    from ..contract.current.models.session import ToolApprovalTime as ToolApprovalTime
    from ..contract.current.models.session import ToolCompletedTime as ToolCompletedTime
    from ..contract.current.models.session import ToolEndTime as ToolEndTime
    from ..contract.current.models.session import ToolPart as ToolPart
    from ..contract.current.models.session import ToolStartTime as ToolStartTime
    from ..contract.current.models.session import ToolState as ToolState
    from ..contract.current.models.session import ToolStateAwaitingApproval as ToolStateAwaitingApproval
    from ..contract.current.models.session import ToolStateCompleted as ToolStateCompleted
    from ..contract.current.models.session import ToolStateDenied as ToolStateDenied
    from ..contract.current.models.session import ToolStateError as ToolStateError
    from ..contract.current.models.session import ToolStatePending as ToolStatePending
    from ..contract.current.models.session import ToolStateRunning as ToolStateRunning
    from ..contract.current.models.session import ToolStatus as ToolStatus
    from ..contract.current.models.session import ToolSwitches as ToolSwitches
    from ..contract.current.models.session import UserInfo as UserInfo
    from ..contract.current.models.session import UserSummary as UserSummary
    from ..contract.current.models.session import Uuid as Uuid
    from ..contract.current.models.session import ValidationFinding as ValidationFinding
    from ..contract.current.models.session import ValidationResult as ValidationResult
    from ..contract.current.models.session import WithParts as WithParts

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
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES, "partwire.contract.current.models")
