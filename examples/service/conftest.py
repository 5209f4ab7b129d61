"""How Hypothesis behaves: a slow machine is not a failure, and in CI every run is the same."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "service",
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("service")
