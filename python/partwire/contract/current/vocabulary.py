"""The vocabularies of the current version: known values, safe defaults, transitions."""

from ...v0_2.vocabulary import *
