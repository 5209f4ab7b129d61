"""The types of content blocks in the current version, as structs."""

from ...v0_2.structs.blocks import *
