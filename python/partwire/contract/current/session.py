"""The types of sessions in the current version, as structs."""

from ...v0_2.structs.session import *
