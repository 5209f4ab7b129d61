"""Sessions: tool states and how they move on, parts, and messages built of them.

Errors are logged by the logger ``partwire.session`` when they are raised; records name ids, rules
and pointers, and no payload.
"""

from .builder import WithPartsBuilder
from .errors import InvalidStateTransition, MissingRequiredField, PartValidationError
from .parts import (
    MakeId,
    PartBase,
    create_file_part,
    create_reasoning_part,
    create_step_finish_part,
    create_step_start_part,
    create_text_part,
    create_tool_part,
    is_file_part,
    is_reasoning_part,
    is_step_finish_part,
    is_step_start_part,
    is_text_part,
    is_tool_part,
    visible_to_model,
)
from .tool_state import (
    awaiting_approval_to_denied,
    awaiting_approval_to_running,
    create_awaiting_approval,
    create_completed,
    create_denied,
    create_error,
    create_pending,
    create_running,
    expire,
    fail_pending,
    pending_to_awaiting_approval,
    pending_to_running,
    running_to_completed,
    running_to_error,
    transition,
)
from .transitions import EMPTY_OUTPUT_PLACEHOLDER, Approval, EmptyOutput, StateFields
from .validation import IdProfile, get_required, require_part, validate_part

__all__ = [
    "EMPTY_OUTPUT_PLACEHOLDER",
    "Approval",
    "EmptyOutput",
    "IdProfile",
    "InvalidStateTransition",
    "MakeId",
    "MissingRequiredField",
    "PartBase",
    "PartValidationError",
    "StateFields",
    "WithPartsBuilder",
    "awaiting_approval_to_denied",
    "awaiting_approval_to_running",
    "create_awaiting_approval",
    "create_completed",
    "create_denied",
    "create_error",
    "create_file_part",
    "create_pending",
    "create_reasoning_part",
    "create_running",
    "create_step_finish_part",
    "create_step_start_part",
    "create_text_part",
    "create_tool_part",
    "expire",
    "fail_pending",
    "get_required",
    "is_file_part",
    "is_reasoning_part",
    "is_step_finish_part",
    "is_step_start_part",
    "is_text_part",
    "is_tool_part",
    "pending_to_awaiting_approval",
    "pending_to_running",
    "require_part",
    "running_to_completed",
    "running_to_error",
    "transition",
    "validate_part",
    "visible_to_model",
]
