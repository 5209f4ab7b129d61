"""Regular expressions of ECMA 262 as trees and as automata."""
