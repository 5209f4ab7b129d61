"""The types of sessions in the current version, as pydantic models."""

from ....v0_2.models.session import *
