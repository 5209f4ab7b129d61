"""The types of queue messages in the current version, as structs."""

from ...v0_2.structs.envelope import *
