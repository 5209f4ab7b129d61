"""The types of messages in the current version, as pydantic models."""

from ....v0_2.models.message import *
