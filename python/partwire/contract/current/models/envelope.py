"""The types of queue messages in the current version, as pydantic models."""

from ....v0_2.models.envelope import *
