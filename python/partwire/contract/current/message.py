"""The types of messages in the current version, as structs."""

from ...v0_2.structs.message import *
